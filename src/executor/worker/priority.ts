/** Which threads come first where there are fewer processors than threads that compute (Linux). */

const LIBRARY = "libc.so.6";

const SYMBOLS = {
  setpriority: { parameters: ["i32", "u32", "i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** Of a thread, as Linux has it, in spite of its name. */
const PRIO_PROCESS = 0;
const THIS_THREAD = 0;
/** A third of the processor time of what has 0. */
const NICE = 5;

/**
 * Lets the threads that serve go before this one, which runs guests: among hundreds that compute those would else have their
 * turn so seldom that the process does not answer, and stops and calls of others would wait. To be called while the thread
 * may (`--allow-ffi`); where it may not, all are equal.
 */
export function giveWay(): void {
  if (Deno.build.os !== "linux") return;
  try {
    Deno.dlopen(LIBRARY, SYMBOLS).symbols.setpriority(PRIO_PROCESS, THIS_THREAD, NICE);
  } catch {
    // Another C library, or it is not allowed.
  }
}
