/**
 * Parses a command line by the table of commands. The parsers that people know were measured: loading one takes as long
 * (20 ms) as all that a client waits for before the server's first reply could be made shorter by.
 */

import { closest } from "../closest.ts";
import { type Command, COMMAND_NAMES, type CommandName, commandOf, type Flag } from "./commands.ts";

/** Values by the flags' names; of several ones, a list in JSON; of a flag without any, true. */
export type FlagValues = Readonly<Record<string, string | boolean>>;

export interface CommandLine {
  readonly command: CommandName;
  readonly flags: FlagValues;
  readonly operands: readonly string[];
}

/** The command line is wrong; the message says how, and what was probably meant. */
export class UsageError extends Error {
  override name = "UsageError";

  /** @param command Whose help is of use. */
  constructor(message: string, readonly command?: CommandName) {
    super(message);
  }
}

/** Whether that is what was thrown: bundles have classes of their own. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === "UsageError";
}

/** @throws {UsageError} */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first] = args;
  if (first === undefined) return { command: "serve", flags: {}, operands: [] };
  if (["--version", "-V"].includes(first)) return alone("version", args);
  if (["--help", "-h", "-?"].includes(first)) return alone("help", args);
  if (first.startsWith("-")) return parseArguments("serve", args);
  if (isCommand(first)) return parseArguments(first, args.slice(1));
  throw unknownCommand(first);
}

export function isCommand(name: string): name is CommandName {
  return (COMMAND_NAMES as readonly string[]).includes(name);
}

/** @throws {UsageError} */
export function unknownCommand(name: string): UsageError {
  const said = `unknown command "${name}"`;
  if (Object.hasOwn(commandOf("serve").flags, name)) {
    return new UsageError(`${said}: did you mean "wasmbox --${name}"?`);
  }
  if (/\.(py|[cm]?js|ts|sh)$/.test(name)) {
    return new UsageError(`${said}: did you mean "wasmbox run ${name}"?`);
  }
  return new UsageError(said + suggestion(name, COMMAND_NAMES));
}

function alone(command: "version" | "help", [flag, ...rest]: readonly string[]): CommandLine {
  if (rest.length === 0) return { command, flags: {}, operands: [] };
  throw new UsageError(`unexpected argument "${rest[0]}" after ${flag}`);
}

function suggestion(word: string, names: readonly string[], dashes = ""): string {
  const meant = closest(word, names);
  return meant === undefined ? "" : `: did you mean "${dashes}${meant}"?`;
}

function parseArguments(name: CommandName, args: readonly string[]): CommandLine {
  const command = commandOf(name);
  const flags: Record<string, string | boolean> = {};
  const lists: Record<string, string[]> = {};
  const operands: string[] = [];
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (["--help", "-h"].includes(arg)) return { command: "help", flags: {}, operands: [name] };
    if (arg === "--" && command.operands?.rest) {
      operands.push(...left.splice(0));
    } else if (arg.startsWith("-") && arg !== "-") {
      const [flag, given] = flagOf(arg, name);
      const { takes, short, choices } = command.flags[flag]!;
      if (!takes) {
        if (given !== undefined) {
          throw new UsageError(`--${flag} takes no value, and was given "${given}"`, name);
        }
        flags[flag] = true;
        continue;
      }
      const value = given ?? left.shift();
      // What begins with two dashes is the next flag, unless it is text of any kind: that of -c.
      if (value === undefined || given === undefined && value.startsWith("--") && !short) {
        throw new UsageError(`${shown(flag, command.flags[flag]!)}: the value is missing`, name);
      }
      checkChoice(value, choices, `--${flag}`, name);
      flags[flag] = value;
      if (takes === "values") {
        const end = left.findIndex((arg) => arg.startsWith("-"));
        lists[flag] = [...lists[flag] ?? [], value, ...left.splice(0, end < 0 ? left.length : end)];
        flags[flag] = JSON.stringify(lists[flag]);
      }
      if (flag === "code" && command.operands?.rest === "after first") operands.push(...left.splice(0));
    } else {
      operands.push(arg);
      if (command.operands?.rest === "after first") operands.push(...left.splice(0));
      checkOperand(arg, operands.length, command, name);
    }
  }
  const { least = 0, usage = "" } = command.operands ?? {};
  if (operands.length < least) throw new UsageError(`${name} needs an argument: ${usage}`, name);
  return { command: name, flags, operands };
}

/** A flag as it is written. */
export function shown(name: string, { value, short }: Flag): string {
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
}

/** @throws {UsageError} if the command has no such flag. */
function flagOf(arg: string, name: CommandName): readonly [flag: string, value: string | undefined] {
  const { flags } = commandOf(name);
  const [, word = "", value] = /^-{1,2}([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  if (arg.startsWith("--") && Object.hasOwn(flags, word)) return [word, value];
  const byLetter = Object.keys(flags).find((flag) => arg === `-${flags[flag]!.short}`);
  if (byLetter !== undefined) return [byLetter, undefined];
  if (Object.hasOwn(flags, word)) {
    throw new UsageError(`unknown flag ${arg}: did you mean "--${word}"?`, name);
  }
  const said = `${name} has no flag ${arg.replace(/=.*/s, "")}`;
  const owners = COMMAND_NAMES.filter((other) => Object.hasOwn(commandOf(other).flags, word));
  if (owners.length > 0) throw new UsageError(`${said}; it is one of ${owners.join(" and ")}`, name);
  throw new UsageError(said + suggestion(word, Object.keys(flags), "--"), name);
}

function checkChoice(
  value: string,
  choices: readonly string[] | undefined,
  what: string,
  name: CommandName,
): void {
  if (!choices || choices.includes(value)) return;
  const meant = suggestion(value, choices);
  throw new UsageError(`${what} can't be "${value}"${meant || `: it is one of ${choices.join(", ")}`}`, name);
}

function checkOperand(arg: string, count: number, { operands }: Command, name: CommandName): void {
  if (!operands || operands.rest === "after --" || count > operands.most) {
    throw new UsageError(`unexpected argument "${arg}"`, name);
  }
  checkChoice(arg, operands.choices, "the argument", name);
}
