/**
 * Makes a program of the shell out of the session that an interpreter begins with. Evaluated inside QuickJS: it uses
 * nothing but its parameters and what the runtime gives to every program.
 *
 * @param file Its path; null if it is none. @param tests Whether somebody else makes the report of its tests.
 */
export function installProcess(argv, env, file, tests) {
  const internals = globalThis[Symbol.for("wasmbox.modules")];
  internals.startProcess({ argv, env });
  if (tests) {
    internals.reportTo((totals) => internals.modules["wasmbox:host"].hostCall("process.tests", totals));
  }
  if (file !== null) internals.surround(file, true);
}
