/** Programs that the build starts. */

import { AssetsError } from "./errors.ts";

const LOG_TAIL_LINES = 25;

/** A program, its arguments, and what differs from our own environment. */
export interface Program {
  /** Program and arguments; never a shell's text. */
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Given to it as stdin. */
  readonly input?: string;
}

/** The last lines of a log. */
function tail(log: string): string {
  return log.trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");
}

async function collect(program: Program): Promise<Deno.CommandOutput> {
  const [command, ...args] = program.argv;
  if (command === undefined) throw new TypeError("an empty command");
  const child = new Deno.Command(command, {
    args,
    env: { ...program.env },
    stdin: program.input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  if (program.input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(program.input));
    await writer.close();
  }
  return await output;
}

/**
 * Runs a program to its end and gives its stdout.
 *
 * @param what What it does, for the error.
 * @throws {AssetsError} if it can't be started or fails, with the end of what it printed.
 */
export async function run(what: string, program: Program): Promise<string> {
  const decoder = new TextDecoder();
  let output;
  try {
    output = await collect(program);
  } catch (error) {
    throw new AssetsError(`${what}: can't start ${program.argv[0]}: ${(error as Error).message}`);
  }
  const stdout = decoder.decode(output.stdout);
  if (!output.success) {
    const log = `${stdout}\n${decoder.decode(output.stderr)}`;
    throw new AssetsError(`${what} failed (${program.argv[0]}, exit code ${output.code})`, tail(log));
  }
  return stdout;
}

/** Runs a program that may well be absent or fail: its stdout, or undefined. */
export async function tryRun(argv: readonly string[]): Promise<string | undefined> {
  try {
    const output = await collect({ argv });
    return output.success ? new TextDecoder().decode(output.stdout) : undefined;
  } catch {
    return undefined;
  }
}
