import assert from "node:assert/strict";
import { filetype, rights } from "../../../src/wasi/constants.ts";
import { Guest, RESULT } from "./guest.ts";

const WRITE = BigInt(rights.fdWrite);
const CREATE_AND_TRUNCATE = 1 | 8;

/** A standard input that comes in one piece. */
function once(text: string): (buffer: Uint8Array) => number {
  let rest = new TextEncoder().encode(text);
  return (buffer) => {
    const piece = rest.subarray(0, buffer.length);
    rest = rest.subarray(piece.length);
    buffer.set(piece);
    return piece.length;
  };
}

/** Names and cookies of one fd_readdir. */
function readdir(guest: Guest, fd: number, cookie: bigint, length: number): { name: string; next: bigint }[] {
  assert.equal(guest.call("fd_readdir", fd, 32_768, length, cookie, RESULT), "SUCCESS");
  const used = guest.u32();
  const entries = [];
  for (let at = 32_768; at + 24 <= 32_768 + used;) {
    const size = guest.u32(at + 16);
    if (at + 24 + size > 32_768 + used) break;
    entries.push({ name: guest.text(at + 24, size), next: guest.u64(at) });
    at += 24 + size;
  }
  return entries;
}

Deno.test("the guest finds one preopened directory, an empty stdin, and streams that are no terminals", () => {
  const guest = new Guest();
  assert.equal(guest.call("fd_prestat_get", 3, RESULT), "SUCCESS");
  assert.deepEqual([guest.view.getUint8(RESULT), guest.u32(RESULT + 4)], [0, 1]);
  assert.equal(guest.call("fd_prestat_dir_name", 3, RESULT, 1), "SUCCESS");
  assert.equal(guest.text(RESULT, 1), "/");
  guest.fs.mkdir("/d");
  assert.equal(guest.call("fd_prestat_get", guest.open("d", { oflags: 2 }), RESULT), "EBADF");
  assert.equal(guest.read(0), "");
  assert.equal(guest.write(0, "x"), "EBADF");
  assert.equal(guest.call("fd_seek", 1, 0n, 0, RESULT), "ESPIPE");
  for (const fd of [0, 1, 2]) {
    assert.equal(guest.call("fd_fdstat_get", fd, RESULT), "SUCCESS");
    const terminal = guest.view.getUint8(RESULT) === 2 &&
      (Number(guest.u64(RESULT + 8)) & (rights.fdSeek | rights.fdTell)) === 0;
    assert.equal(terminal, false);
  }
});

Deno.test("output goes out as it is written, each stream by its name", () => {
  const guest = new Guest();
  guest.write(1, "one");
  guest.write(2, "two");
  guest.write(1, "é");
  assert.deepEqual(guest.output, [
    { stream: "stdout", text: "one" },
    { stream: "stderr", text: "two" },
    { stream: "stdout", text: "é" },
  ]);
});

Deno.test("a directory can be emptied while it is listed, a little at a time, and no entry is lost or told twice", () => {
  const guest = new Guest();
  guest.fs.mkdir("/d");
  const names = Array.from({ length: 300 }, (_, n) => `entry-${n}-${"x".repeat(n % 40)}`);
  for (const name of names) guest.fs.writeFile(`/d/${name}`, new Uint8Array(0));
  const fd = guest.open("d", { oflags: 2 });
  const seen: string[] = [];
  for (let cookie = 0n;;) {
    const entries = readdir(guest, fd, cookie, 256);
    if (entries.length === 0) break;
    for (const { name, next } of entries) {
      seen.push(name);
      cookie = next;
      if (name.startsWith("entry")) guest.fs.unlink(`/d/${name}`);
    }
  }
  assert.deepEqual(seen, [".", "..", ...names]);
  assert.deepEqual(guest.fs.readdir("/d"), []);
});

Deno.test("a listing can go on from any cookie, and a name that does not fit is cut, not dropped", () => {
  const guest = new Guest();
  for (const name of ["a", "b", "c"]) guest.fs.mkdir(`/${name}`);
  const all = readdir(guest, 3, 0n, 1024);
  assert.deepEqual(all.map(({ name }) => name), [".", "..", "a", "b", "c"]);
  all.forEach(({ next }, index) => {
    assert.deepEqual(readdir(guest, 3, next, 1024), all.slice(index + 1));
  });
  assert.equal(guest.call("fd_readdir", 3, 32_768, 30, 0n, RESULT), "SUCCESS");
  assert.equal(guest.u32(), 30);
  assert.deepEqual(readdir(guest, 3, -1n, 1024), []);
});

Deno.test("reads and writes go by position, or by offset without moving it", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1 });
  guest.write(fd, "hello world");
  assert.equal(guest.call("fd_seek", fd, -5n, 2, RESULT), "SUCCESS");
  assert.equal(guest.u64(), 6n);
  assert.equal(guest.read(fd), "world");
  assert.equal(guest.call("fd_pwrite", fd, ...guest.vector(...guest.path("J", 8192)), 0n, RESULT), "SUCCESS");
  assert.equal(guest.call("fd_pread", fd, ...guest.vector(16_384, 5), 0n, RESULT), "SUCCESS");
  assert.equal(guest.text(16_384, guest.u32()), "Jello");
  assert.equal(guest.call("fd_tell", fd, RESULT), "SUCCESS");
  assert.equal(guest.u64(), 11n);
  assert.equal(guest.call("fd_seek", fd, -12n, 1, RESULT), "EINVAL");
  assert.equal(guest.call("fd_seek", fd, 0n, 3, RESULT), "EINVAL");
  assert.equal(guest.call("fd_pwrite", fd, ...guest.vector(8192, 1), 2n ** 60n, RESULT), "EFBIG");
  assert.equal(guest.call("fd_pwrite", fd, ...guest.vector(8192, 1), -1n, RESULT), "EFBIG");
  assert.equal(guest.call("fd_pread", fd, ...guest.vector(8192, 1), -1n, RESULT), "SUCCESS");
  assert.equal(guest.u32(), 0);
});

Deno.test("sizes can be set, extended and bounded", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1 });
  assert.equal(guest.call("fd_filestat_set_size", fd, 100n), "SUCCESS");
  assert.equal(guest.call("fd_allocate", fd, 50n, 100n), "SUCCESS");
  assert.equal(guest.fs.stat("/f").size, 150);
  assert.equal(guest.call("fd_allocate", fd, 0n, 10n), "SUCCESS");
  assert.equal(guest.fs.stat("/f").size, 150);
  assert.equal(guest.call("fd_allocate", fd, 0n, 2n ** 40n), "ENOSPC");
  assert.equal(guest.call("fd_allocate", fd, -1n, -1n), "EFBIG");
  assert.equal(guest.call("fd_filestat_set_size", fd, -1n), "EFBIG");
  assert.equal(guest.call("fd_filestat_set_size", 3, 0n), "EBADF");
  assert.equal(guest.fs.stat("/f").size, 150);
});

Deno.test("renumbering closes the target; closed numbers are used again, lowest first", () => {
  const guest = new Guest();
  guest.fs.writeFile("/a", new TextEncoder().encode("a"));
  guest.fs.writeFile("/b", new TextEncoder().encode("b"));
  const [a, b] = [guest.open("a"), guest.open("b")];
  guest.fs.unlink("/b");
  assert.equal(guest.call("fd_renumber", a, b), "SUCCESS");
  assert.equal(guest.fs.usage.inodes, 1, "what the target held is freed");
  assert.equal(guest.read(b), "a");
  assert.equal(guest.call("fd_tell", a, RESULT), "EBADF");
  assert.equal(guest.call("fd_renumber", b, 900), "EBADF");
  assert.equal(guest.call("fd_renumber", b, b), "SUCCESS");
  assert.equal(guest.open("a"), a);
});

Deno.test("append follows its flag, and rights can be given up but not got back", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1, fdflags: 1 });
  guest.write(fd, "ab");
  guest.call("fd_seek", fd, 0n, 0, RESULT);
  guest.write(fd, "c");
  assert.equal(guest.call("fd_fdstat_set_flags", fd, 0), "SUCCESS");
  guest.call("fd_seek", fd, 0n, 0, RESULT);
  guest.write(fd, "X");
  assert.equal(new TextDecoder().decode(guest.fs.readFile("/f")), "Xbc");
  assert.equal(guest.call("fd_fdstat_set_flags", fd, 64), "EINVAL");
  assert.equal(guest.call("fd_fdstat_set_rights", fd, BigInt(rights.fdRead), 0n), "SUCCESS");
  assert.equal(guest.write(fd, "x"), "EBADF");
  assert.equal(guest.call("fd_filestat_set_size", fd, 0n), "EINVAL");
  assert.equal(guest.call("fd_fdstat_set_rights", fd, BigInt(rights.fdWrite), 0n), "ENOTCAPABLE");
});

Deno.test("a saved table goes on where it was, over a restored file system", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1 });
  guest.write(fd, "hello world");
  guest.call("fd_seek", fd, 6n, 0, RESULT);
  const gone = guest.open("unlinked", { oflags: 1 });
  guest.write(gone, "still here");
  guest.fs.unlink("/unlinked");
  const [snapshot, saved] = [guest.fs.snapshot(), structuredClone(guest.wasi.descriptors())];
  const { usage } = guest.fs;

  guest.read(fd);
  guest.write(fd, "!");
  guest.call("fd_close", gone);
  const later = guest.open("later", { oflags: 1 });
  assert.equal(later, gone);
  guest.fs.restore(snapshot);
  assert.equal(guest.call("fd_tell", later, RESULT), "ESTALE");
  guest.wasi.restoreDescriptors(saved);

  assert.equal(guest.read(fd), "world");
  guest.call("fd_seek", gone, 0n, 0, RESULT);
  assert.equal(guest.read(gone), "still here");
  assert.deepEqual(guest.fs.usage, usage);
  assert.equal(guest.call("fd_close", gone), "SUCCESS");
  assert.equal(guest.fs.usage.inodes, 1);
});

Deno.test("another instance over the same file system takes over a saved table", () => {
  const guest = new Guest();
  const fd = guest.open("f", { oflags: 1 });
  guest.write(fd, "hello");
  guest.call("fd_close", 0);
  const heir = new Guest({ fs: guest.fs });
  heir.wasi.restoreDescriptors(guest.wasi.descriptors());
  guest.wasi.close();
  heir.write(fd, " heir");
  assert.equal(new TextDecoder().decode(heir.fs.readFile("/f")), "hello heir");
  assert.equal(heir.call("fd_close", 0), "EBADF");
  assert.equal(heir.open("f"), 0);
  assert.throws(() => heir.wasi.restoreDescriptors([{ fd: 1e9, kind: "stream", stream: "stdin", flags: 0 }]));
  assert.equal(heir.read(fd), "");
});

Deno.test("copies of a descriptor share it until the last is closed, also after its table was restored", () => {
  const guest = new Guest();
  guest.fs.writeFile("/f", new TextEncoder().encode("abcdef"));
  const first = guest.open("f");
  assert.equal(guest.posix("fd_dup", first, RESULT), "SUCCESS");
  const second = guest.u32();
  assert.equal(guest.posix("fd_dup2", first, 40), "SUCCESS");
  assert.equal(guest.read(first, 2), "ab");
  guest.fs.unlink("/f");
  const saved = JSON.parse(JSON.stringify(guest.wasi.descriptors()));
  guest.wasi.restoreDescriptors(saved);
  assert.equal(guest.read(40, 2), "cd");
  assert.equal(guest.call("fd_close", first), "SUCCESS");
  assert.equal(guest.call("fd_close", 40), "SUCCESS");
  assert.equal(guest.read(second, 2), "ef");
  assert.ok(guest.fs.usage.bytes > 0);
  assert.equal(guest.call("fd_close", second), "SUCCESS");
  assert.equal(guest.fs.usage.bytes, 0);
  assert.equal(guest.posix("fd_dup", 99, RESULT), "EBADF");
  assert.equal(guest.posix("fd_dup2", 1, 100_000), "EBADF");
});

Deno.test("a pipe gives what was written to it, is ready when a read would not wait, and survives as it is", () => {
  const guest = new Guest();
  assert.equal(guest.posix("fd_pipe", RESULT), "SUCCESS");
  const [from, to] = [guest.u32(), guest.u32(RESULT + 4)];
  assert.equal(guest.write(to, "\u0000é"), "SUCCESS");
  guest.wasi.restoreDescriptors(JSON.parse(JSON.stringify(guest.wasi.descriptors())));
  assert.equal(guest.write(to, "!"), "SUCCESS");
  assert.equal(guest.write(from, "x"), "EBADF");
  assert.equal(guest.read(from, 100), "\u0000é!");
  assert.equal(guest.call("fd_close", to), "SUCCESS");
  assert.equal(guest.read(from, 100), "");
});

Deno.test("the standard streams are back after a program has closed or replaced them", () => {
  const guest = new Guest();
  guest.fs.writeFile("/log", new Uint8Array(0));
  const log = guest.open("log");
  assert.equal(guest.posix("fd_dup2", log, 1), "SUCCESS");
  assert.equal(guest.call("fd_close", 2), "SUCCESS");
  guest.wasi.openStreams();
  guest.write(1, "out");
  guest.write(2, "err");
  assert.deepEqual(guest.output.map(({ stream, text }) => [stream, text]), [["stdout", "out"], [
    "stderr",
    "err",
  ]]);
});

Deno.test("descriptors have names of the guest's own, by which they are opened once more", () => {
  const guest = new Guest({ read: once("typed") });
  guest.fs.mkdir("/dev");
  assert.equal(guest.read(guest.open("dev/stdin")), "typed");
  const out = guest.open("/dev/stdout", { oflags: CREATE_AND_TRUNCATE, rights: WRITE });
  guest.write(out, "told");
  guest.write(guest.open("proc/self/fd/2", { rights: WRITE }), "warned");
  assert.equal(guest.call("fd_close", out), "SUCCESS");
  guest.write(1, "still open");
  assert.deepEqual(guest.output, [
    { stream: "stdout", text: "told" },
    { stream: "stderr", text: "warned" },
    { stream: "stdout", text: "still open" },
  ]);

  const stat = (path: string) => guest.call("path_filestat_get", 3, 1, ...guest.path(path), RESULT);
  assert.equal(stat("dev/./stdin"), "SUCCESS");
  assert.equal(guest.view.getUint8(RESULT + 16), filetype.characterDevice);
  assert.equal(stat("dev/fd/9"), "ENOENT");
  assert.equal(stat("dev/fd/3"), "ENOENT");
  assert.equal(stat("dev/fd/x"), "ENOENT");
  assert.throws(() => guest.open("dev/fd/9"), /ENOENT/);
  assert.throws(() => guest.open("dev/stdin", { rights: WRITE }), /EACCES/);
  assert.throws(() => guest.open("dev/stdout", { rights: BigInt(rights.fdRead) }), /EACCES/);
  assert.throws(() => guest.open("dev/stdout", { oflags: 5 }), /EEXIST/);
  assert.throws(() => guest.open("dev/stdout", { oflags: 2 }), /ENOTDIR/);
  assert.deepEqual(guest.fs.readdir("/dev"), []);
});

Deno.test("a file that is opened by its descriptor begins at its start, and a pipe goes on", () => {
  const guest = new Guest();
  guest.fs.writeFile("/f", new TextEncoder().encode("one two"));
  const fd = guest.open("f");
  assert.equal(guest.read(fd, 4), "one ");
  assert.equal(guest.read(guest.open(`dev/fd/${fd}`, { rights: BigInt(rights.fdRead) })), "one two");
  assert.equal(guest.read(fd), "two");
  guest.fs.unlink("/f");
  assert.equal(guest.read(guest.open(`dev/fd/${fd}`, { rights: BigInt(rights.fdRead) })), "one two");
  const onlyRead = guest.open("dev/fd/4", { rights: BigInt(rights.fdRead) });
  assert.throws(() => guest.open(`dev/fd/${onlyRead}`, { oflags: 8, rights: WRITE }), /EACCES/);

  assert.equal(guest.posix("fd_pipe", RESULT), "SUCCESS");
  const [from, to] = [guest.u32(), guest.u32(RESULT + 4)];
  guest.write(guest.open(`dev/fd/${to}`, { rights: WRITE }), "through");
  assert.equal(guest.read(guest.open(`dev/fd/${from}`, { rights: BigInt(rights.fdRead) })), "through");
});

Deno.test("what was opened by a descriptor's name is so still in a restored table", () => {
  const guest = new Guest({ read: once("later") });
  const fd = guest.open("dev/stdin");
  guest.wasi.restoreDescriptors(JSON.parse(JSON.stringify(guest.wasi.descriptors())));
  assert.equal(guest.read(fd), "later");
});

Deno.test("a guest whose streams are those of several programs has no names for them", () => {
  const guest = new Guest({ sharesStreams: true });
  assert.throws(() => guest.open("dev/stdin"), /ENOENT/);
});
