/** `python3`: CPython on files, `-c`, `-m` and standard input. */

import { FsError } from "../../../fs/file_system.ts";
import { textOf } from "../bytes.ts";
import type { Command } from "../just_bash.ts";
import { type Part, runProcess } from "./interpreter.ts";
import { pip } from "./pip.ts";
import {
  command,
  CommandError,
  type CommandOutput,
  Files,
  type Invocation,
  TEXT_MAX_BYTES,
  type Tools,
} from "./tools.ts";

const VERSION = "Python 3.13\n";
/** Options that are accepted and change nothing here, and those that take a value. */
const IGNORED = /^-[bBdEiIOPqRsSuvx]+$/;
const IGNORED_WITH_VALUE = /^-[WX]/;

interface Program {
  /** Undefined: standard input. */
  readonly from:
    | { readonly option: "-c" | "-m"; readonly text: string }
    | { readonly file: string }
    | undefined;
  readonly argv: readonly string[];
}

export function pythonCommands(tools: Tools): Command[] {
  return [
    ...["python", "python3"].map((name) => command(name, (invocation) => python(tools, invocation))),
    ...["pytest", "py.test"].map((name) =>
      command(
        name,
        (invocation) => python(tools, { ...invocation, args: ["-m", "pytest", ...invocation.args] }),
      )
    ),
  ];
}

async function python(tools: Tools, invocation: Invocation): Promise<CommandOutput> {
  const { args } = invocation;
  if (args[0] === "--version" || args[0] === "-V") return { stdout: VERSION };
  const program = parse(args);
  const { from, argv } = program;
  if (from && "option" in from && from.option === "-m" && from.text === "pip") {
    return pip(tools, argv.slice(1), invocation.cwd);
  }
  const { parts, stdin } = load(tools, program, invocation);
  return await runProcess(tools, invocation, { language: "python", parts, stdin });
}

function parse(args: readonly string[]): Program {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "-c" || arg === "-m") {
      const text = args[at + 1];
      if (text === undefined) throw new CommandError(`argument expected for the ${arg} option`, 2);
      return { from: { option: arg, text }, argv: [arg, ...args.slice(at + 2)] };
    }
    if (arg === "-") return { from: undefined, argv: args.slice(at) };
    if (!arg.startsWith("-")) return { from: { file: arg }, argv: args.slice(at) };
    if (IGNORED_WITH_VALUE.test(arg)) at += arg.length === 2 ? 1 : 0;
    else if (!IGNORED.test(arg)) throw new CommandError(`unknown option ${arg}`, 2);
  }
  return { from: undefined, argv: [""] };
}

function load(
  tools: Tools,
  { from, argv }: Program,
  invocation: Invocation,
): { parts: Part[]; stdin: Uint8Array } {
  const input = invocation.stdin();
  if (from === undefined) {
    return { parts: [setUp(argv, invocation), asFile(textOf(input), "<stdin>")], stdin: new Uint8Array(0) };
  }
  if ("file" in from) {
    const path = invocation.path(from.file);
    const parts = [setUp(argv, invocation, path), asFile(read(tools, path, from.file), from.file)];
    return { parts, stdin: input };
  }
  const code = from.option === "-c"
    ? from.text
    : `__import__("runpy").run_module(${JSON.stringify(from.text)}, run_name="__main__", alter_sys=True)`;
  return { parts: [setUp(argv, invocation), asFile(code, "<string>")], stdin: input };
}

function read(tools: Tools, path: string, name: string): string {
  try {
    return textOf(new Files(tools.fs, TEXT_MAX_BYTES).read(path)).replace(/^\uFEFF/, "");
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    const reason = error.code === "ENOENT" ? "[Errno 2] No such file or directory" : error.message;
    throw new CommandError(`can't open file '${name}': ${reason}`, 2);
  }
}

/** A program's last expression is no result: a statement after it makes it a statement too. */
function asFile(code: string, filename: string): Part {
  return { code: `${code}\n\npass\n`, filename };
}

/** What differs from a session: arguments, directory, where modules are looked for. */
function setUp(argv: readonly string[], { cwd }: Invocation, file?: string): Part {
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
