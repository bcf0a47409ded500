import assert from "node:assert/strict";
import { TIME_MAX } from "../../../src/fs/times.ts";
import { Guest, RESULT } from "./guest.ts";

const STAT = 256;

Deno.test("path_open honours create, directory, exclusive, truncate and no-follow", () => {
  const guest = new Guest();
  const open = (path: string, oflags: number, follow = 1, rights = -1n) =>
    guest.call("path_open", 3, follow, ...guest.path(path), oflags, rights, -1n, 0, RESULT);
  assert.equal(open("f", 0), "ENOENT");
  assert.equal(open("f", 1), "SUCCESS");
  assert.equal(open("f", 1 | 4), "EEXIST");
  assert.equal(open("f", 2), "ENOTDIR");
  guest.write(guest.u32(), "abc");
  assert.equal(open("f", 8), "SUCCESS");
  assert.equal(guest.fs.stat("/f").size, 0);
  guest.fs.symlink("f", "/s");
  assert.equal(open("s", 0, 0), "ELOOP");
  assert.equal(open("s", 0, 1), "SUCCESS");
  assert.equal(open("s", 1 | 4, 1), "EEXIST");
  guest.fs.mkdir("/d");
  assert.equal(open("d", 0, 1, 1n << 6n), "EISDIR");
  assert.equal(open("d", 2), "SUCCESS");
  assert.equal(open("f", 16), "EINVAL");
  assert.equal(guest.call("path_open", 1, 0, ...guest.path("f"), 0, -1n, -1n, 0, RESULT), "ENOTDIR");
});

Deno.test("links of both kinds are made, read and told apart", () => {
  const guest = new Guest();
  guest.fs.writeFile("/f", new Uint8Array(3));
  assert.equal(guest.call("path_symlink", ...guest.path("f", 512), 3, ...guest.path("s")), "SUCCESS");
  assert.equal(guest.call("path_link", 3, 0, ...guest.path("f", 512), 3, ...guest.path("h")), "SUCCESS");
  assert.equal(
    guest.call("path_link", 3, 1, ...guest.path("s", 512), 3, ...guest.path("through")),
    "SUCCESS",
  );
  assert.equal(guest.fs.stat("/f").links, 3);
  assert.equal(guest.call("path_readlink", 3, ...guest.path("s"), 512, 100, RESULT), "SUCCESS");
  assert.equal(guest.text(512, guest.u32()), "f");
  guest.fs.symlink("long-target", "/l");
  assert.equal(guest.call("path_readlink", 3, ...guest.path("l"), 512, 4, RESULT), "SUCCESS");
  assert.equal(guest.text(512, guest.u32()), "long");
  assert.equal(guest.call("path_readlink", 3, ...guest.path("f"), 512, 4, RESULT), "EINVAL");
  assert.equal(guest.call("path_filestat_get", 3, 0, ...guest.path("s"), STAT), "SUCCESS");
  assert.equal(guest.view.getUint8(STAT + 16), 7);
  assert.equal(guest.call("path_filestat_get", 3, 1, ...guest.path("s"), STAT), "SUCCESS");
  assert.deepEqual([guest.view.getUint8(STAT + 16), guest.u64(STAT + 24), guest.u64(STAT + 32)], [4, 3n, 3n]);
});

Deno.test("entries are made, moved and removed relative to descriptors", () => {
  const guest = new Guest();
  assert.equal(guest.call("path_create_directory", 3, ...guest.path("d")), "SUCCESS");
  const d = guest.open("d", { oflags: 2 });
  guest.fs.writeFile("/f", new Uint8Array(1));
  assert.equal(guest.call("path_rename", 3, ...guest.path("f", 512), d, ...guest.path("g")), "SUCCESS");
  assert.equal(guest.fs.stat("/d/g").size, 1);
  assert.equal(guest.call("path_remove_directory", 3, ...guest.path("d")), "ENOTEMPTY");
  assert.equal(guest.call("path_unlink_file", 3, ...guest.path("d")), "EISDIR");
  assert.equal(guest.call("path_unlink_file", d, ...guest.path("g")), "SUCCESS");
  assert.equal(guest.call("path_remove_directory", 3, ...guest.path("d")), "SUCCESS");
  assert.equal(guest.call("path_create_directory", d, ...guest.path("x")), "ENOENT");
  assert.equal(guest.call("path_create_directory", 77, ...guest.path("x")), "EBADF");
});

Deno.test("times are set to the nanosecond, to now, or left, and contradictions are refused", () => {
  const guest = new Guest();
  guest.fs.writeFile("/f", new Uint8Array(0));
  const fd = guest.open("f");
  const set = (atime: bigint, mtime: bigint, flags: number) =>
    guest.call("path_filestat_set_times", 3, 1, ...guest.path("f"), atime, mtime, flags);
  assert.equal(set(123_456_789n, 987_654_321n, 1 | 4), "SUCCESS");
  assert.deepEqual([guest.fs.stat("/f").atime, guest.fs.stat("/f").mtime], [123_456_789n, 987_654_321n]);
  assert.equal(guest.call("fd_filestat_set_times", fd, 0n, 0n, 8), "SUCCESS");
  assert.deepEqual([guest.fs.stat("/f").atime, guest.fs.stat("/f").mtime], [123_456_789n, guest.time]);
  assert.equal(set(-1n, 0n, 1), "SUCCESS");
  assert.equal(guest.call("fd_filestat_get", fd, STAT), "SUCCESS");
  assert.equal(guest.u64(STAT + 40), TIME_MAX); // the latest that is stored
  for (const flags of [1 | 2, 4 | 8, 16]) assert.equal(set(0n, 0n, flags), "EINVAL");
});
