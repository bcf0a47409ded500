/** `wasmbox run`: a program in a sandbox of its own, as an interpreter would run it. */

import { type FlagValues, UsageError } from "../../command_line/parse.ts";
import type { LanguageAlias } from "../../languages.ts";
import { WasmboxError } from "../../errors.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { Session } from "../../session/session.ts";
import { displayLines } from "../../mcp/displays.ts";
import { inputOperation } from "./input.ts";
import { languageOf, programOf, withoutBeginning } from "./program.ts";
import { withOwnSession } from "./own_session.ts";
import { errorText, note, write } from "./terminal.ts";

/** Changed files that are named. */
const MAX_FILES = 5;

interface Program {
  readonly language: LanguageAlias;
  readonly source: string;
  /** Absent for text of the command line. */
  readonly name?: string;
  readonly args: readonly string[];
  /** It was itself what standard input had. */
  readonly piped?: boolean;
}

/** @returns The program's exit code. @throws {UsageError} */
export async function run(flags: FlagValues, operands: readonly string[]): Promise<number> {
  const program = await programAsked(flags, operands);
  if (typeof program === "number") return program;
  const seconds = secondsOf(flags["timeout"]);
  return await withOwnSession(flags, async (session, { maxTimeoutMs }) => {
    if (seconds !== undefined && seconds * 1000 > maxTimeoutMs) {
      note(`--timeout can be ${maxTimeoutMs / 1000} at most: policy.max_timeout_seconds`);
      return 2;
    }
    try {
      return tell(await runIn(session, program, seconds === undefined ? maxTimeoutMs : seconds * 1000));
    } catch (error) {
      if (!(error instanceof WasmboxError)) throw error;
      note(error.message);
      return 1;
    }
  }, program.piped ? [] : [inputOperation]);
}

async function programAsked(flags: FlagValues, operands: readonly string[]): Promise<Program | number> {
  const language = flags["language"] as LanguageAlias | undefined;
  if (typeof flags["code"] === "string") {
    return { language: language ?? "python", source: flags["code"], args: operands };
  }
  const [file, ...args] = operands;
  if (file === undefined) throw new UsageError("nothing to run: name a file, or give code by -c", "run");
  let source: string;
  try {
    source = file === "-" ? await new Response(Deno.stdin.readable).text() : await Deno.readTextFile(file);
  } catch (error) {
    note(`can't read ${file}: ${reasonOf(error)}`);
    return 2;
  }
  const known = language ?? (file === "-" ? "python" : languageOf(file, source));
  if (known === undefined) {
    throw new UsageError(
      `what ${file} is written in can't be told from its name: say --language NAME`,
      "run",
    );
  }
  return { language: known, source, ...file === "-" ? { piped: true } : { name: nameOf(file) }, args };
}

/** Deno's words without its number, call and the path, which have been told. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/ \(os error \d+\).*$/s, "") : String(error);
}

/** The last part of a path; as JavaScript a file that is named otherwise would be loaded as something else. */
function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** @throws {UsageError} */
function secondsOf(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new UsageError(`--timeout can't be "${text}": it is a number of seconds`, "run");
}

async function runIn(
  session: Session,
  { language, source, name, args }: Program,
  timeoutMs: number,
): Promise<Outcome> {
  if (name !== undefined) await session.files.write(name, new TextEncoder().encode(source));
  const execution = session.execute({
    ...programOf(language, source, name === undefined ? undefined : `/app/${name}`, args),
    timeoutMs,
    fuelBudget: session.limits.fuelBudget,
    onFailure: "keep",
    onOutput: (stream, text) => write(stream, text),
  });
  const stop = () => {
    if (!execution.stop("cancelled")) Deno.exit(130); // it is being stopped, and that takes them too long
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, stop);
  return await execution.outcome;
}

function tell(outcome: Outcome): number {
  for (const line of displayLines(outcome.displays)) write("stdout", `${line}\n`);
  if (outcome.notice !== null) note(outcome.notice);
  if (outcome.truncated.stdout || outcome.truncated.stderr) {
    note("it printed more than is kept of what is printed");
  }
  write("stderr", withoutBeginning(errorText(outcome)));
  const left = outcome.changed.files.filter(({ change }) => change !== "deleted").map(({ path }) => path);
  if (left.length > 0) {
    const more = left.length > MAX_FILES ? ` and ${left.length - MAX_FILES} more` : "";
    note(
      `gone with the session: ${left.slice(0, MAX_FILES).join(", ")}${more}. ` +
        "What is written to a directory of yours stays: --volume DIRECTORY:/data/NAME:rw",
    );
  }
  return outcome.exitCode;
}
