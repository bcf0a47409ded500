/** `wasmbox repl`: lines in three languages, for one session. */

import { createInterface } from "node:readline";
import process from "node:process";
import type { FlagValues } from "../../command_line/parse.ts";
import { WasmboxError } from "../../errors.ts";
import { type LanguageAlias, meantBy } from "../../languages.ts";
import { displayLines, showsResult } from "../../mcp/displays.ts";
import type { Execution } from "../../session/execution.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { Session } from "../../session/session.ts";
import { VERSION } from "../../version.ts";
import { goesOn, isIncomplete, mayBeAboutEnd } from "./incomplete.ts";
import { withOwnSession } from "./own_session.ts";
import { errorText, note, write } from "./terminal.ts";

const HELP = `:py :js :ts :sh   go on in that language; with code after it, run that alone
:files            the session's files
:reset            empty the session: no files, no variables
:quit             end, as Ctrl-D does
Ctrl-C stops what runs. A block of Python ends with an empty line.
share("x", value) in Python or JavaScript is shared("x") in the other.
`;

const SWITCHES: Readonly<Record<string, LanguageAlias>> = {
  py: "python",
  python: "python",
  js: "javascript",
  javascript: "javascript",
  node: "javascript",
  ts: "typescript",
  typescript: "typescript",
  sh: "shell",
  bash: "shell",
  shell: "shell",
};
const PROMPTS: Readonly<Partial<Record<LanguageAlias, string>>> = {
  python: "py> ",
  javascript: "js> ",
  typescript: "ts> ",
  shell: "sh> ",
};
/** What people type to leave a program like this. */
const LEAVING = /^\s*(?::q(?:uit)?|:exit|\.exit|(?:exit|quit)(?:\(\))?;?)\s*$/;
/** Files that :files lists. */
const MAX_FILES = 200;

/** @returns The exit code. */
export async function repl(flags: FlagValues): Promise<number> {
  return await withOwnSession(flags, async (session) => {
    const first = SWITCHES[String(flags["language"] ?? "python")] ?? "python";
    await new Conversation(session, first).run();
    return 0;
  });
}

class Conversation {
  readonly #isTerminal = Deno.stdin.isTerminal();
  readonly #lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: this.#isTerminal && Deno.stdout.isTerminal(),
    historySize: 1000,
  });
  #running: Execution | undefined;
  /** Lines of what is not complete yet. */
  #begun: string[] = [];

  constructor(readonly session: Session, private language: LanguageAlias) {}

  async run(): Promise<void> {
    if (this.#isTerminal) {
      write("stdout", `wasmbox ${VERSION}: Python, JavaScript and shell. :help, :js, :sh, :quit\n`);
    }
    this.#lines.on("SIGINT", () => this.#interrupt());
    Deno.addSignalListener("SIGINT", () => this.#interrupt());
    this.#prompt();
    for await (const line of this.#lines) {
      if (this.#begun.length === 0 && LEAVING.test(line)) break;
      await this.#take(line);
      this.#prompt();
    }
    if (this.#begun.length > 0) await this.#runBegun(true);
    this.#lines.close();
  }

  #prompt(): void {
    if (!this.#isTerminal) return;
    this.#lines.setPrompt(this.#begun.length > 0 ? "... " : PROMPTS[this.language] ?? "> ");
    this.#lines.prompt();
  }

  #interrupt(): void {
    if (this.#running) {
      this.#running.stop("cancelled");
      return;
    }
    const wasEmpty = this.#begun.length === 0 && this.#lines.line === "";
    this.#begun = [];
    write("stdout", wasEmpty ? "\n(:quit or Ctrl-D ends)\n" : "\n");
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#prompt();
  }

  async #take(line: string): Promise<void> {
    const [, name, rest = ""] = this.#begun.length === 0 && /^:(\w+)(?:\s+(.*))?$/.exec(line) || [];
    if (name !== undefined) return await this.#command(name, rest);
    if (this.#begun.length === 0 && line.trim() === "") return;
    this.#begun.push(line);
    if (!goesOn(meantBy(this.language).language, this.#begun)) await this.#runBegun(line.trim() === "");
  }

  async #command(name: string, rest: string): Promise<void> {
    const language = Object.hasOwn(SWITCHES, name) ? SWITCHES[name] : undefined;
    if (language !== undefined && rest === "") this.language = language;
    else if (language !== undefined) await this.#execute(language, rest, true);
    else if (name === "help") write("stdout", HELP);
    else if (name === "files") await this.#told(() => this.#listFiles());
    else if (name === "reset") await this.#told(async () => void await this.session.reset());
    else note(`there is no :${name}; :help tells what there is`);
  }

  async #told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof WasmboxError)) throw error;
      note(error.message);
    }
  }

  async #listFiles(): Promise<void> {
    const { entries, next } = await this.session.files.list(".", { recursive: true, limit: MAX_FILES });
    for (const { path, type, size } of entries) {
      write("stdout", `${type === "directory" ? `${path}/` : `${path}  ${size}`}\n`);
    }
    if (next !== null) write("stdout", "…\n");
  }

  /** @param isAll False if there may be more of it to come. */
  async #runBegun(isAll: boolean): Promise<void> {
    const code = this.#begun.join("\n");
    const ended = await this.#execute(this.language, code, isAll);
    if (ended) this.#begun = [];
  }

  /** @returns False if it is not complete: nothing was run then. */
  async #execute(name: LanguageAlias, code: string, isAll: boolean): Promise<boolean> {
    const { language, dialect } = meantBy(name);
    const { limits } = this.session;
    let held = "";
    const show = (stream: "stdout" | "stderr", text: string) => {
      if (!isAll && stream === "stderr" && mayBeAboutEnd(text)) held += text;
      else write(stream, text);
    };
    try {
      const execution = this.session.execute({
        language,
        ...dialect && { dialect },
        code,
        timeoutMs: limits.maxTimeoutMs,
        fuelBudget: limits.fuelBudget,
        onFailure: "keep",
        onOutput: show,
      });
      this.#running = execution;
      const outcome = await execution.outcome;
      if (!isAll && isIncomplete(outcome)) return false;
      write("stderr", held);
      tell(outcome);
    } catch (error) {
      if (!(error instanceof WasmboxError)) throw error;
      note(error.message);
    } finally {
      this.#running = undefined;
    }
    return true;
  }
}

function tell(outcome: Outcome): void {
  const { language, stdout, stderr, displays, result, notice, error } = outcome;
  for (const [stream, text] of [["stdout", stdout], ["stderr", stderr]] as const) {
    if (text !== "" && !text.endsWith("\n")) write(stream, "\n");
  }
  for (const line of displayLines(displays)) write("stdout", `${line}\n`);
  if (result !== null && !showsResult(displays)) write("stdout", `${result}\n`);
  if (notice !== null) note(notice);
  if (error?.error_code === "PROGRAM_EXIT" && language !== "shell") note(error.message);
  write("stderr", errorText(outcome));
}
