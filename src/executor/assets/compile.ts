/** Compiling modules for all Workers of an executor. */

/**
 * V8 before 15 checks and compiles functions when they are first called (`v8Flags` in `executor/server/spawn.ts`), after
 * which there is little to do; where it is asked to do that in the background it does it here all the same, and takes
 * two and a half times as long. Later ones check all functions at once, in threads of their own.
 */
const IS_SOON_DONE = parseInt(Deno.version.v8) < 15;

/** @throws {WebAssembly.CompileError} */
export async function compileModule(code: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  return IS_SOON_DONE ? new WebAssembly.Module(code) : await WebAssembly.compile(code);
}
