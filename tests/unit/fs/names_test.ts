import assert from "node:assert/strict";
import { DEPTH_MAX, LINK_MAX } from "../../../src/fs/names.ts";
import { assertFails, makeFileSystem, string, text } from "./harness.ts";

Deno.test("`..` never leaves the root, and `.` and empty components mean nothing", () => {
  const fs = makeFileSystem();
  fs.mkdir("/a/b", { recursive: true });
  fs.writeFile("/a/f", text("x"));
  assert.equal(string(fs.readFile("/../../..//a/./b/../f")), "x");
  assert.equal(fs.realpath("/../a/b/../../../a"), "/a");
  assert.equal(fs.stat("/..").ino, fs.stat("/").ino);
  assert.equal(fs.realpath("b/..", { at: fs.stat("/a").ino }), "/a");
  assertFails(fs, "ENOTDIR", () => fs.stat("/a/f/.."));
  assertFails(fs, "ENOENT", () => fs.stat(""));
});

Deno.test("symlinks are followed where they stand, up to forty of them", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d/sub", { recursive: true });
  fs.writeFile("/d/f", text("x"));
  fs.symlink("../f", "/d/sub/up");
  fs.symlink("/d", "/abs");
  assert.equal(string(fs.readFile("/abs/sub/up")), "x");
  assert.equal(fs.realpath("/abs/sub/up"), "/d/f");
  assert.equal(fs.stat("/abs", { follow: false }).type, "symlink");
  assert.equal(fs.stat("/abs/", { follow: false }).type, "directory");
  assert.equal(fs.readlink("/abs"), "/d");
  assertFails(fs, "EINVAL", () => fs.readlink("/d"));
  fs.symlink("/d/f", "/s0");
  for (let n = 1; n <= 40; n++) fs.symlink(`s${n - 1}`, `/s${n}`);
  assert.equal(string(fs.readFile("/s39")), "x");
  assertFails(fs, "ELOOP", () => fs.readFile("/s40"));
});

Deno.test("symlink loops end in ELOOP, however they are made", () => {
  const fs = makeFileSystem();
  fs.symlink("self", "/self");
  fs.symlink("b", "/a");
  fs.symlink("a", "/b");
  fs.symlink("deeper/x/x/x", "/deeper");
  fs.symlink(`${"self/".repeat(800)}x`, "/wide");
  for (const path of ["/self", "/a", "/b", "/deeper", "/self/x", "/wide"]) {
    assertFails(fs, "ELOOP", () => fs.stat(path));
    assertFails(fs, "ELOOP", () => fs.writeFile(path, text("x")));
    assert.equal(fs.exists(path), false);
  }
  fs.unlink("/self");
  assertFails(fs, "ENOENT", () => fs.stat("/self", { follow: false }));
});

Deno.test("a dangling symlink can be written through, but not exclusively", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d");
  fs.symlink("d/made", "/link");
  assertFails(fs, "EEXIST", () => fs.open("/link", { create: true, exclusive: true }));
  assertFails(fs, "ELOOP", () => fs.open("/link", { follow: false, create: true }));
  assertFails(fs, "EEXIST", () => fs.mkdir("/link"));
  fs.writeFile("/link", text("x"));
  assert.equal(string(fs.readFile("/d/made")), "x");
});

Deno.test("removing a symlink leaves what it names, and a slash after it does not reach through", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d");
  fs.symlink("d", "/link");
  assertFails(fs, "ENOTDIR", () => fs.rmdir("/link"));
  assertFails(fs, "ENOTDIR", () => fs.rmdir("/link/"));
  assertFails(fs, "ENOTDIR", () => fs.unlink("/link/"));
  fs.rm("/link", { recursive: true });
  assert.ok(fs.exists("/d"));
});

Deno.test("hard links share an inode, which lives as long as one of them", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d");
  fs.writeFile("/f", text("one"));
  fs.link("/f", "/d/g");
  fs.writeFile("/d/g", text("two"));
  assert.equal(string(fs.readFile("/f")), "two");
  assert.equal(fs.stat("/f").links, 2);
  assert.equal(fs.usage.inodes, 2);
  fs.unlink("/f");
  assert.equal(fs.stat("/d/g").links, 1);
  assertFails(fs, "EPERM", () => fs.link("/d", "/e"));
  assertFails(fs, "EEXIST", () => fs.link("/d/g", "/d"));
  for (let n = 1; n < LINK_MAX; n++) fs.link("/d/g", `/l${n}`);
  assertFails(fs, "EMLINK", () => fs.link("/d/g", "/more"));
  fs.rename("/l1", "/l2");
  assert.equal(fs.stat("/l1").ino, fs.stat("/l2").ino, "renaming onto the same inode does nothing");
});

Deno.test("rename replaces a file by a file and an empty directory by a directory, nothing else", () => {
  const fs = makeFileSystem();
  for (const path of ["/full/in", "/empty", "/dir"]) fs.mkdir(path, { recursive: true });
  fs.writeFile("/f", text("f"));
  fs.writeFile("/g", text("g"));
  assertFails(fs, "ENOTEMPTY", () => fs.rename("/dir", "/full"));
  assertFails(fs, "EISDIR", () => fs.rename("/f", "/empty"));
  assertFails(fs, "ENOTDIR", () => fs.rename("/dir", "/f"));
  assertFails(fs, "ENOTDIR", () => fs.rename("/f", "/nowhere/"));
  assertFails(fs, "ENOENT", () => fs.rename("/nothing", "/f"));
  fs.rename("/dir", "/empty/");
  fs.rename("/f", "/g");
  fs.rename("/full", "/full");
  assert.equal(string(fs.readFile("/g")), "f");
  assert.deepEqual(fs.readdir("/").map(({ name }) => name).sort(), ["empty", "full", "g"]);
});

Deno.test("a directory can't be moved into itself, nor the root anywhere", () => {
  const fs = makeFileSystem();
  fs.mkdir("/a/b/c", { recursive: true });
  fs.symlink("/a/b", "/into");
  assertFails(fs, "EINVAL", () => fs.rename("/a", "/a/x"));
  assertFails(fs, "EINVAL", () => fs.rename("/a", "/a/b/c/x"));
  assertFails(fs, "EINVAL", () => fs.rename("/a", "/into/c/x"));
  assertFails(fs, "EBUSY", () => fs.rename("/", "/x"));
  assertFails(fs, "EBUSY", () => fs.rename("/a/b", "/"));
  assertFails(fs, "EBUSY", () => fs.rename("/a/.", "/x"));
  assertFails(fs, "EBUSY", () => fs.rm("/", { recursive: true }));
  fs.rename("/a/b/c", "/c");
  fs.rename("/a", "/c/a");
  assert.equal(fs.realpath("/c/a/b/.."), "/c/a");
});

Deno.test("a removed directory that is still open takes no new entries", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d");
  using open = fs.open("/d");
  fs.rmdir("/d");
  const at = open.ino;
  assertFails(fs, "ENOENT", () => fs.writeFile("f", text("x"), { at }));
  assertFails(fs, "ENOENT", () => fs.mkdir("sub", { at }));
  assertFails(fs, "ENOENT", () => fs.stat("..", { at }));
  assertFails(fs, "ENOENT", () => fs.rename("/d", "x", { to: { at } }));
  assert.equal(fs.stat(".", { at }).type, "directory");
});

Deno.test("names and paths are bounded in bytes, also by way of relative paths and renames", () => {
  const fs = makeFileSystem();
  fs.writeFile(`/${"é".repeat(127)}`, text("254 bytes"));
  assertFails(fs, "ENAMETOOLONG", () => fs.writeFile(`/${"é".repeat(128)}`, text("256 bytes")));
  assertFails(fs, "ENAMETOOLONG", () => fs.stat("/a".repeat(2_049)));
  assertFails(fs, "ENAMETOOLONG", () => fs.symlink("€".repeat(1_366), "/s"));
  let at = fs.stat("/").ino;
  for (let depth = 1; depth < DEPTH_MAX; depth++) {
    fs.mkdir("d", { at });
    at = fs.stat("d", { at }).ino;
  }
  fs.writeFile("leaf", text("x"), { at });
  fs.mkdir("d", { at });
  at = fs.stat("d", { at }).ino;
  assertFails(fs, "ENAMETOOLONG", () => fs.mkdir("d", { at }));
  fs.mkdir("/x/y", { recursive: true });
  const parent = fs.stat("..", { at }).ino;
  assertFails(fs, "ENAMETOOLONG", () => fs.rename("/x", "x", { to: { at: parent } }));
  const long = "n".repeat(250);
  at = fs.stat("/").ino;
  for (let depth = 0; depth < 16; depth++) {
    fs.mkdir(long, { at });
    at = fs.stat(long, { at }).ino;
  }
  assertFails(fs, "ENAMETOOLONG", () => fs.mkdir(long, { at }));
  assertFails(fs, "ENAMETOOLONG", () => fs.rename("/x", "z".repeat(90), { to: { at } }));
  fs.rm("/d", { recursive: true });
  fs.rm(`/${long}`, { recursive: true });
});

Deno.test("text that is no path is refused, wherever a path goes in", () => {
  const fs = makeFileSystem();
  fs.writeFile("/f", text("x"));
  for (const [path, code] of [["/a\0b", "EINVAL"], ["/\ud800", "EILSEQ"], ["", "ENOENT"]] as const) {
    assertFails(fs, code, () => fs.stat(path));
    assertFails(fs, code, () => fs.writeFile(path, text("x")));
    assertFails(fs, code, () => fs.mkdir(path, { recursive: true }));
    assertFails(fs, code, () => fs.symlink(path, "/link"));
    assertFails(fs, code, () => fs.rename("/f", path));
    assertFails(fs, code, () => fs.link("/f", path));
  }
  fs.writeFile("/__proto__", text("p"));
  fs.writeFile("/constructor", text("c"));
  assert.equal(string(fs.readFile("/__proto__")), "p");
});

Deno.test("mkdir with recursive makes what is missing and minds a file in its way", () => {
  const fs = makeFileSystem();
  fs.mkdir("/a/b/c/", { recursive: true });
  fs.mkdir("/a/b/c", { recursive: true });
  fs.mkdir("/new/");
  fs.symlink("/a", "/link");
  fs.mkdir("/link/d/e", { recursive: true });
  assert.ok(fs.exists("/a/d/e"));
  fs.writeFile("/a/f", text("x"));
  assertFails(fs, "ENOTDIR", () => fs.mkdir("/a/f/g", { recursive: true }));
  assertFails(fs, "EEXIST", () => fs.mkdir("/a/f", { recursive: true }));
  assertFails(fs, "EEXIST", () => fs.mkdir("/a"));
  assertFails(fs, "ENOENT", () => fs.mkdir("/no/such"));
});
