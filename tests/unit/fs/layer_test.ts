import assert from "node:assert/strict";
import { createFileSystem, pythonLayer } from "../../../src/fs/layout.ts";
import { assertFails, makeFileSystem, string, text } from "./harness.ts";

function shared(value: string): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(value.length));
  bytes.set(text(value));
  return bytes;
}

Deno.test("everything that would change a read-only layer is refused", () => {
  const fs = makeFileSystem();
  fs.writeFile("/mine", text("m"));
  fs.mountReadOnly("/ro", {
    type: "directory",
    entries: { f: { type: "file", bytes: shared("shared") }, d: { type: "directory", entries: {} } },
  });
  assert.equal(string(fs.readFile("/ro/f")), "shared");
  for (
    const change of [
      () => fs.writeFile("/ro/f", text("x")),
      () => fs.writeFile("/ro/new", text("x")),
      () => fs.appendFile("/ro/f", text("x")),
      () => fs.truncate("/ro/f", 0),
      () => fs.open("/ro/f", { write: true }),
      () => fs.open("/ro/f", { truncate: true }),
      () => fs.mkdir("/ro/d/e"),
      () => fs.mkdir("/ro/d/e/f", { recursive: true }),
      () => fs.unlink("/ro/f"),
      () => fs.rmdir("/ro/d"),
      () => fs.rm("/ro/d", { recursive: true }),
      () => fs.rename("/ro/f", "/g"),
      () => fs.rename("/mine", "/ro/f"),
      () => fs.rename("/mine", "/ro/new"),
      () => fs.link("/mine", "/ro/hard"),
      () => fs.symlink("x", "/ro/s"),
      () => fs.chmod("/ro/f", 0o777),
      () => fs.setTimes("/ro/f", { mtime: 0n }),
      () => fs.open("/ro/f").setTimes({ mtime: 0n }),
    ]
  ) assertFails(fs, "EROFS", change);
  assertFails(fs, "EXDEV", () => fs.link("/ro/f", "/hard"));
  for (
    const change of [() => fs.rename("/ro", "/other"), () => fs.rmdir("/ro"), () => fs.rename("/mine", "/ro")]
  ) {
    assert.throws(change, { name: "FsError" });
  }
  assertFails(fs, "EBUSY", () => fs.rm("/ro", { recursive: true }));
  assert.equal(string(fs.readFile("/ro/f")), "shared");
});

Deno.test("a layer's contents are never copied, charged or part of a snapshot", () => {
  const bytes = shared("a".repeat(200_000));
  const fs = createFileSystem({ maxBytes: 10_000, maxInodes: 10, usr: pythonLayer({ bytes }) });
  const before = fs.snapshot();
  const path = "/usr/lib/python313.zip";
  assert.equal(fs.stat(path).size, 200_000);
  const file = fs.open(path);
  bytes[150_000] = "b".charCodeAt(0);
  assert.equal(fs.readFile(path)[150_000], "b".charCodeAt(0));
  fs.writeFile("/app/f", text("x"));
  fs.restore(before);
  const buffer = new Uint8Array(1);
  assert.equal(file.readAt(buffer, 150_000), 1);
  assert.equal(string(buffer), "b");
  assert.deepEqual(fs.diff(before, fs.snapshot()), []);
  assert.ok(fs.usage.bytes < 1_000);
  assert.equal(fs.realpath("/usr/lib/../lib/python3.13/.."), "/usr/lib");
});

Deno.test("a layer can't be mounted over a name, nor with names that are none", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d");
  const tree = { type: "directory", entries: {} } as const;
  assertFails(fs, "EEXIST", () => fs.mountReadOnly("/d", tree));
  assertFails(fs, "ENOENT", () => fs.mountReadOnly("/no/where", tree));
  for (const name of ["", ".", "..", "a/b", "a\0b", "x".repeat(256)]) {
    assertFails(fs, "EINVAL", () => fs.mountReadOnly("/m", { type: "directory", entries: { [name]: tree } }));
  }
});

Deno.test("the directories that every call is in stay, whatever is removed from them", () => {
  const fs = createFileSystem({ maxBytes: 1 << 20, maxInodes: 100 });
  fs.writeFile("/app/a", new Uint8Array(1));
  for (const path of ["/app", "/tmp"]) {
    assertFails(fs, "EBUSY", () => fs.rmdir(path));
    assertFails(fs, "EBUSY", () => fs.rm(path, { recursive: true }));
    assertFails(fs, "EBUSY", () => fs.rename(path, "/elsewhere"));
  }
  fs.mkdir("/empty");
  assertFails(fs, "EBUSY", () => fs.rename("/empty", "/tmp"));
  fs.mkdir("/app/tmp");
  fs.rmdir("/app/tmp");
  fs.unlink("/app/a");
});
