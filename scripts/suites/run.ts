/** Runs tests of a library, in a session and natively. */

import * as z from "zod";
import type { TestServer } from "../../tests/support/harness.ts";
import { wholeStdout } from "../whole_output.ts";
import type { Library } from "./libraries.ts";

const RUNNER = new URL("../library_runner.py", import.meta.url);
/** The longest file takes half a minute on a quiet machine. */
export const PATIENCE_MS = 900_000;
/** Where sessions have the directory of all tests. */
export const MOUNTED = "/data/tests";

const names = z.array(z.string());
const tally = z.object({
  passed: names,
  failed: names,
  skipped: names,
  /** Skipped, since the build leaves out extension modules that nothing but tests use. */
  lacking: names,
  /** Why those failed: "NAME: WHY". */
  causes: names,
  /** Why there are not more. */
  cause: z.nullable(z.string()),
});
/** What became of the tests of a file. */
export type Tally = z.infer<typeof tally>;

const nothing = (cause: string): Tally => ({
  passed: [],
  failed: [],
  skipped: [],
  lacking: [],
  causes: [],
  cause,
});

/** What becomes of files that are run together. */
export type Run = (files: readonly string[]) => Promise<Tally[]>;

/** Files whose Python had nothing to say are run again, each alone: one of them has ended it. */
async function eachByItself(run: (files: readonly string[]) => Promise<Said>, files: readonly string[]) {
  const { tallies, otherwise } = await run(files);
  if (tallies || files.length === 1) return tallies ?? [nothing(otherwise)];
  const alone: Tally[] = [];
  for (const file of files) {
    const { tallies, otherwise } = await run([file]);
    alone.push(tallies?.[0] ?? nothing(otherwise));
  }
  return alone;
}

interface Said {
  readonly tallies?: Tally[];
  /** How it ended, if it didn't say. */
  readonly otherwise: string;
}

/** What the runner said last. */
function saidIn(stdout: string, otherwise: string): Said {
  try {
    const said = z.record(z.string(), tally).parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
    return { tallies: Object.values(said), otherwise };
  } catch {
    return { otherwise };
  }
}

/** The arguments of the runner. @param suites The directory of all tests, as it sees it. */
function runnersArguments(suites: string, library: Library, files: readonly string[]): string[] {
  const { module, root, directory, options = [], without = null, tests } = library;
  const below = (path?: string) => path === undefined ? null : `${suites}/${path}`;
  const settings = { module, root: below(root), directory: below(directory), options, without };
  return [JSON.stringify(settings), ...files.map((file) => `${suites}/${tests}/${file}`)];
}

/** Runs files of a library in a session, a Python of its own for each lot of them. */
export class LibrarySession implements AsyncDisposable {
  readonly #session_id: string;

  /** @param id Among the sessions of that library. */
  constructor(readonly server: TestServer, readonly library: Library, id: number) {
    this.#session_id = `${library.module}_${id}`;
  }

  /** Leaves the runner and what it wants in the session. */
  async prepare(): Promise<void> {
    const { requirements, module, beside = module } = this.library;
    await this.#call("create_session", {});
    // The statement tells which interpreter it is for.
    const content = `import ${beside}\n${await Deno.readTextFile(RUNNER)}`;
    const written = await this.#call("write_file", { path: "runner.py", content });
    const installed = requirements.length > 0 && await this.#call("install_package", { requirements });
    const error = written.error ?? (installed && installed.error);
    if (error) throw new Error(error.message);
  }

  readonly run: Run = (files) =>
    eachByItself(async (files) => {
      const argv = runnersArguments(MOUNTED, this.library, files).map((each) => `'${each}'`);
      const reply = await this.#call("execute_command", {
        command: `python3 runner.py ${argv.join(" ")}`,
        timeout: PATIENCE_MS / 1000,
      });
      const { error, exit_code } = reply;
      return saidIn(await wholeStdout(this.server, reply), error?.message ?? `exit code ${exit_code}`);
    }, files);

  async #call(name: string, args: Record<string, unknown>): Promise<Reply> {
    const { structuredContent } = await this.server.client.callTool({
      name,
      arguments: { ...args, session_id: this.#session_id },
    }, { timeout: 2 * PATIENCE_MS });
    return structuredContent as Reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#call("destroy_session", {});
  }
}

/** What is used of a tool's reply. */
interface Reply {
  readonly exit_code?: number;
  readonly error?: { readonly message: string } | null;
}

/** Runs files of a library by that Python. @param suites The directory of all tests. */
export const natively = (command: string, suites: string, library: Library): Run => (files) =>
  eachByItself(async (files) => {
    const { stdout, code } = await new Deno.Command("timeout", {
      args: [`${PATIENCE_MS / 1000}`, command, RUNNER.pathname, ...runnersArguments(suites, library, files)],
      cwd: "/",
      stdin: "null",
      stderr: "null",
    }).output();
    return saidIn(new TextDecoder().decode(stdout), `exit code ${code}`);
  }, files);
