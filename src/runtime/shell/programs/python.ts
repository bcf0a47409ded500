/** `python3`: CPython on files, `-c`, `-m` and standard input. */

import { FsError } from "../../../fs/errors.ts";
import type { Steps } from "../../steps.ts";
import { isStandardInput, pathOf, readProgramBytes } from "./files.ts";
import { type Part, processInSteps, PROGRAM_MAX_BYTES } from "./process.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { pip } from "./pip.ts";
import { parseArguments, type PythonArguments } from "./python_arguments.ts";
import { sourceOf } from "./python_source.ts";
import { StandardInput } from "./standard_input.ts";
import { makeVenv } from "./venv.ts";

const TELL_VERSION = 'import sys; print("Python", sys.version.split()[0])';
/** Functions of atexit are called, and files written that nobody has closed. */
const AT_EXIT: Part = { code: '__import__("_wasmbox_ending").end_process()\npass\n', filename: "<shell>" };
/** The library's modules are bytecode: a program's usage has the name of the source. */
const RUN_SOURCE = '__import__("_wasmbox_options").runner()';
/** Of what runs the program: tracebacks don't show it. */
const GLUE_FILE = "/usr/lib/python3.13/_wasmbox_options.py";
/** How `-m` runs a module: what interpreter it needs is read from this, too (`runtime/python/science.ts`). */
export const runsModule = (name: string) => `${RUN_SOURCE}._run_module_as_main(${JSON.stringify(name)})`;
const RUN_APPLICATION = `${RUN_SOURCE}._run_module_as_main("__main__", alter_argv=False)`;
/** Modules that are run by `-m`, and are not there: what does the same here. */
const INSTEAD: Readonly<Record<string, string>> = {
  ensurepip: "pip is there",
};

/** Modules that make virtual environments. */
const VENV = new Set(["venv", "virtualenv"]);

export function* python(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const given = parseArguments(request.args);
  const program = given.tellsVersion ? parseArguments(["-c", TELL_VERSION]) : given;
  const { from, argv } = program;
  if (from && "option" in from && from.option === "-m" && from.text === "pip") {
    return pip(surroundings, { ...request, args: argv.slice(1) });
  }
  if (from && "option" in from && from.option === "-m" && VENV.has(from.text)) {
    return makeVenv(surroundings, { ...request, args: argv.slice(1) });
  }
  if (from && "option" in from && from.option === "-m" && Object.hasOwn(INSTEAD, from.text)) {
    throw new ProgramError(`no module ${from.text}: ${INSTEAD[from.text]}`);
  }
  const { parts, stdin } = yield* load(surroundings, program, request);
  return yield* processInSteps(surroundings, request, { language: "python", parts, last: AT_EXIT, stdin });
}

function* load(
  surroundings: Surroundings,
  program: PythonArguments,
  request: SpawnRequest,
): Steps<{ parts: Part[]; stdin: StandardInput }> {
  const { from } = program;
  const input = request.stdin;
  if (from === undefined || "file" in from && isStandardInput(from.file)) {
    const shown = from === undefined ? "<stdin>" : from.file;
    return {
      parts: [setUp(program, request), programOf(yield* input.allInSteps(), shown)],
      stdin: new StandardInput(),
    };
  }
  if ("file" in from) {
    const path = pathOf(request, from.file);
    if (isApplication(surroundings, path)) {
      const parts = [setUp(program, request, `${path}/__main__.py`), asFile(RUN_APPLICATION, GLUE_FILE)];
      return { parts, stdin: input };
    }
    const bytes = read(surroundings, path);
    const code = program.skipsFirstLine ? withoutFirstLine(bytes) : bytes;
    return { parts: [setUp(program, request, path), programOf(code, path)], stdin: input };
  }
  const part = from.option === "-c"
    ? asFile(from.text, "<string>")
    : asFile(runsModule(from.text), GLUE_FILE);
  return { parts: [setUp(program, request), part], stdin: input };
}

/** A directory, or a zip, that has a `__main__.py`. */
function isApplication({ host: { fs } }: Surroundings, path: string): boolean {
  try {
    const { type, size } = fs.stat(path);
    if (type === "directory") return true;
    return size <= PROGRAM_MAX_BYTES && hasZip(fs.readFile(path));
  } catch {
    // Reading it will say what is the matter.
    return false;
  }
}

/** A line that names an interpreter may come before it. */
function hasZip(bytes: Uint8Array): boolean {
  const start = bytes[0] === 0x23 ? bytes.indexOf(0x0a) + 1 : 0;
  return [0x50, 0x4b, 3, 4].every((byte, at) => bytes[start + at] === byte);
}

function read(surroundings: Surroundings, path: string): Uint8Array {
  try {
    return readProgramBytes(surroundings, path);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    const reason = error.code === "ENOENT" ? "[Errno 2] No such file or directory" : error.message;
    throw new ProgramError(`can't open file '${path}': ${reason}`, 2);
  }
}

/** Its end stays, so that lines keep their numbers. */
function withoutFirstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0x0a);
  return end < 0 ? new Uint8Array(0) : bytes.subarray(end);
}

/** CPython itself reads what is not in UTF-8, by what the program says of its encoding. */
function programOf(bytes: Uint8Array, filename: string): Part {
  const { text, quoted } = sourceOf(bytes);
  if (text !== undefined) return asFile(text, filename);
  const code = `__import__("_wasmbox_options").run_source(${quoted}, ${JSON.stringify(filename)})`;
  return asFile(code, GLUE_FILE);
}

/** A program's last expression is no result: a statement after it makes it a statement too. */
function asFile(code: string, filename: string): Part {
  return { code: `${code}\n\npass\n`, filename };
}

/** What differs from a session: options, arguments, directory, where modules are looked for. */
function setUp({ argv, options }: PythonArguments, { cwd, pid, ppid }: SpawnRequest, file?: string): Part {
  const directory = file === undefined ? "" : file.slice(0, file.lastIndexOf("/")) || "/";
  const code = `
(lambda sys, os: (
    setattr(sys, "argv", ${JSON.stringify(argv)}),
    os.path.isdir(${JSON.stringify(cwd)}) and os.chdir(${JSON.stringify(cwd)}),
    __import__("_wasmbox_options").apply(${
    JSON.stringify(JSON.stringify({ ...options, directory, pid, ppid }))
  }),
))(__import__("sys"), __import__("os"))
${file === undefined ? "" : `__file__ = ${JSON.stringify(file)}`}
pass
`;
  return { code, filename: "<shell>" };
}
