/** The command line of `python3`. */

import { ProgramError } from "./program_error.ts";

/** What a program's interpreter is told, as the module _wasmbox_options takes it. */
export interface PythonOptions {
  /** How often `-O` is there. */
  optimize: number;
  /** How often `-b` is there. */
  bytes: number;
  /** Values of `-W`. */
  readonly warnings: string[];
  /** Values of `-X`. */
  readonly extra: string[];
  /** `-E`: what the environment says of this is not looked at. */
  ignoresEnvironment: boolean;
  /** `-P`: neither the program's directory nor the present one is where modules are looked for. */
  isSafe: boolean;
}

export interface PythonArguments {
  /** Undefined: standard input. */
  readonly from:
    | { readonly option: "-c" | "-m"; readonly text: string }
    | { readonly file: string }
    | undefined;
  readonly argv: string[];
  readonly options: PythonOptions;
  /** `-x`. */
  readonly skipsFirstLine: boolean;
  readonly tellsVersion: boolean;
}

/** Options that change nothing here. */
const WITHOUT_EFFECT = "BdiqRsSuv";

/** @throws {ProgramError} */
export function parseArguments(args: readonly string[]): PythonArguments {
  const options: PythonOptions = {
    optimize: 0,
    bytes: 0,
    warnings: [],
    extra: [],
    ignoresEnvironment: false,
    isSafe: false,
  };
  let skipsFirstLine = false;
  let tellsVersion = false;
  const ended = (from: PythonArguments["from"], argv: string[]) => (
    { from, argv, options, skipsFirstLine, tellsVersion }
  );
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--version") tellsVersion = true;
    else if (arg === "-" || !arg.startsWith("-")) break;
    else {
      for (let place = 1; place < arg.length; place++) {
        const letter = arg[place]!;
        if ("cmWX".includes(letter)) {
          const text = arg.slice(place + 1) || args[++at];
          if (text === undefined) throw new ProgramError(`argument expected for the -${letter} option`, 2);
          if (letter === "c" || letter === "m") {
            const option = `-${letter}` as const;
            return ended({ option, text }, [option, ...args.slice(at + 1)]);
          }
          (letter === "W" ? options.warnings : options.extra).push(text);
          break;
        }
        if (letter === "O") options.optimize++;
        else if (letter === "b") options.bytes++;
        else if (letter === "x") skipsFirstLine = true;
        else if (letter === "V") tellsVersion = true;
        else if ("EIP".includes(letter)) {
          if (letter !== "P") options.ignoresEnvironment = true;
          if (letter !== "E") options.isSafe = true;
        } else if (!WITHOUT_EFFECT.includes(letter)) throw new ProgramError(`unknown option ${arg}`, 2);
      }
    }
  }
  if (at === args.length) return ended(undefined, [""]);
  return ended(args[at] === "-" ? undefined : { file: args[at]! }, args.slice(at));
}
