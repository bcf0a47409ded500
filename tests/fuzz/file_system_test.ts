/** The file system against a reference of nested maps: names, contents, links, open files, snapshots, quotas. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { FileSystem, FsError, type OpenFile, type Snapshot } from "../../src/fs/file_system.ts";
import { ReferenceTree, Refused } from "./reference_tree.ts";
import { runs } from "./runs.ts";
import { type Listing, walk } from "./tree.ts";

const QUOTA = { maxBytes: 400_000, maxInodes: 12 };

const path = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom("a", "b", "é"), { minLength: 1, maxLength: 3 }).map((names) =>
      `/${names.join("/")}`
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("/", "/a/", "/a/../b", "/./a", "/a/..", "//b", "/b/./a") },
);
const slot = fc.nat(2);
/** Around the sizes of chunks, and small. */
const position = fc.oneof(fc.nat(20), fc.integer({ min: 65_530, max: 65_545 }), fc.nat(200_000));
const data = fc.uint8Array({ minLength: 0, maxLength: 12 });

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("write" as const), path, data }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("append" as const), path, data }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("truncate" as const), path, size: position }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("mkdir" as const), path }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("rmdir" as const), path }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("unlink" as const), path }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("rm" as const), path }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("link" as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("symlink" as const), path, to: path }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("rename" as const), path, to: path }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("open" as const), slot, path, create: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("fdWrite" as const), slot, at: position, data }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("fdTruncate" as const), slot, size: position }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("close" as const), slot }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("snapshot" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("restore" as const), which: fc.nat(5) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

interface Saved {
  readonly snapshot: Snapshot;
  readonly reference: ReferenceTree;
  readonly listing: Listing;
}

/** Both sides of the comparison, going the same way. */
class Pair {
  readonly fs = new FileSystem(QUOTA);
  readonly #open = new Map<number, OpenFile>();
  readonly #saved: Saved[] = [];
  #reference = new ReferenceTree(QUOTA);

  /** Does it on both sides; they must agree on whether it can be done. */
  apply(operation: Operation): void {
    if (operation.op === "snapshot") return this.#save();
    if (operation.op === "restore") return this.#restore(operation.which);
    const usage = this.fs.usage;
    const refused = outcome(() => this.#refer(operation), Refused);
    const failed = outcome(() => this.#perform(operation), FsError);
    assert.equal(
      failed !== undefined,
      refused !== undefined,
      `${failed ?? "done"}, reference: ${refused ?? "done"}`,
    );
    if (failed !== undefined && operation.op !== "rm") assert.deepEqual(this.fs.usage, usage);
  }

  compare(): void {
    const { listing, bytes, inodes } = walk(this.fs);
    assert.deepEqual(listing, this.#reference.listing());
    const { usage } = this.fs;
    assert.deepEqual(usage, this.#reference.usage());
    assert.ok(usage.bytes >= bytes && usage.inodes >= inodes.size);
    assert.ok(usage.bytes <= QUOTA.maxBytes && usage.inodes <= QUOTA.maxInodes);
    for (const [slot, file] of this.#open) {
      const expected = this.#reference.contents(slot);
      if (expected === undefined) {
        assert.throws(() => file.stat(), (error) => error instanceof FsError && error.code === "ESTALE");
        continue;
      }
      const bytes = new Uint8Array(expected.length + 10);
      assert.equal(file.readAt(bytes, 0), expected.length);
      assert.deepEqual(bytes.subarray(0, expected.length), expected);
    }
  }

  /** Every snapshot is still what it was, and the differences between any two are told. */
  end(): void {
    for (const { snapshot, listing } of this.#saved) {
      this.fs.restore(snapshot);
      assert.deepEqual(walk(this.fs).listing, listing);
    }
    for (const one of this.#saved) for (const other of this.#saved) assertDiff(this.fs, one, other);
    for (const file of this.#open.values()) file.close();
    this.fs.reap();
    const { bytes, inodes } = walk(this.fs);
    assert.deepEqual(this.fs.usage, { bytes, inodes: inodes.size });
  }

  #save(): void {
    this.#saved.push({
      snapshot: this.fs.snapshot(),
      reference: this.#reference.clone(),
      listing: this.#reference.listing(),
    });
  }

  #restore(which: number): void {
    const saved = this.#saved[which % Math.max(1, this.#saved.length)];
    if (!saved) return;
    this.fs.restore(saved.snapshot);
    this.fs.reap();
    this.#reference = saved.reference.clone();
    this.#reference.reopen(this.#open.keys(), (slot) => this.#inos.get(slot)!);
  }

  /** The reference's number for what a slot has open. */
  readonly #inos = new Map<number, number>();

  #perform(operation: Operation): void {
    const { fs } = this;
    switch (operation.op) {
      case "write":
        return fs.writeFile(operation.path, operation.data);
      case "append":
        return fs.appendFile(operation.path, operation.data);
      case "truncate":
        return fs.truncate(operation.path, operation.size);
      case "mkdir":
        return fs.mkdir(operation.path);
      case "rmdir":
        return fs.rmdir(operation.path);
      case "unlink":
        return fs.unlink(operation.path);
      case "rm":
        return fs.rm(operation.path, { recursive: true, force: true });
      case "link":
        return fs.link(operation.path, operation.to);
      case "symlink":
        return fs.symlink(operation.to, operation.path);
      case "rename":
        return fs.rename(operation.path, operation.to);
      case "open": {
        const file = fs.open(operation.path, { write: true, create: operation.create });
        this.#open.get(operation.slot)?.close();
        this.#open.set(operation.slot, file);
        return;
      }
      case "fdWrite":
        return void this.#open.get(operation.slot)?.writeAt(operation.data, operation.at);
      case "fdTruncate":
        return this.#open.get(operation.slot)?.truncate(operation.size);
      case "close":
        this.#open.get(operation.slot)?.close();
        this.#open.delete(operation.slot);
        return;
    }
  }

  #refer(operation: Operation): void {
    const reference = this.#reference;
    switch (operation.op) {
      case "write":
        return reference.write(operation.path, () => 0, operation.data, true);
      case "append":
        return reference.write(operation.path, (size) => size, operation.data, false);
      case "truncate":
        return reference.truncate(operation.path, operation.size);
      case "mkdir":
        return reference.mkdir(operation.path);
      case "rmdir":
        return reference.rmdir(operation.path);
      case "unlink":
        return reference.unlink(operation.path);
      case "rm":
        return reference.rm(operation.path);
      case "link":
        return reference.link(operation.path, operation.to);
      case "symlink":
        return reference.symlink(operation.to, operation.path);
      case "rename":
        return reference.rename(operation.path, operation.to);
      case "open":
        this.#inos.set(operation.slot, reference.open(operation.slot, operation.path, operation.create));
        return;
      case "fdWrite":
        return reference.writeOpen(operation.slot, operation.at, operation.data);
      case "fdTruncate":
        return reference.truncateOpen(operation.slot, operation.size);
      case "close":
        return reference.close(operation.slot);
    }
  }
}

function outcome(work: () => void, refusal: new (...args: never[]) => Error): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof refusal) return error.message;
    throw error;
  }
}

function assertDiff(fs: FileSystem, one: Saved, other: Saved): void {
  const told = new Map(fs.diff(one.snapshot, other.snapshot).map(({ path, change }) => [path, change]));
  for (const path of new Set([...one.listing.keys(), ...other.listing.keys()])) {
    // Which name of a file comes first is the listing's own.
    const [before, after] = [one, other].map(({ listing }) => listing.get(path)?.replace(/, first .*/, ""));
    if (before === undefined) assert.equal(told.get(path), "created", path);
    else if (after === undefined) assert.equal(told.get(path), "deleted", path);
    else if (before !== after) assert.equal(told.get(path), "modified", path);
    else assert.ok([undefined, "modified"].includes(told.get(path)), path); // rewritten as it was
    told.delete(path);
  }
  assert.deepEqual([...told], []);
}

Deno.test("any history leaves the file system as a simple reference of it, and so does any way back", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60, size: "max" }), (operations) => {
      const pair = new Pair();
      for (const operation of operations) {
        pair.apply(operation);
        pair.compare();
      }
      pair.end();
    }),
    runs(500),
  );
});
