import assert from "node:assert/strict";
import { errno } from "../../../src/wasi/constants.ts";
import { ProcExit } from "../../../src/wasi/wasi.ts";
import { Guest, RESULT } from "./guest.ts";

/** Number of arguments, and which are i64. */
const SIGNATURES: Record<string, string> = {
  args_get: "ii",
  args_sizes_get: "ii",
  environ_get: "ii",
  environ_sizes_get: "ii",
  clock_res_get: "ii",
  clock_time_get: "iIi",
  fd_advise: "iIIi",
  fd_allocate: "iII",
  fd_close: "i",
  fd_datasync: "i",
  fd_fdstat_get: "ii",
  fd_fdstat_set_flags: "ii",
  fd_fdstat_set_rights: "iII",
  fd_filestat_get: "ii",
  fd_filestat_set_size: "iI",
  fd_filestat_set_times: "iIIi",
  fd_pread: "iiiIi",
  fd_prestat_get: "ii",
  fd_prestat_dir_name: "iii",
  fd_pwrite: "iiiIi",
  fd_read: "iiii",
  fd_readdir: "iiiIi",
  fd_renumber: "ii",
  fd_seek: "iIii",
  fd_sync: "i",
  fd_tell: "ii",
  fd_write: "iiii",
  path_create_directory: "iii",
  path_filestat_get: "iiiii",
  path_filestat_set_times: "iiiiIIi",
  path_link: "iiiiiii",
  path_open: "iiiiiIIii",
  path_readlink: "iiiiii",
  path_remove_directory: "iii",
  path_rename: "iiiiii",
  path_symlink: "iiiii",
  path_unlink_file: "iii",
  poll_oneoff: "iiii",
  proc_exit: "i",
  proc_raise: "i",
  random_get: "ii",
  sched_yield: "",
  sock_accept: "iii",
  sock_recv: "iiiiii",
  sock_send: "iiiii",
  sock_shutdown: "ii",
};

const I32 = [0, 1, 2, 3, 4, 5, 64, 4096, 65_536, 262_136, 262_143, 262_144, 2 ** 31 - 1, -(2 ** 31), -8, -1];
const I64 = [0n, 1n, 4096n, 2n ** 31n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n), -1n];

Deno.test("every function of preview1 is there, and nothing else", () => {
  assert.deepEqual(Object.keys(new Guest().wasi.imports).sort(), Object.keys(SIGNATURES).sort());
});

Deno.test("no arguments, however wild, get anything but an error number out of an import", () => {
  let state = 1;
  const pick = <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return list[(state >>> 8) % list.length]!;
  };
  const known = new Set<number>(Object.values(errno));
  const names = Object.keys(SIGNATURES).filter((name) => name !== "proc_exit");
  let guest = new Guest();
  for (let step = 0; step < 60_000; step++) {
    if (step % 2_000 === 0) {
      guest = new Guest();
      guest.fs.mkdir("/d");
      guest.open("f", { oflags: 1 });
      guest.open("d", { oflags: 2 });
      guest.fs.symlink("f", "/s");
      guest.path("d/../f", 64);
      guest.path("s\0", 4096);
    }
    const name = pick(names);
    const args = [...SIGNATURES[name]!].map((kind) => kind === "I" ? pick(I64) : pick(I32));
    const code = (guest.wasi.imports[name] as (...args: unknown[]) => number)(...args);
    assert.ok(known.has(code), `${name}(${args}) gave ${code}`);
    guest.output.length = guest.waits.length = 0;
  }
});

Deno.test("pointers are unsigned and checked to the last byte", () => {
  const guest = new Guest();
  const end = guest.memory.buffer.byteLength;
  assert.equal(guest.call("clock_time_get", 0, 0n, end - 8), "SUCCESS");
  for (const pointer of [end - 7, end, -1, -8, -(2 ** 31)]) {
    assert.equal(guest.call("clock_time_get", 0, 0n, pointer), "EFAULT");
    assert.equal(guest.call("path_create_directory", 3, pointer, 8), "EFAULT");
    assert.equal(guest.call("random_get", pointer, 8), "EFAULT");
    assert.equal(guest.call("fd_write", 1, pointer, 1, RESULT), "EFAULT");
  }
  assert.equal(guest.call("path_create_directory", 3, 16, -1), "EFAULT");
  assert.equal(guest.call("random_get", 0, -1), "EFAULT");
  assert.equal(guest.call("fd_readdir", 3, 0, -1, 0n, RESULT), "EFAULT");
});

Deno.test("a call whose result has nowhere to go has no effect", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1 });
  guest.path("hello", 8192);
  assert.equal(guest.call("fd_write", fd, ...guest.vector(8192, 5), -4), "EFAULT");
  assert.equal(guest.call("fd_write", 1, ...guest.vector(8192, 5), -4), "EFAULT");
  assert.equal(guest.fs.stat("/f").size, 0);
  assert.deepEqual(guest.output, []);
  assert.equal(guest.call("path_open", 3, 0, ...guest.path("g"), 1, -1n, -1n, 0, -4), "EFAULT");
  assert.equal(guest.fs.exists("/g"), false);
});

Deno.test("memory that grows between calls is seen", () => {
  const guest = new Guest();
  const end = guest.memory.buffer.byteLength;
  assert.equal(guest.call("clock_time_get", 0, 0n, end), "EFAULT");
  guest.memory.grow(1);
  assert.equal(guest.call("clock_time_get", 0, 0n, end), "SUCCESS");
  assert.equal(guest.u64(end), guest.time);
});

Deno.test("vectors are bounded in number and in what they add up to", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1 });
  assert.equal(guest.call("fd_write", fd, 0, 1_025, RESULT), "EINVAL");
  assert.equal(guest.call("fd_write", fd, 0, -1, RESULT), "EINVAL");
  const length = guest.memory.buffer.byteLength;
  for (let at = 0; at < 1_024 * 8; at += 8) {
    guest.view.setUint32(65_536 + at, 0, true);
    guest.view.setUint32(65_536 + at + 4, length, true);
  }
  assert.equal(guest.call("fd_write", 1, 65_536, 1_024, RESULT), "SUCCESS");
  assert.equal(guest.u32(), 1024 * 1024);
  assert.equal(guest.output.reduce((sum, { text }) => sum + text.length, 0) > 0, true);
  assert.equal(guest.call("fd_write", fd, 65_536, 1_024, RESULT), "SUCCESS");
  assert.ok(guest.u32() <= 8 * 1024 * 1024);
  assert.ok(guest.fs.usage.bytes <= 8 * 1024 * 1024);
});

Deno.test("paths that are no text, too long or hold a NUL are refused", () => {
  const guest = new Guest();
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]]) {
    new Uint8Array(guest.memory.buffer).set(bytes, 4096);
    assert.equal(guest.call("path_create_directory", 3, 4096, bytes.length), "EILSEQ");
    assert.equal(guest.call("path_symlink", 4096, bytes.length, 3, ...guest.path("s", 64)), "EILSEQ");
  }
  assert.equal(guest.call("path_create_directory", 3, ...guest.path("a\0b")), "EINVAL");
  assert.equal(guest.call("path_create_directory", 3, ...guest.path("")), "ENOENT");
  assert.equal(guest.call("path_create_directory", 3, ...guest.path("x/".repeat(3_000))), "ENAMETOOLONG");
  assert.equal(guest.call("path_create_directory", 3, ...guest.path("\ufeffbom")), "SUCCESS");
  assert.deepEqual(guest.fs.readdir("/").map(({ name }) => name), ["\ufeffbom"]);
});

Deno.test("nothing outside of the tree has a name", () => {
  const guest = new Guest();
  guest.fs.mkdir("/d");
  guest.fs.symlink("../../../..", "/d/up");
  guest.fs.symlink("/", "/d/root");
  const root = guest.fs.stat("/").ino;
  const fd = guest.open("d", { oflags: 2 });
  for (const path of ["..", "../../..", "/", "/..", "up", "up/..", "root/../..", "up/d/up"]) {
    assert.equal(guest.call("path_filestat_get", fd, 1, ...guest.path(path), 256), "SUCCESS");
    assert.equal(guest.u64(264), BigInt(root), path);
  }
  assert.equal(guest.call("path_filestat_get", fd, 1, ...guest.path("../../etc/passwd"), 256), "ENOENT");
});

Deno.test("descriptors run out before memory does, and give back what they held", () => {
  const guest = new Guest();
  guest.open("f", { oflags: 1 });
  let opened = 1;
  while (guest.call("path_open", 3, 0, ...guest.path("f"), 0, -1n, -1n, 0, RESULT) === "SUCCESS") opened++;
  assert.equal(guest.call("path_open", 3, 0, ...guest.path("g"), 1, -1n, -1n, 0, RESULT), "EMFILE");
  assert.equal(guest.fs.exists("/g"), false);
  assert.equal(opened, 1_020);
  guest.fs.unlink("/f");
  assert.equal(guest.fs.usage.inodes, 1);
  guest.wasi.close();
  assert.equal(guest.fs.usage.inodes, 0);
  assert.equal(guest.call("fd_tell", 5, RESULT), "EBADF");
});

Deno.test("proc_exit and what the host throws pass through the guest", () => {
  const stop = new Error("stop");
  const guest = new Guest({
    write: () => {
      throw stop;
    },
  });
  assert.throws(
    () => guest.call("proc_exit", -1),
    (error) => error instanceof ProcExit && error.code === 2 ** 32 - 1,
  );
  assert.throws(() => guest.write(1, "x"), (error) => error === stop);
});
