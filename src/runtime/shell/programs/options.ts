/** Command lines in the way of getopt: `-xzf FILE`, `-n 3`, `--name=value`, `--`. */

import { ProgramError } from "./program_error.ts";

export interface Options {
  /** By name without dashes, in the order given: true for a flag, else its value. */
  readonly given: readonly (readonly [name: string, value: string | true])[];
  readonly operands: readonly string[];
  has(...names: string[]): boolean;
  /** The last value given by any of these names. */
  value(...names: string[]): string | undefined;
}

/**
 * @param flags Letters and long names without a value. @param valued Those with one.
 * @param bundled Takes a first word without a dash for one with a dash, as tar and ps do.
 * @throws {ProgramError} for any other option.
 */
export function parseOptions(
  args: readonly string[],
  { flags, valued = [], bundled = false }: {
    readonly flags: readonly string[];
    readonly valued?: readonly string[];
    readonly bundled?: boolean;
  },
): Options {
  const given: [string, string | true][] = [];
  const operands: string[] = [];
  let at = 0;
  const next = (name: string) => {
    const value = args[at++];
    if (value === undefined) throw new ProgramError(`option requires an argument -- '${name}'`, 2);
    return value;
  };
  if (bundled && args[0] !== undefined && !args[0].startsWith("-")) {
    // Values of a bundle without a dash follow it in the order of its letters.
    at = 1;
    for (const letter of args[0]) given.push([letter, valued.includes(letter) ? next(letter) : true]);
  }
  while (at < args.length) {
    const arg = args[at++]!;
    if (arg === "--") {
      while (at < args.length) operands.push(args[at++]!);
    } else if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = arg.slice(2, equals < 0 ? undefined : equals);
      if (valued.includes(name)) given.push([name, equals < 0 ? next(name) : arg.slice(equals + 1)]);
      else given.push([name, true]);
    } else if (arg.startsWith("-") && arg.length > 1) {
      for (let index = 1; index < arg.length; index++) {
        const letter = arg[index]!;
        if (valued.includes(letter)) {
          given.push([letter, index + 1 < arg.length ? arg.slice(index + 1) : next(letter)]);
          break;
        }
        given.push([letter, true]);
      }
    } else operands.push(arg);
  }
  for (const [name] of given) {
    if (flags.includes(name) || valued.includes(name)) continue;
    const shown = name.length === 1 ? `invalid option -- '${name}'` : `unrecognized option '--${name}'`;
    throw new ProgramError(shown, 2);
  }
  return {
    given,
    operands,
    has: (...names) => given.some(([name]) => names.includes(name)),
    value: (...names) => {
      const found = given.findLast(([name]) => names.includes(name))?.[1];
      return found === true ? undefined : found;
    },
  };
}
