/** Imports that move bytes: fd_read, fd_write, fd_pread, fd_pwrite, fd_readdir. */

import { type Dirent, FsError } from "../fs/file_system.ts";
import { fdflags, rights } from "./constants.ts";
import type { WasiCall, WasiContext } from "./context.ts";
import type { FileDescriptor, PipeDescriptor } from "./descriptors.ts";
import { WasiError } from "./errors.ts";
import { PIPE_BYTES } from "./pipe.ts";
import { filetypeOf } from "./stat.ts";

/** Pieces in which output is handed over. */
const OUTPUT_PIECE = 64 * 1024;
/** Most output taken by one call; the rest is a short count. */
const OUTPUT_MAX = 1024 * 1024;
const DIRENT_BYTES = 24;

const encoder = new TextEncoder();

export function fdIoImports({ host, memory, descriptors }: WasiContext): Record<string, WasiCall> {
  const require = (descriptor: FileDescriptor, right: number) => {
    if ((descriptor.rights & right) === 0) throw new WasiError("EBADF");
    return descriptor.file;
  };

  const waits = ({ flags }: PipeDescriptor) => (flags & fdflags.nonblock) === 0;
  const readPipe = (descriptor: PipeDescriptor, target: Uint8Array) => {
    const { pipe, end } = descriptor;
    if (end !== "read") throw new WasiError("EBADF");
    return pipe.read(target, descriptors.hasEnd(pipe, "write"), waits(descriptor));
  };
  const writePipe = (descriptor: PipeDescriptor, source: Uint8Array) => {
    const { pipe, end } = descriptor;
    if (end !== "write") throw new WasiError("EBADF");
    return pipe.write(source, descriptors.hasEnd(pipe, "read"), waits(descriptor));
  };

  return {
    fd_read(fd: number, iovs: number, count: number, result: number) {
      const descriptor = descriptors.get(fd);
      memory.check(result, 4);
      const buffers = memory.vector(iovs, count);
      if (descriptor.kind === "stream") {
        if (descriptor.stream !== "stdin") throw new WasiError("EBADF");
        return memory.setU32(result, total(buffers, (buffer) => host.read?.(buffer) ?? 0));
      }
      if (descriptor.kind === "pipe") {
        const target = new Uint8Array(
          Math.min(PIPE_BYTES, buffers.reduce((sum, { length }) => sum + length, 0)),
        );
        const count = readPipe(descriptor, target);
        let at = 0;
        for (const buffer of buffers) {
          buffer.set(target.subarray(at, Math.min(count, at + buffer.length)));
          at += buffer.length;
          if (at >= count) break;
        }
        return memory.setU32(result, count);
      }
      const file = require(descriptor, rights.fdRead);
      memory.setU32(result, total(buffers, (buffer) => file.read(buffer)));
    },

    fd_pread(fd: number, iovs: number, count: number, offset: bigint, result: number) {
      const file = require(descriptors.file(fd, "ESPIPE"), rights.fdRead);
      memory.check(result, 4);
      let position = offsetOf(offset);
      const read = total(memory.vector(iovs, count), (buffer) => {
        const done = file.readAt(buffer, position);
        position += done;
        return done;
      });
      memory.setU32(result, read);
    },

    fd_write(fd: number, iovs: number, count: number, result: number) {
      const descriptor = descriptors.get(fd);
      memory.check(result, 4);
      const buffers = memory.vector(iovs, count);
      if (descriptor.kind === "stream") {
        const { stream } = descriptor;
        if (stream === "stdin") throw new WasiError("EBADF");
        return memory.setU32(result, output(buffers, (piece) => host.write(stream, piece)));
      }
      if (descriptor.kind === "pipe") {
        return memory.setU32(result, written(buffers, (buffer) => writePipe(descriptor, buffer)));
      }
      const file = require(descriptor, rights.fdWrite);
      memory.setU32(result, written(buffers, (buffer) => file.write(buffer)));
    },

    fd_pwrite(fd: number, iovs: number, count: number, offset: bigint, result: number) {
      const file = require(descriptors.file(fd, "ESPIPE"), rights.fdWrite);
      memory.check(result, 4);
      let position = offsetOf(offset);
      const done = written(memory.vector(iovs, count), (buffer) => {
        const length = file.writeAt(buffer, position);
        position += length;
        return length;
      });
      memory.setU32(result, done);
    },

    /** Cookies: 0 is `.`, 1 is `..`, 2 + n the entry whose order is n; so they survive changes of the directory. */
    fd_readdir(fd: number, buffer: number, length: number, cookie: bigint, result: number) {
      const { file } = descriptors.file(fd, "ENOTDIR");
      const directory = file.directory();
      const target = memory.bytes(buffer, length);
      memory.check(result, 4);
      let used = 0;
      const put = (name: string, ino: number, type: Dirent["type"], next: number) => {
        const row = direntBytes(name, ino, filetypeOf(type), next);
        const piece = row.subarray(0, target.length - used);
        target.set(piece, used);
        used += piece.length;
        return used < target.length;
      };
      const first = offsetOf(cookie);
      const parent = directory.links[0]?.directory ?? directory.ino;
      const more = (first > 0 || put(".", directory.ino, "directory", 1)) &&
        (first > 1 || put("..", parent, "directory", 2));
      if (more) {
        file.visitEntries(
          (entry) => put(entry.name, entry.ino, entry.type, entry.order + 3),
          Math.max(0, first - 2),
        );
      }
      memory.setU32(result, used);
    },
  };
}

/** @returns The number of an unsigned 64-bit offset, exact up to 2^53 and beyond every file above that. */
export function offsetOf(offset: bigint): number {
  return Number(BigInt.asUintN(64, offset));
}

/** Sums up reads until one comes back short. */
function total(buffers: readonly Uint8Array[], read: (buffer: Uint8Array) => number): number {
  let sum = 0;
  for (const buffer of buffers) {
    const done = read(buffer);
    sum += done;
    if (done < buffer.length) break;
  }
  return sum;
}

/** Sums up writes; an error after the first is a short count, so that nothing written goes unreported. */
function written(buffers: readonly Uint8Array[], write: (buffer: Uint8Array) => number): number {
  let sum = 0;
  if (buffers.length === 0) write(new Uint8Array(0));
  for (const buffer of buffers) {
    try {
      const done = write(buffer);
      sum += done;
      if (done < buffer.length) break;
    } catch (error) {
      if (sum === 0 || !(error instanceof FsError || error instanceof WasiError)) throw error;
      break;
    }
  }
  return sum;
}

function output(
  buffers: readonly Uint8Array<ArrayBuffer>[],
  write: (piece: Uint8Array<ArrayBuffer>) => void,
): number {
  let sum = 0;
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length && sum < OUTPUT_MAX; at += OUTPUT_PIECE) {
      const piece = buffer.slice(at, at + Math.min(OUTPUT_PIECE, OUTPUT_MAX - sum));
      write(piece);
      sum += piece.length;
    }
  }
  return sum;
}

function direntBytes(name: string, ino: number, type: number, next: number): Uint8Array {
  const text = encoder.encode(name);
  const row = new Uint8Array(DIRENT_BYTES + text.length);
  const view = new DataView(row.buffer);
  view.setBigUint64(0, BigInt(next), true);
  view.setBigUint64(8, BigInt(ino), true);
  view.setUint32(16, text.length, true);
  view.setUint8(20, type);
  row.set(text, DIRENT_BYTES);
  return row;
}
