/**
 * `python3 -m venv` and `virtualenv`: directories that look like virtual environments. A session is one environment, so
 * that their interpreter is the session's, and what their pip installs is there for all of it.
 */

import type { FileSystem } from "../../../fs/file_system.ts";
import { quoted } from "../quoted.ts";
import { pathOf } from "./files.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";

const TOLD =
  "note: the session is one environment: packages that are installed in this one are there for all of it\n";
/** Options that take a value of their own. */
const WITH_VALUE = new Set(["--prompt", "-p", "--python", "--seeder"]);
const PROGRAMS: Readonly<Record<string, string>> = {
  python: "python3",
  python3: "python3",
  pip: "pip",
  pip3: "pip",
  pytest: "pytest",
};
const EXECUTABLE = 0o755;

/** Makes the directories that are named. @param fallback What is made if none is. */
export function makeVenv(
  { host: { fs } }: Surroundings,
  request: SpawnRequest,
  fallback?: string,
): ProgramOutput {
  const named = request.args.filter((arg, at, all) =>
    !arg.startsWith("-") && !WITH_VALUE.has(all[at - 1] ?? "")
  );
  const directories = named.length > 0 || fallback === undefined ? named : [fallback];
  if (directories.length === 0) throw new ProgramError("which directory?", 2);
  for (const directory of directories) make(fs, pathOf(request, directory));
  return { stderr: TOLD };
}

export function virtualenv(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  return makeVenv(surroundings, request);
}

function make(fs: FileSystem, root: string): void {
  fs.mkdir(`${root}/bin`, { recursive: true });
  const put = (name: string, text: string, mode?: number) => {
    const path = `${root}/${name}`;
    fs.writeFile(path, new TextEncoder().encode(text));
    if (mode !== undefined) fs.chmod(path, mode);
  };
  put("pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.13\n");
  for (const [name, program] of Object.entries(PROGRAMS)) {
    put(`bin/${name}`, `#!/bin/bash\nexec /usr/bin/${program} "$@"\n`, EXECUTABLE);
  }
  put("bin/activate", activation(root));
}

/** For `source`: what scripts look at, and the way back. */
function activation(root: string): string {
  return `VIRTUAL_ENV=${quoted(root)}
_OLD_VIRTUAL_PATH="$PATH"
PATH="$VIRTUAL_ENV/bin:$PATH"
export VIRTUAL_ENV PATH
deactivate () {
    PATH="$_OLD_VIRTUAL_PATH"
    export PATH
    unset VIRTUAL_ENV _OLD_VIRTUAL_PATH
    unset -f deactivate
}
`;
}
