/** Programs that are files: which interpreter they are for, and what to do about those that are not there. */

import { type FileSystem, FsError } from "../../../fs/file_system.ts";
import { textOf } from "../bytes.ts";

/** Most of a first line that is looked at. */
const LINE_BYTES = 256;
const SHELLS = new Set(["bash", "sh", "dash", "ash"]);

/**
 * The command by which an executable file is run, as its first line says: `#!/usr/bin/env python3`, `#!/usr/bin/node`.
 *
 * @returns Name and arguments, to be followed by the file's path; undefined for scripts of bash.
 */
export function programOf(fs: FileSystem, path: string): readonly [string, ...string[]] | undefined {
  const line = /^#![ \t]*([^\r\n]*)/.exec(beginning(fs, path))?.[1];
  let words = line?.split(/[ \t]+/).filter((word) => word !== "") ?? [];
  if (words[0]?.endsWith("/env")) words = words.slice(1).filter((word) => word !== "-S");
  const [program, ...args] = words;
  const name = program?.slice(program.lastIndexOf("/") + 1);
  if (name === undefined || SHELLS.has(name)) return undefined;
  // Whatever version it was made with: there is one.
  return [name.replace(/^python3?(\.\d+)?$/, "python3"), ...args];
}

function beginning(fs: FileSystem, path: string): string {
  try {
    return textOf(fs.readFile(path).subarray(0, LINE_BYTES));
  } catch (error) {
    if (error instanceof FsError) return "";
    throw error;
  }
}

/** Commands of Python's index that run here once they are installed. */
const INSTALLABLE = new Set(
  ("autopep8 bandit black cookiecutter coverage flake8 isort mypy pydocstyle pyflakes pycodestyle " +
    "pylint radon sqlfluff vulture yamllint yapf").split(" "),
);
const NATIVE: Readonly<Record<string, string>> = {
  poetry: "pip install NAME installs packages",
  pyright: "it needs Node. pip install mypy checks types",
  ruff: "it is native code. pip install flake8, or black, does its work in Python",
  uv: "it is native code. pip install NAME installs packages",
  uvx: "it is native code. pip install NAME installs packages",
};

/** What to say of a command that is not there. */
export function adviceOnCommand(name: string): string | undefined {
  if (INSTALLABLE.has(name)) return `pip install ${name} gets it`;
  return Object.hasOwn(NATIVE, name) ? NATIVE[name] : undefined;
}
