import assert from "node:assert/strict";
import type { FileSystem, Snapshot } from "../../../src/fs/file_system.ts";
import { assertFails, makeFileSystem, string, text } from "./harness.ts";

const changes = (fs: FileSystem, before: Snapshot, after = fs.snapshot()) =>
  fs.diff(before, after).map(({ change, path, size }) => `${change} ${path} ${size}`);

/** Everything one can see of the tree, but times. */
function listing(fs: FileSystem, path = ""): string[] {
  return fs.readdir(path === "" ? "/" : path).flatMap(({ name, type }) => {
    const child = `${path}/${name}`;
    if (type === "directory") return [`${child}/`, ...listing(fs, child)];
    if (type === "symlink") return [`${child} -> ${fs.readlink(child)}`];
    return [`${child} ${fs.stat(child).ino} ${string(fs.readFile(child))}`];
  }).sort();
}

Deno.test("restore brings back names, contents, modes, times and usage", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d");
  fs.writeFile("/d/f", text("one"));
  fs.symlink("f", "/d/s");
  fs.link("/d/f", "/hard");
  const before = { list: listing(fs), usage: fs.usage, stat: fs.stat("/d/f") };
  const snapshot = fs.snapshot();
  fs.writeFile("/d/f", text("two!"));
  fs.chmod("/d/f", 0o600);
  fs.rename("/d", "/e");
  fs.unlink("/e/s");
  fs.writeFile("/e/new", text("new"));
  const later = fs.snapshot();
  const after = listing(fs);
  fs.restore(snapshot);
  assert.deepEqual({ list: listing(fs), usage: fs.usage, stat: fs.stat("/d/f") }, before);
  fs.restore(later);
  assert.deepEqual(listing(fs), after);
  fs.rm("/e", { recursive: true });
  fs.restore(snapshot);
  assert.deepEqual(listing(fs), before.list);
});

Deno.test("diff tells created, modified and deleted paths with their sizes", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d/deep", { recursive: true });
  fs.writeFile("/d/deep/kept", text("k"));
  fs.writeFile("/d/deep/changed", text("c"));
  fs.writeFile("/gone", text("g"));
  const before = fs.snapshot();
  assert.deepEqual(changes(fs, before), []);
  fs.appendFile("/d/deep/changed", text("cc"));
  fs.unlink("/gone");
  fs.mkdir("/new");
  fs.writeFile("/new/file", text("12345"));
  fs.setTimes("/d/deep/kept", { mtime: 5n });
  assert.deepEqual(changes(fs, before), [
    "modified /d/deep/changed 3",
    "deleted /gone 0",
    "created /new 0",
    "created /new/file 5",
  ]);
});

Deno.test("diff shows a file replaced by rename as modified, and a moved directory with all it holds", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d/sub", { recursive: true });
  fs.writeFile("/d/sub/f", text("f"));
  fs.writeFile("/target", text("old"));
  fs.link("/d/sub/f", "/hard");
  const before = fs.snapshot();
  fs.writeFile("/temporary", text("new!"));
  fs.rename("/temporary", "/target");
  fs.rename("/d", "/moved");
  fs.writeFile("/moved/sub/f", text("ff"));
  assert.deepEqual(changes(fs, before), [
    "deleted /d 0",
    "deleted /d/sub 0",
    "deleted /d/sub/f 0",
    "modified /hard 2",
    "created /moved 0",
    "created /moved/sub 0",
    "created /moved/sub/f 2",
    "modified /target 4",
  ]);
});

Deno.test("diff stops at its limit, however many paths a guest has made", () => {
  const fs = makeFileSystem();
  const before = fs.snapshot();
  fs.mkdir("/d");
  for (let n = 0; n < 500; n++) fs.writeFile(`/d/${n}`, text("x"));
  for (let n = 0; n < 500; n++) fs.link("/d/0", `/link${n}`);
  const after = fs.snapshot();
  assert.equal(fs.diff(before, after).length, 1_001);
  assert.equal(fs.diff(before, after, { limit: 10 }).length, 10);
  assert.equal(fs.diff(after, before, { limit: 10 }).length, 10);
});

Deno.test("a write after going back is not mistaken for the one that was undone", () => {
  const fs = makeFileSystem();
  fs.writeFile("/f", text("0"));
  const start = fs.snapshot();
  fs.writeFile("/f", text("1"));
  const one = fs.snapshot();
  fs.restore(start);
  fs.writeFile("/f", text("2"));
  assert.deepEqual(changes(fs, one), ["modified /f 1"]);
});

Deno.test("open files see the restored inode, and are stale where there is none", () => {
  const fs = makeFileSystem();
  fs.writeFile("/old", text("before"));
  const old = fs.open("/old", { write: true });
  old.seek(3, "start");
  const snapshot = fs.snapshot();
  const young = fs.open("/young", { create: true, write: true });
  fs.writeFile("/old", text("overwritten"));
  const later = fs.snapshot();
  fs.restore(snapshot);
  const buffer = new Uint8Array(3);
  assert.equal(old.read(buffer), 3);
  assert.equal(string(buffer), "ore");
  assertFails(fs, "ESTALE", () => young.write(text("x")));
  fs.writeFile("/other", text("never the stale one"));
  assertFails(fs, "ESTALE", () => young.stat());
  fs.restore(later);
  young.write(text("again"));
  assert.equal(string(fs.readFile("/young")), "again");
  young.close();
  old.close();
});

Deno.test("an unlinked open file survives restore while it is open, and is freed by reap when it is not", () => {
  const fs = makeFileSystem();
  const file = fs.open("/f", { create: true, write: true });
  file.write(text("secret"));
  fs.unlink("/f");
  const snapshot = fs.snapshot();
  file.write(text(" more"));
  fs.restore(snapshot);
  fs.reap();
  const buffer = new Uint8Array(20);
  assert.equal(file.readAt(buffer, 0), 6);
  file.close();
  assert.deepEqual(fs.usage, { bytes: 0, inodes: 0 });
  fs.restore(snapshot);
  assert.deepEqual(fs.usage, { bytes: 6, inodes: 1 });
  const again = fs.openInode(file.ino, { read: true, write: false, append: false });
  fs.reap();
  assert.equal(again.readAt(buffer, 0), 6);
  again.close();
  assert.deepEqual(fs.usage, { bytes: 0, inodes: 0 });
  fs.restore(snapshot);
  fs.reap();
  assert.deepEqual(fs.usage, { bytes: 0, inodes: 0 });
});

Deno.test("an inode number never means two files", () => {
  const fs = makeFileSystem();
  const snapshot = fs.snapshot();
  const seen = new Set<number>();
  for (let round = 0; round < 20; round++) {
    fs.writeFile("/f", text("x"));
    seen.add(fs.stat("/f").ino);
    fs.restore(snapshot);
  }
  assert.equal(seen.size, 20);
});
