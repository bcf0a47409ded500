import assert from "node:assert/strict";
import { FsError, type FsErrorCode } from "../../../src/fs/errors.ts";
import { FileSystem, type FileSystemOptions } from "../../../src/fs/file_system.ts";

export const text = (value: string) => new TextEncoder().encode(value);
export const string = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

export function makeFileSystem(options: Partial<FileSystemOptions> = {}): FileSystem {
  return new FileSystem({ maxBytes: 16 * 1024 * 1024, maxInodes: 10_000, ...options });
}

/** Asserts that `call` fails with `code` and that the file system charges what it did before. */
export function assertFails(fs: FileSystem, code: FsErrorCode, call: () => unknown): void {
  const before = fs.usage;
  assert.throws(call, (error) => error instanceof FsError && error.code === code, `not ${code}`);
  assert.deepEqual(fs.usage, before);
}

/** Small and repeatable; good enough to choose operations. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}
