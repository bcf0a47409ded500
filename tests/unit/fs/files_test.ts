import assert from "node:assert/strict";
import { createFileSystem } from "../../../src/fs/layout.ts";
import { assertFails, makeFileSystem, randomNumbers, string, text } from "./harness.ts";

Deno.test("files hold what random writes, appends and truncations leave, across snapshots", () => {
  const random = randomNumbers(7);
  const fs = makeFileSystem();
  let model = new Uint8Array(0);
  fs.writeFile("/f", model);
  const file = fs.open("/f", { write: true });
  const saved: [ReturnType<typeof fs.snapshot>, Uint8Array][] = [];
  for (let step = 0; step < 600; step++) {
    const bytes = new Uint8Array(random(4) === 0 ? 65_536 * random(4) : random(3_000)).fill(step % 255 + 1);
    const position = random(3) === 0 ? model.length : random(300_000);
    if (random(5) === 0) {
      const size = random(300_000);
      file.truncate(size);
      const resized = new Uint8Array(size);
      resized.set(model.subarray(0, size));
      model = resized;
    } else {
      file.writeAt(bytes, position);
      const grown = new Uint8Array(
        bytes.length === 0 ? model.length : Math.max(model.length, position + bytes.length),
      );
      grown.set(model);
      if (bytes.length > 0) grown.set(bytes, position);
      model = grown;
    }
    if (step % 50 === 0) saved.push([fs.snapshot(), model.slice()]);
    if (step % 20 === 0) assert.ok(equal(fs.readFile("/f"), model), `step ${step}`);
  }
  for (const [snapshot, contents] of saved) {
    fs.restore(snapshot);
    assert.ok(equal(fs.readFile("/f"), contents));
  }
});

Deno.test("what was cut off does not come back when the file grows again", () => {
  const fs = makeFileSystem();
  for (
    const [full, cut] of [[100, 60], [100, 1], [70_000, 65_537], [70_000, 65_536], [70_000, 10]] as const
  ) {
    fs.writeFile("/f", new Uint8Array(full).fill(9));
    fs.truncate("/f", cut);
    fs.truncate("/f", full);
    const bytes = fs.readFile("/f");
    assert.ok(bytes.subarray(0, cut).every((byte) => byte === 9));
    assert.ok(bytes.subarray(cut).every((byte) => byte === 0), `${full} cut to ${cut}`);
  }
});

Deno.test("open files keep their own positions, and appending goes to the end whatever the position", () => {
  const fs = makeFileSystem();
  fs.writeFile("/f", text("hello"));
  using reader = fs.open("/f");
  using writer = fs.open("/f", { write: true, append: true });
  const buffer = new Uint8Array(5);
  assert.equal(reader.read(buffer.subarray(0, 2)), 2);
  writer.seek(0, "start");
  writer.write(text("!!"));
  assert.equal(writer.position, 7);
  assert.equal(reader.read(buffer), 5);
  assert.equal(string(buffer), "llo!!");
  assert.equal(reader.read(buffer), 0);
  assert.equal(reader.seek(-1, "end"), 6);
  assertFails(fs, "EINVAL", () => reader.seek(-8, "end"));
  assertFails(fs, "EBADF", () => reader.write(text("x")));
});

Deno.test("open() makes, cuts and refuses files as its options say", () => {
  const fs = makeFileSystem();
  assertFails(fs, "ENOENT", () => fs.open("/f"));
  fs.open("/f", { create: true, write: true }).write(text("abc"));
  assertFails(fs, "EEXIST", () => fs.open("/f", { create: true, exclusive: true }));
  assertFails(fs, "ENOTDIR", () => fs.open("/f", { directory: true }));
  assertFails(fs, "ENOTDIR", () => fs.open("/f/"));
  assertFails(fs, "EISDIR", () => fs.open("/g/", { create: true }));
  assertFails(fs, "EISDIR", () => fs.open("/", { write: true }));
  assert.equal(fs.open("/f", { create: true }).stat().size, 3);
  fs.open("/f", { write: true, truncate: true });
  assert.equal(fs.stat("/f").size, 0);
  assertFails(fs, "EISDIR", () => fs.open("/").read(new Uint8Array(1)));
  const closed = fs.open("/f");
  closed.close();
  closed.close();
  assertFails(fs, "EBADF", () => closed.read(new Uint8Array(1)));
});

Deno.test("a file that does not fit leaves the old contents, and no new name", () => {
  const fs = makeFileSystem({ maxBytes: 10_000 });
  fs.writeFile("/f", text("old"));
  assertFails(fs, "ENOSPC", () => fs.writeFile("/f", new Uint8Array(20_000)));
  assertFails(fs, "ENOSPC", () => fs.appendFile("/f", new Uint8Array(20_000)));
  assertFails(fs, "ENOSPC", () => fs.writeFile("/new", new Uint8Array(20_000)));
  fs.symlink("/target", "/dangling");
  assertFails(fs, "ENOSPC", () => fs.writeFile("/dangling", new Uint8Array(20_000)));
  assert.equal(string(fs.readFile("/f")), "old");
  assert.deepEqual(fs.readdir("/").map(({ name }) => name), ["f", "dangling"]);
});

Deno.test("times are kept to the nanosecond and change with contents and names", () => {
  let now = 1_000n;
  const fs = makeFileSystem({ now: () => now });
  fs.mkdir("/d");
  fs.writeFile("/d/f", text("a"));
  now = 2_000n;
  fs.appendFile("/d/f", text("b"));
  assert.equal(fs.stat("/d/f").mtime, 2_000n);
  assert.equal(fs.stat("/d/f").atime, 1_000n);
  assert.equal(fs.stat("/d").mtime, 1_000n);
  now = 3_000n;
  fs.rename("/d/f", "/d/g");
  assert.deepEqual([fs.stat("/d").mtime, fs.stat("/d/g").ctime, fs.stat("/d/g").mtime], [
    3_000n,
    3_000n,
    2_000n,
  ]);
  fs.setTimes("/d/g", { mtime: 1_700_000_000_123_456_789n });
  assert.equal(fs.stat("/d/g").mtime, 1_700_000_000_123_456_789n);
  fs.chmod("/d/g", 0o100755);
  assert.equal(fs.stat("/d/g").mode, 0o755);
});

Deno.test("a session starts in a tree with /app, /tmp and devices", () => {
  const fs = createFileSystem({
    maxBytes: 1_000_000,
    maxInodes: 100,
    random: (bytes) => bytes.fill(4),
  });
  assert.deepEqual(fs.readdir("/").map(({ name }) => name).sort(), [
    "app",
    "content",
    "data",
    "dev",
    "external",
    "home",
    "mnt",
    "node_modules",
    "root",
    "tmp",
    "usr",
    "workspace",
  ]);
  fs.writeFile("/mnt/data/elsewhere", text("y"));
  for (const place of ["/app", "/content", "/home/user", "/workspace"]) {
    assert.equal(fs.realpath(`${place}/elsewhere`), "/app/elsewhere");
  }
  assertFails(fs, "EBUSY", () => fs.rm("/workspace"));
  fs.writeFile("/app/f", text("x"));
  const buffer = new Uint8Array(3).fill(1);
  const sink = fs.open("/dev/null", { write: true });
  assert.equal(sink.write(new Uint8Array(5_000_000)), 5_000_000);
  assert.equal(sink.read(buffer), 0);
  assert.equal(fs.open("/dev/zero").read(buffer), 3);
  assert.deepEqual([...buffer], [0, 0, 0]);
  assert.equal(fs.open("/dev/urandom").read(buffer), 3);
  assert.deepEqual([...buffer], [4, 4, 4]);
  assertFails(fs, "EROFS", () => fs.writeFile("/dev/new", text("x")));
  assertFails(fs, "EBUSY", () => fs.rm("/dev", { recursive: true }));
});

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

Deno.test("a program's text is read where it would stand, for as long as nothing else does, and is in no listing", () => {
  const fs = makeFileSystem();
  fs.mkdir("/app");
  const before = fs.usage;
  fs.show({ directory: "/app", name: "main.py", text: "täxt" });
  assert.equal(string(fs.readFile("/app/main.py")), "täxt");
  assert.equal(string(fs.readFile("main.py", { at: fs.stat("/app").ino })), "täxt");
  const { type, size, links } = fs.stat("/app/../app/main.py");
  assert.deepEqual([type, size, links], ["file", 5, 0]);
  assert.equal(fs.realpath("/app/main.py"), "/app/main.py");
  fs.symlink("/app/main.py", "/link");
  assert.ok(fs.exists("/link"));
  fs.unlink("/link");
  assert.deepEqual(fs.readdir("/app"), []);
  assert.deepEqual(fs.usage, before);
  for (const elsewhere of ["/main.py", "/app/main", "/app/main.py/"]) assert.ok(!fs.exists(elsewhere));
  assertFails(fs, "ENOENT", () => fs.unlink("/app/main.py"));
  assertFails(fs, "EROFS", () => fs.open("/app/main.py", { write: true }));
  assertFails(fs, "EROFS", () => fs.chmod("/app/main.py", 0o600));

  const open = fs.open("/app/main.py");
  fs.writeFile("/app/main.py", text("mine"));
  assert.equal(string(fs.readFile("/app/main.py")), "mine");
  assert.ok(fs.stat("/app/main.py").ino < 1000);
  fs.unlink("/app/main.py");
  fs.show();
  assert.ok(!fs.exists("/app/main.py"));
  assert.throws(() => open.stat(), { code: "ESTALE" });
  fs.show({ directory: "/nowhere", name: "main.py", text: "" });
  assert.ok(!fs.exists("/nowhere/main.py"));
});
