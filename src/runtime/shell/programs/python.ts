/** `python3`: CPython on files, `-c`, `-m` and standard input. */

import { FsError } from "../../../fs/errors.ts";
import { pathOf, readProgram, textOf } from "./files.ts";
import { type Part, runProcess } from "./process.ts";
import { ProgramError, type ProgramOutput, type SpawnRequest, type Surroundings } from "./mod.ts";
import { pip } from "./pip.ts";
import { StandardInput } from "./standard_input.ts";

const TELL_VERSION = 'import sys; print("Python", sys.version.split()[0])';
/** Functions of atexit are called, and files written that nobody has closed. */
const AT_EXIT: Part = { code: '__import__("_wasmbox_ending").end_process()\npass\n', filename: "<shell>" };
/** Modules that are run by `-m`, and are not there: what does the same here. */
const INSTEAD: Readonly<Record<string, string>> = {
  ensurepip: "pip is there",
  venv: "the session is an environment of its own: pip install puts packages into it",
  virtualenv: "the session is an environment of its own: pip install puts packages into it",
};
/** Options that are accepted and change nothing here, and those that take a value. */
const IGNORED = /^-[bBdEiIOPqRsSuvx]+$/;
const IGNORED_WITH_VALUE = /^-[WX]/;

interface Program {
  /** Undefined: standard input. */
  readonly from:
    | { readonly option: "-c" | "-m"; readonly text: string }
    | { readonly file: string }
    | undefined;
  readonly argv: string[];
}

export function python(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const { args } = request;
  const isAboutVersion = args[0] === "--version" || args[0] === "-V";
  const program = parse(isAboutVersion ? ["-c", TELL_VERSION] : args);
  const { from, argv } = program;
  if (from && "option" in from && from.option === "-m" && from.text === "pip") {
    return pip(surroundings, { ...request, args: argv.slice(1) });
  }
  if (from && "option" in from && from.option === "-m" && Object.hasOwn(INSTEAD, from.text)) {
    throw new ProgramError(`no module ${from.text}: ${INSTEAD[from.text]}`);
  }
  const { parts, stdin } = load(surroundings, program, request);
  return runProcess(surroundings, request, { language: "python", parts, last: AT_EXIT, stdin });
}

function parse(args: readonly string[]): Program {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "-c" || arg === "-m") {
      const text = args[at + 1];
      if (text === undefined) throw new ProgramError(`argument expected for the ${arg} option`, 2);
      return { from: { option: arg, text }, argv: [arg, ...args.slice(at + 2)] };
    }
    if (arg === "-") return { from: undefined, argv: args.slice(at) };
    if (!arg.startsWith("-")) return { from: { file: arg }, argv: args.slice(at) };
    if (IGNORED_WITH_VALUE.test(arg)) at += arg.length === 2 ? 1 : 0;
    else if (!IGNORED.test(arg)) throw new ProgramError(`unknown option ${arg}`, 2);
  }
  return { from: undefined, argv: [""] };
}

function load(
  surroundings: Surroundings,
  { from, argv }: Program,
  request: SpawnRequest,
): { parts: Part[]; stdin: StandardInput } {
  const input = request.stdin;
  if (from === undefined) {
    return {
      parts: [setUp(argv, request), asFile(textOf(input.all()), "<stdin>")],
      stdin: new StandardInput(),
    };
  }
  if ("file" in from) {
    const path = pathOf(request, from.file);
    const parts = [setUp(argv, request, path), asFile(read(surroundings, path, from.file), from.file)];
    return { parts, stdin: input };
  }
  const code = from.option === "-c"
    ? from.text
    : `__import__("runpy")._run_module_as_main(${JSON.stringify(from.text)})`;
  return { parts: [setUp(argv, request), asFile(code, "<string>")], stdin: input };
}

function read(surroundings: Surroundings, path: string, name: string): string {
  try {
    return readProgram(surroundings, path).replace(/^\uFEFF/, "");
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    const reason = error.code === "ENOENT" ? "[Errno 2] No such file or directory" : error.message;
    throw new ProgramError(`can't open file '${name}': ${reason}`, 2);
  }
}

/** A program's last expression is no result: a statement after it makes it a statement too. */
function asFile(code: string, filename: string): Part {
  return { code: `${code}\n\npass\n`, filename };
}

/** What differs from a session: arguments, directory, where modules are looked for. */
function setUp(argv: readonly string[], { cwd }: SpawnRequest, file?: string): Part {
  const directory = file === undefined ? "" : file.slice(0, file.lastIndexOf("/")) || "/";
  const code = `
(lambda sys, os: (
    setattr(sys, "argv", ${JSON.stringify(argv)}),
    sys.path.insert(0, ${JSON.stringify(directory)}),
    os.path.isdir(${JSON.stringify(cwd)}) and os.chdir(${JSON.stringify(cwd)}),
))(__import__("sys"), __import__("os"))
${file === undefined ? "" : `__file__ = ${JSON.stringify(file)}`}
pass
`;
  return { code, filename: "<shell>" };
}
