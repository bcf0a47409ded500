/** Command lines in the way of getopt: `-xzf FILE`, `-n 3`, `--name=value`, `--`. */

import { ProgramError } from "./mod.ts";

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
  const queue = [...args];
  const next = (name: string) => {
    const value = queue.shift();
    if (value === undefined) throw new ProgramError(`option requires an argument -- '${name}'`, 2);
    return value;
  };
  if (bundled && queue[0] !== undefined && !queue[0].startsWith("-")) {
    // Values of a bundle without a dash follow it in the order of its letters.
    for (const letter of queue.shift()!) given.push([letter, valued.includes(letter) ? next(letter) : true]);
  }
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === "--") {
      operands.push(...queue.splice(0));
    } else if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = arg.slice(2, equals < 0 ? undefined : equals);
      if (valued.includes(name)) given.push([name, equals < 0 ? next(name) : arg.slice(equals + 1)]);
      else given.push([name, true]);
    } else if (arg.startsWith("-") && arg.length > 1) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at]!;
        if (valued.includes(letter)) {
          given.push([letter, at + 1 < arg.length ? arg.slice(at + 1) : next(letter)]);
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
