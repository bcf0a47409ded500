/**
 * How deep guests may call themselves: V8's stack, which each call of WebAssembly takes some of, beside what it takes of
 * the guest's own, in its memory.
 */

/** The first V8 whose Deno gives Workers 4 MiB, whatever RUST_MIN_STACK says. */
const FIXED_FROM = 15;
const FIXED_KIB = 3600;
/** What a process's main thread has room for, too: 8 MiB, by what Linux and macOS allow at first. */
const CHOSEN_KIB = 7200;

/**
 * What V8 is told to use of a thread's stack.
 *
 * @param v8 Its version, `14.5.201.2`.
 * @returns Kibibytes.
 */
export function hostStackKib(v8: string): number {
  return parseInt(v8) < FIXED_FROM ? CHOSEN_KIB : FIXED_KIB;
}

let kib = hostStackKib(Deno.version.v8);

/** What V8 may use of the stack of threads that run guests here, in kibibytes. */
export function hostStack(): number {
  return kib;
}

/** For programs whose threads have less than those of executors, as `deno test`'s: to be called before any guest is there. */
export function limitHostStack(to: number): void {
  kib = Math.min(kib, to);
}
