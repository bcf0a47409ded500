/** Imports without files: arguments, environment, clocks, random bytes, process, sockets (none). */

import { clock } from "./constants.ts";
import type { WasiCall, WasiContext } from "./context.ts";
import { ProcExit, WasiError } from "./errors.ts";

/** Most random bytes in one call. wasi-libc asks for 256 at most. */
const RANDOM_MAX = 1024 * 1024;
/** Most that the platform's random source fills at a time. */
const RANDOM_PIECE = 65_536;
/** What clocks claim to resolve, nanoseconds. */
const RESOLUTION = 1000n;

const encoder = new TextEncoder();

export function systemImports({ host, memory }: WasiContext): Record<string, WasiCall> {
  const args = strings(host.args);
  const env = strings(Object.entries(host.env).map(([name, value]) => `${name}=${value}`));

  return {
    args_get: (pointers: number, buffer: number) => put(args, pointers, buffer),
    args_sizes_get: (count: number, size: number) => putSizes(args, count, size),
    environ_get: (pointers: number, buffer: number) => put(env, pointers, buffer),
    environ_sizes_get: (count: number, size: number) => putSizes(env, count, size),

    clock_res_get(id: number, result: number) {
      now(id);
      memory.setU64(result, RESOLUTION);
    },

    clock_time_get(id: number, _precision: bigint, result: number) {
      memory.setU64(result, BigInt.asUintN(64, now(id)));
    },

    random_get(pointer: number, length: number) {
      const bytes = memory.bytes(pointer, length);
      if (bytes.length > RANDOM_MAX) throw new WasiError("EINVAL");
      for (let at = 0; at < bytes.length; at += RANDOM_PIECE) {
        host.random(bytes.subarray(at, at + RANDOM_PIECE));
      }
    },

    proc_exit(code: number) {
      throw new ProcExit(code >>> 0);
    },

    proc_raise: unsupported,
    sched_yield() {},
    sock_accept: unsupported,
    sock_recv: unsupported,
    sock_send: unsupported,
    sock_shutdown: unsupported,
  };

  /** CPU time is not told apart from time: a guest has one thread and nothing else to do. */
  function now(id: number): bigint {
    if (id === clock.realtime) return host.realtime();
    if (id >>> 0 > clock.threadCpu) throw new WasiError("EINVAL");
    return host.monotonic();
  }

  function put(list: readonly Uint8Array[], pointers: number, buffer: number): void {
    memory.check(pointers, list.length * 4);
    memory.check(buffer, byteLength(list));
    let at = buffer >>> 0;
    list.forEach((item, index) => {
      memory.setU32((pointers >>> 0) + index * 4, at);
      memory.bytes(at, item.length).set(item);
      at += item.length;
    });
  }

  function putSizes(list: readonly Uint8Array[], count: number, size: number): void {
    memory.check(size, 4);
    memory.setU32(count, list.length);
    memory.setU32(size, byteLength(list));
  }
}

function unsupported(): never {
  throw new WasiError("ENOTSUP");
}

/** C strings. */
function strings(list: readonly string[]): Uint8Array[] {
  return list.map((text) => encoder.encode(`${text.replaceAll("\0", "")}\0`));
}

function byteLength(list: readonly Uint8Array[]): number {
  return list.reduce((sum, { length }) => sum + length, 0);
}
