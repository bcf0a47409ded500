/** Random guests: sequences of imports whose state lasts, on one small memory and file system. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { FileSystem, type Snapshot } from "../../src/fs/file_system.ts";
import { errno } from "../../src/wasi/constants.ts";
import type { SavedDescriptor } from "../../src/wasi/wasi.ts";
import { Guest, RESULT } from "../unit/wasi/guest.ts";
import { runs } from "./runs.ts";
import { walk } from "./tree.ts";

const QUOTA = { maxBytes: 300_000, maxInodes: 15 };
const KNOWN = new Set<number>(Object.values(errno));

type Argument = number | bigint;
/** An import, and what is put into memory before it is called. */
interface Call {
  readonly name: string;
  readonly args:
    readonly (Argument | { readonly path: string } | { readonly vector: readonly [number, number] })[];
}

const fd = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 9 }) }, {
  weight: 1,
  arbitrary: fc.constantFrom(-1, 1023, 1024, 2 ** 31 - 1),
});
const path = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("a", "b", "d", "d/a", "d/d", "a/b", "s").map((path) => ({ path })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "/",
      ".",
      "..",
      "d/..",
      "/a",
      "d/",
      "../../a",
      "a\0",
      "x".repeat(300),
      "d//./a",
      "\u{1f600}",
    ).map((path) => ({ path })),
  },
);
const pointer = fc.oneof({ weight: 6, arbitrary: fc.constant(RESULT) }, {
  weight: 1,
  arbitrary: fc.constantFrom(0, 1, 65_535, 262_140, 262_144, -1, -4, 2 ** 31 - 1),
});
const vector = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constantFrom(8192, 100_000),
      fc.oneof(fc.nat(50), fc.integer({ min: 60_000, max: 150_000 })),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(-1, 262_143), fc.constantFrom(0, 2, -1)) },
).map((vector) => ({ vector }));
const offset = fc.oneof(
  { weight: 6, arbitrary: fc.nat(200_000).map(BigInt) },
  { weight: 1, arbitrary: fc.constantFrom(-1n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n)) },
);
const rights = fc.oneof({ weight: 5, arbitrary: fc.constant(-1n) }, {
  weight: 1,
  arbitrary: fc.bigInt({ min: 0n, max: 2n ** 30n }),
});
const bits = (count: number) =>
  fc.oneof({ weight: 9, arbitrary: fc.nat(2 ** count - 1) }, {
    weight: 1,
    arbitrary: fc.constantFrom(-1, 255, 2 ** 20),
  });

const call = (name: string, ...args: fc.Arbitrary<Call["args"][number]>[]): fc.Arbitrary<Call> =>
  fc.tuple(...args).map((args) => ({ name, args }));
const calls = fc.oneof(
  { weight: 5, arbitrary: call("path_open", fd, bits(1), path, bits(4), rights, rights, bits(5), pointer) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      call("fd_write", fd, vector, pointer),
      call("fd_pwrite", fd, vector, offset, pointer),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(call("fd_read", fd, vector, pointer), call("fd_pread", fd, vector, offset, pointer)),
  },
  { weight: 2, arbitrary: call("fd_seek", fd, offset, fc.integer({ min: -1, max: 3 }), pointer) },
  { weight: 2, arbitrary: call("fd_close", fd) },
  { weight: 2, arbitrary: call("fd_renumber", fd, fd) },
  {
    weight: 3,
    arbitrary: fc.oneof(
      call("fd_filestat_set_size", fd, offset),
      call("fd_allocate", fd, offset, offset),
      call("fd_fdstat_set_flags", fd, bits(5)),
      call("fd_fdstat_set_rights", fd, rights, rights),
      call("fd_filestat_set_times", fd, offset, offset, bits(4)),
      call("fd_readdir", fd, pointer, fc.constantFrom(0, 10, 100, 4096), offset, pointer),
      call("fd_filestat_get", fd, pointer),
      call("fd_fdstat_get", fd, pointer),
      call("fd_tell", fd, pointer),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.oneof(
      call("path_create_directory", fd, path),
      call("path_remove_directory", fd, path),
      call("path_unlink_file", fd, path),
      call("path_symlink", path, fd, path),
      call("path_readlink", fd, path, pointer, fc.constantFrom(0, 3, 4096), pointer),
      call("path_link", fd, bits(1), path, fd, path),
      call("path_rename", fd, path, fd, path),
      call("path_filestat_get", fd, bits(1), path, pointer),
      call("path_filestat_set_times", fd, bits(1), path, offset, offset, bits(4)),
    ),
  },
  { weight: 1, arbitrary: call("random_get", pointer, fc.constantFrom(0, 1, 70_000, -1)) },
  { weight: 1, arbitrary: call("poll_oneoff", pointer, pointer, fc.constantFrom(0, 1, 3, -1), pointer) },
);
const step = fc.oneof(
  { weight: 30, arbitrary: calls },
  { weight: 1, arbitrary: fc.constantFrom("save" as const, "go back" as const) },
);

function perform(guest: Guest, { name, args }: Call): void {
  const flat: Argument[] = [];
  let at = 4096;
  for (const arg of args) {
    if (typeof arg !== "object") flat.push(arg);
    else if ("path" in arg) {
      flat.push(...guest.path(arg.path, at));
      at += 512;
    } else flat.push(...guest.vector(...arg.vector));
  }
  const code = (guest.wasi.imports[name] as (...args: Argument[]) => number)(...flat);
  assert.ok(KNOWN.has(code), `${name}(${flat}) gave ${code}`);
}

function assertSound(guest: Guest): void {
  const { usage } = guest.fs;
  const { bytes, inodes } = walk(guest.fs);
  assert.ok(usage.bytes <= QUOTA.maxBytes && usage.inodes <= QUOTA.maxInodes, JSON.stringify(usage));
  assert.ok(usage.bytes >= bytes && usage.inodes >= inodes.size);
  const fds = guest.wasi.descriptors().map(({ fd }) => fd);
  assert.equal(new Set(fds).size, fds.length);
}

Deno.test("whatever a guest calls in whatever order, quotas and tree are sound, and it can be put back", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: "max" }), (steps) => {
      const guest = new Guest({ fs: new FileSystem(QUOTA) });
      let saved: { snapshot: Snapshot; descriptors: SavedDescriptor[]; listing: unknown } | undefined;
      for (const step of steps) {
        if (step === "save") {
          const descriptors = structuredClone(guest.wasi.descriptors());
          saved = { snapshot: guest.fs.snapshot(), descriptors, listing: walk(guest.fs).listing };
        } else if (step === "go back") {
          if (!saved) continue;
          guest.fs.restore(saved.snapshot);
          guest.wasi.restoreDescriptors(saved.descriptors);
          assert.deepEqual(guest.wasi.descriptors(), saved.descriptors);
          assert.deepEqual(walk(guest.fs).listing, saved.listing);
        } else perform(guest, step);
        assertSound(guest);
      }
      guest.wasi.close();
      const { bytes, inodes } = walk(guest.fs);
      assert.deepEqual(guest.fs.usage, { bytes, inodes: inodes.size });
    }),
    runs(400),
  );
});
