/**
 * Makes a program of the shell out of the session that an interpreter begins with. Evaluated inside QuickJS: it uses
 * nothing but its parameters and what the runtime gives to every program.
 *
 * @param pids Its number and its parent's, `pid` and `ppid`. @param envFiles Files with what the environment has not. @param file Its path; null if it is none. @param tests How its tests
 * are to be run. @param reports Whether somebody else makes the report of them.
 */
export function installProcess(argv, env, pids, envFiles, file, tests, reports) {
  const internals = globalThis.__wasmboxModules;
  internals.startProcess({ argv, env, ...pids });
  for (const path of envFiles) internals.modules.process.loadEnvFile(path);
  const report = (totals) => internals.modules["wasmbox:host"].hostCall("process.tests", totals);
  internals.testBy(tests, reports ? report : undefined);
  if (file !== null) internals.surround(file, true);
}
