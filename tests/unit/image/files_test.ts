import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { type FileSystem, FsError } from "../../../src/fs/file_system.ts";
import { createFileSystem, type LayoutOptions } from "../../../src/fs/layout.ts";
import { decodeEntries, encodeEntries, type ImageEntry, Section } from "../../../src/executor/wire/entry.ts";
import { FilesPart } from "../../../src/image/files_part.ts";
import { ImageError } from "../../../src/executor/wire/image_error.ts";
import { StoredImage } from "./session.ts";

const text = (value: string) => new TextEncoder().encode(value);

function make(options: Partial<LayoutOptions> = {}): FileSystem {
  const usr = { lib: { type: "file", bytes: text("read-only") } } as const;
  return createFileSystem({ maxBytes: 16 << 20, maxInodes: 3000, usr, ...options });
}

/** Files with a part, and the image that its captures make. */
class Captured {
  readonly fs: FileSystem;
  readonly part: FilesPart;
  readonly stored = new StoredImage();

  constructor(options: Partial<LayoutOptions> = {}) {
    this.fs = make(options);
    this.part = new FilesPart(this.fs);
  }

  /** @returns the entries of what changed. */
  capture(): ImageEntry[] {
    const pending = this.part.beginCapture();
    const entries = pending.commit();
    for (const batch of encodeEntries(entries, 60_000)) this.stored.apply(batch);
    equal(pending.imageBytes, this.stored.bytes);
    return entries;
  }

  /** The same image in other files. */
  restored(options: Partial<LayoutOptions> = {}): Captured {
    const other = new Captured(options);
    other.part.restore(this.stored.list());
    other.fs.reap();
    for (const [key, entry] of this.stored.entries) other.stored.entries.set(key, entry);
    return other;
  }
}

/** All that can be seen of a tree. */
function seen(fs: FileSystem): unknown[] {
  const found: unknown[] = [fs.usage];
  const visit = (path: string) => {
    // A version means something within one file system only.
    const { version: _, ...stat } = fs.stat(path, { follow: false });
    const content = stat.type === "file"
      ? [...fs.readFile(path)].join()
      : stat.type === "symlink"
      ? fs.readlink(path)
      : "";
    found.push([path, stat, content]);
    if (stat.type !== "directory") return;
    for (const { name } of fs.readdir(path)) visit(path === "/" ? `/${name}` : `${path}/${name}`);
  };
  visit("/app");
  visit("/tmp");
  return [...found, fs.readdir("/").map(({ name }) => name)];
}

Deno.test("a tree comes back with contents, modes, times, links, order and inode numbers", () => {
  const one = new Captured();
  const { fs } = one;
  fs.mkdir("/app/a/b", { recursive: true, mode: 0o700 });
  fs.writeFile("/app/a/b/file", text("contents"), { mode: 0o600 });
  fs.link("/app/a/b/file", "/tmp/other name ✓");
  fs.symlink("../a/b", "/app/link");
  fs.writeFile("/app/big", new Uint8Array(200_000).map((_, index) => index * 7));
  fs.truncate("/app/big", 150_001);
  fs.writeFile("/app/sparse", text("x"));
  fs.truncate("/app/sparse", 1_000_000);
  fs.writeFile("/app/gone", text("y"));
  fs.setTimes("/app/link", { atime: 1n, mtime: 2n ** 63n }, { follow: false });
  fs.unlink("/app/gone");
  one.capture();
  const two = one.restored();
  deepEqual(seen(two.fs), seen(fs));
  equal(new TextDecoder().decode(two.fs.readFile("/usr/lib")), "read-only");
  throws(() => two.fs.writeFile("/usr/lib", text("!")), FsError);
  two.fs.writeFile("/app/new", text("z"));
  ok(two.fs.stat("/app/new").ino > Math.max(...["big", "sparse"].map((name) => fs.stat(`/app/${name}`).ino)));
  two.fs.truncate("/app/big", 160_000);
  ok(two.fs.readFile("/app/big").subarray(150_001).every((byte) => byte === 0));
});

Deno.test("a capture gives what changed since the one before, and nothing else", () => {
  const one = new Captured();
  one.fs.writeFile("/app/big", new Uint8Array(10 * 65_536).fill(1));
  for (let i = 0; i < 500; i++) one.fs.writeFile(`/app/${i}`, text("small"));
  one.capture();
  deepEqual(one.capture(), []);
  const file = one.fs.open("/app/big", { write: true });
  file.writeAt(new Uint8Array([2]), 3 * 65_536);
  file.close();
  deepEqual(
    one.capture().map(({ section, b }) => [section, b]),
    [[Section.inode, 0], [Section.chunk, 3]],
  );
  one.fs.unlink("/app/7");
  const entries = one.capture();
  ok(entries.length <= 4 && entries.some(({ bytes }) => bytes === null), `${entries.length}`);
  deepEqual(seen(one.restored().fs), seen(one.fs));
});

Deno.test("random operations: what is restored equals what was captured, again and again", () => {
  let state = 4242;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
  const path = () => "/app/" + ["a", "b", "c", "a/x", "b/y", "a/x/z"][below(6)];
  let one = new Captured();
  for (let round = 0; round < 150; round++) {
    for (let i = 0; i < 8; i++) {
      const { fs } = one;
      try {
        [
          () => fs.writeFile(path(), new Uint8Array(below(150_000)).fill(below(256))),
          () => fs.appendFile(path(), new Uint8Array(below(100)).fill(below(256))),
          () => fs.truncate(path(), below(200_000)),
          () => fs.mkdir(path()),
          () => fs.rename(path(), path()),
          () => fs.link(path(), path()),
          () => fs.symlink(path(), path()),
          () => fs.rm(path(), { recursive: below(2) === 0 }),
          () => fs.chmod(path(), below(0o10000) | 0o700),
          () => fs.setTimes(path(), { mtime: BigInt(below(1e9)) }),
        ][below(10)]!();
      } catch (error) {
        if (!(error instanceof FsError)) throw error;
      }
    }
    one.capture();
    if (round % 5 !== 4) continue;
    const two = one.restored();
    deepEqual(seen(two.fs), seen(one.fs), `round ${round}`);
    one = two;
  }
});

Deno.test("a rollback brings the captured files back; without a capture, those of the beginning", () => {
  const one = new Captured();
  const pristine = seen(one.fs);
  one.fs.writeFile("/app/a", text("1"));
  one.part.rollback();
  deepEqual(seen(one.fs), pristine);
  one.fs.writeFile("/app/a", text("1"));
  one.capture();
  const captured = seen(one.fs);
  one.fs.writeFile("/app/a", text("2"));
  one.fs.mkdir("/app/b");
  one.part.rollback();
  deepEqual(seen(one.fs), captured);
  ok(one.capture().every(({ section }) => section === Section.filesState));
  one.fs.writeFile("/app/c", text("3"));
  one.capture();
  deepEqual(seen(one.restored().fs), seen(one.fs));
});

Deno.test("a capture that is left changes nothing", () => {
  const one = new Captured();
  one.fs.writeFile("/app/a", text("1"));
  one.capture();
  one.fs.writeFile("/app/a", text("22"));
  one.part.beginCapture();
  one.part.rollback();
  equal(new TextDecoder().decode(one.fs.readFile("/app/a")), "1");
});

Deno.test("an unlinked file is there for whoever had it open, charged, until it is reaped", () => {
  const one = new Captured();
  const file = one.fs.open("/app/ghost", { write: true, create: true });
  file.write(new Uint8Array(100_000).fill(7));
  one.fs.unlink("/app/ghost");
  one.capture();
  const fs = make();
  new FilesPart(fs).restore(one.stored.list());
  const again = fs.openInode(file.ino, { read: true, write: true, append: false });
  fs.reap();
  equal(fs.usage.bytes, one.fs.usage.bytes);
  const bytes = new Uint8Array(1);
  again.readAt(bytes, 99_999);
  equal(bytes[0], 7);
  again.close();
  equal(fs.usage.bytes, one.fs.usage.bytes - 100_000);
});

Deno.test("a tree that exceeds the quota of where it is restored is refused", () => {
  const one = new Captured();
  one.fs.writeFile("/app/a", new Uint8Array(100_000));
  one.fs.writeFile("/app/b", new Uint8Array(1));
  one.capture();
  const { bytes, inodes } = one.fs.usage;
  deepEqual(seen(one.restored({ maxBytes: bytes, maxInodes: inodes }).fs), seen(one.fs));
  throws(() => one.restored({ maxBytes: bytes - 1 }), ImageError);
  throws(() => one.restored({ maxInodes: inodes - 1 }), ImageError);
});

/** A small image whose entries can be replaced. Inodes: 1 the root, 2 /app, 3 /tmp, 4 a file, 5 a directory, 6 in it. */
function sample(): Captured {
  const one = new Captured();
  one.fs.writeFile("/app/file", text("12345"));
  one.fs.mkdir("/app/dir");
  one.fs.symlink("target", "/app/dir/link");
  one.capture();
  return one;
}

type Json = Record<string, unknown>;

/** @param change Gets an inode's record. @returns false to leave the inode out. */
function tampered(ino: number, change: (record: Json) => unknown): ImageEntry[] {
  return sample().stored.list().flatMap((entry) => {
    if (entry.section !== Section.inode || entry.a !== ino) return [entry];
    const record = JSON.parse(new TextDecoder().decode(entry.bytes!));
    if (change(record) === false) return [];
    return [{ ...entry, bytes: text(JSON.stringify(record)) }];
  });
}

const attacks: Record<string, () => ImageEntry[]> = {
  "no root": () => tampered(1, () => false),
  "a root with a name": () => tampered(1, (record) => record["links"] = [[2, "root", 99]]),
  "a root that is a file": () => tampered(1, (record) => Object.assign(record, { type: "file", size: 0 })),
  "no parent": () => tampered(6, () => false),
  "a directory in itself": () => tampered(6, (record) => record["links"] = [[6, "self", 1]]),
  "two directories in each other": () => tampered(2, (record) => record["links"] = [[6, "up", 7]]),
  "a directory with two names": () => tampered(6, (record) => record["links"] = [[2, "a", 50], [2, "b", 51]]),
  "a file in a file": () => tampered(7, (record) => record["links"] = [[5, "x", 0]]),
  "a file in a layer": () => tampered(7, (record) => record["links"] = [[2 ** 48, "x", 0]]),
  "the place of a mount point": () => tampered(7, (record) => record["links"] = [[1, "x", 0]]),
  "the name of a mount point": () => tampered(7, (record) => record["links"] = [[1, "usr", 77]]),
  "one name twice": () => tampered(7, (record) => record["links"] = [[2, "file", 77]]),
  "one place twice": () => tampered(7, (record) => record["links"] = [[6, "a", 3], [6, "b", 3]]),
  "an empty name": () => tampered(7, (record) => record["links"] = [[6, "", 3]]),
  "the name ..": () => tampered(7, (record) => record["links"] = [[6, "..", 3]]),
  "a slash in a name": () => tampered(7, (record) => record["links"] = [[6, "a/b", 3]]),
  "NUL in a name": () => tampered(7, (record) => record["links"] = [[6, "a\0b", 3]]),
  "half a character in a name": () => tampered(7, (record) => record["links"] = [[6, "a\ud800", 3]]),
  "a long name": () => tampered(7, (record) => record["links"] = [[6, "é".repeat(128), 3]]),
  "too many names": () =>
    tampered(7, (record) => record["links"] = Array.from({ length: 1001 }, (_, i) => [6, `${i}`, i])),
  "a negative order": () => tampered(7, (record) => record["links"] = [[6, "a", -1]]),
  "a huge order": () => tampered(7, (record) => record["links"] = [[6, "a", 2 ** 53 - 1]]),
  "a huge file": () => tampered(5, (record) => record["size"] = 2 ** 43),
  "an impossible file": () => tampered(5, (record) => record["size"] = 2 ** 52),
  "a negative size": () => tampered(5, (record) => record["size"] = -1),
  "a size that is no integer": () => tampered(5, (record) => record["size"] = 1.5),
  "a chunk beyond the end": () => tampered(5, (record) => record["size"] = 0),
  "a device": () => tampered(5, (record) => record["type"] = "device"),
  "an empty target": () => tampered(7, (record) => record["target"] = ""),
  "a long target": () => tampered(7, (record) => record["target"] = "x".repeat(5000)),
  "a mode with more bits": () => tampered(5, (record) => record["mode"] = 0o10000),
  "a negative time": () => tampered(5, (record) => record["mtime"] = "-1"),
  "a time of a thousand digits": () => tampered(5, (record) => record["mtime"] = "9".repeat(1000)),
  "a field that is missing": () =>
    tampered(5, (record) => {
      delete record["ctime"];
    }),
  "a path of 200 directories": () => [
    ...sample().stored.list().filter(({ section }) => section !== Section.filesState),
    { section: Section.filesState, a: 0, b: 0, bytes: text("1000") },
    ...Array.from({ length: 200 }, (_, index) => ({
      section: Section.inode,
      a: 100 + index,
      b: 0,
      bytes: text(JSON.stringify({
        type: "directory",
        nextOrder: 1,
        mode: 0,
        atime: "0",
        mtime: "0",
        ctime: "0",
        links: [[index === 0 ? 6 : 99 + index, "d", index === 0 ? 9 : 0]],
      })),
    })),
  ],
  "no state": () => sample().stored.list().filter(({ section }) => section !== Section.filesState),
  "a state that is no number": () => [
    ...sample().stored.list(),
    { section: Section.filesState, a: 0, b: 0, bytes: text("1e9") },
  ],
  "an inode number that comes later": () => [
    ...sample().stored.list(),
    { section: Section.filesState, a: 0, b: 0, bytes: text("3") },
  ],
  "a chunk of no file": () => [
    ...sample().stored.list(),
    { section: Section.chunk, a: 77, b: 0, bytes: text("x") },
  ],
  "an inode whose first piece is missing": () =>
    sample().stored.list().map((entry) =>
      entry.section === Section.inode && entry.a === 5 ? { ...entry, b: 1 } : entry
    ),
  "an inode that is not JSON": () =>
    sample().stored.list().map((entry) =>
      entry.section === Section.inode && entry.a === 5 ? { ...entry, bytes: text("{") } : entry
    ),
};

for (const [name, entries] of Object.entries(attacks)) {
  Deno.test(`an image of files is refused that has ${name}`, () => {
    const fs = make();
    const before = seen(fs);
    throws(() => new FilesPart(fs).restore(entries()), ImageError);
    deepEqual(seen(fs), before);
  });
}

Deno.test("the image that the attacks tamper with is a good one", () => {
  const fs = make();
  new FilesPart(fs).restore(sample().stored.list());
  equal(fs.readlink("/app/dir/link"), "target");
  equal(decodeEntries(sample().stored.encode()).length, sample().stored.list().length);
});
