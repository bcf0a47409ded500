/** Starts the real server, from source or compiled, and talks to it as a client does. */

import { Client, type ProgressCallback } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import type { Limits } from "../../src/config/limits.ts";
import type { LanguageAlias } from "../../src/languages.ts";
import { inFull } from "../../src/mcp/left_out.ts";
import { eventually, inTime } from "./eventually.ts";

/** The compiled executable to test; source if it is not set. */
const EXECUTABLE = Deno.env.get("WASMBOX_EXECUTABLE");

/**
 * Whether every checkpoint is compared with what it was made of, wherever it is restored, and the last one of each
 * session restored once in any case (`fixtures/checked`). Only from source: it is done by the tests' own Workers.
 */
const CHECKED = !EXECUTABLE && Deno.env.get("TEST_CHECKPOINTS") === "1";
const CHECKED_SERVER = new URL("../integration/fixtures/checked/server.ts", import.meta.url);

/** Which of the two is tested, for the names of tests. */
export const UNDER_TEST = EXECUTABLE ? "executable" : "source";

export interface Command {
  readonly command: string;
  readonly args: string[];
}

/** How a server is started. @param entry A server of the tests' own, from source; wasmbox itself if absent. */
export function serverCommand(entry?: URL): Command {
  if (EXECUTABLE && !entry) return { command: EXECUTABLE, args: [] };
  const main = fileURLToPath(entry ?? new URL("../../main.ts", import.meta.url));
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  return {
    command: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      `--config=${config}`,
      "--allow-read",
      "--allow-env",
      "--allow-run",
      "--allow-sys",
      main,
    ],
  };
}

/** The structured content of execute_code. */
export interface Reply {
  execution_id: string;
  status: string;
  success: boolean;
  exit_code: number;
  language: string;
  stdout: string;
  stderr: string;
  truncated: { stdout: boolean; stderr: boolean };
  result: string | null;
  error:
    | { error_code: string; message: string; type?: string; traceback?: string; retryable?: boolean }
    | null;
  session_id: string;
  session_created: boolean;
  state: string;
  notice: string | null;
  fuel_consumed: number;
  memory_bytes: number;
  isError: boolean;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (message: string) => void;
}

/** A session as list_sessions tells of it. */
export interface Listed {
  session_id: string;
  executions: number;
  checkpoint: "current" | "behind" | "none";
  running: { execution_id: string; phase: string }[];
  state: string;
}

/** A connected client and its server. */
export class TestServer implements AsyncDisposable {
  private constructor(readonly client: Client, readonly transport: StdioClientTransport) {}

  /**
   * @param server What to start: an entry of the tests' own, or a command; wasmbox itself if absent.
   * @param limits For the tests' own server.
   * @param env More of the environment.
   */
  static async start(
    server?: URL | Command,
    limits: Partial<Limits> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<TestServer> {
    const transport = new StdioClientTransport({
      ...(server && "command" in server
        ? server
        : serverCommand(server ?? (CHECKED ? CHECKED_SERVER : undefined))),
      stderr: "inherit",
      env: { ...Deno.env.toObject(), TEST_LIMITS: JSON.stringify(limits), ...env },
    });
    const client = new Client({ name: "wasmbox-tests", version: "1.0.0" });
    await client.connect(transport);
    return new TestServer(client, transport);
  }

  /** Calls a tool; the result has both the text and the structured content, with the fields that replies leave out. */
  async call(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}) {
    const { onProgress, signal } = options;
    const result = await this.client.callTool({ name, arguments: args }, {
      timeout: 120_000,
      ...(signal && { signal }),
      ...(onProgress &&
        { onprogress: ((progress) => onProgress(progress.message ?? "")) as ProgressCallback }),
    });
    const content = result.content as { type: string; text: string }[];
    return {
      isError: result.isError === true,
      text: content.map((block) => block.text).join("\n"),
      structured: inFull(result.structuredContent as Record<string, unknown>),
    };
  }

  async run(
    language: LanguageAlias,
    code: string,
    more: Record<string, unknown> = {},
    options: CallOptions = {},
  ): Promise<Reply> {
    const { structured, isError } = await this.call("execute_code", { code, language, ...more }, options);
    return { ...structured, isError } as unknown as Reply;
  }

  python(code: string, more: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Reply> {
    return this.run("python", code, more, options);
  }

  javascript(code: string, more: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Reply> {
    return this.run("javascript", code, more, options);
  }

  /** Starts a program and waits until it prints. @returns Its reply, to come. */
  async begin(
    language: LanguageAlias,
    code: string,
    more: Record<string, unknown> = {},
    { signal }: CallOptions = {},
  ): Promise<{ readonly reply: Promise<Reply> }> {
    const printed = Promise.withResolvers<unknown>();
    const onProgress = printed.resolve;
    const reply = this.run(language, code, more, { onProgress, ...(signal && { signal }) });
    await inTime("the program prints", Promise.race([printed.promise, reply]));
    return { reply };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (CHECKED) await this.#endSessions();
    } finally {
      await inTime("the server ends", this.client.close());
    }
  }

  /** Ends the sessions by themselves, so that what is found out then is told. */
  async #endSessions(): Promise<void> {
    const listed = await this.call("list_sessions").catch(() => undefined); // the test may have ended the server
    const sessions = (listed?.structured?.["sessions"] ?? []) as { session_id: string }[];
    await Promise.all(sessions.map(async ({ session_id }) => {
      const { isError, text, structured } = await this.call("destroy_session", { session_id });
      const error = structured["error"] as { error_code: string } | undefined;
      if (!isError || error?.error_code === "SESSION_NOT_FOUND") return;
      throw new Error(`the session "${session_id}" did not end well; see the log: ${text}`);
    }));
  }

  async sessions(): Promise<Listed[]> {
    return (await this.call("list_sessions")).structured["sessions"] as Listed[];
  }

  /** Waits until losing an executor would lose nothing, and the next call waits for nothing. */
  async checkpointed(): Promise<void> {
    await eventually(
      "every session has a checkpoint",
      () => this.sessions(),
      (sessions) => sessions.every(({ checkpoint }) => checkpoint === "current"),
    );
  }
}

/** Ends a process, if it has not ended by itself. */
export async function kill(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has.
  }
  await child.status;
}

/** A file of /proc; nothing if there is none. */
export function procFile(path: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${path}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) return "";
  }
  // Deno itself reads those only with all permissions, which scripts don't have.
  const { stdout } = new Deno.Command("cat", { args: [`/proc/${path}`], stderr: "null" }).outputSync();
  return new TextDecoder().decode(stdout);
}

/** Process ids of a server's executors. */
export function childrenOf(pid: number): number[] {
  return allChildrenOf(pid).filter((child) => !isLookout(child));
}

/** The shell that a server has beside it. */
export function lookoutOf(pid: number): number | undefined {
  return allChildrenOf(pid).find(isLookout);
}

function allChildrenOf(pid: number): number[] {
  return procFile(`${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number);
}

function isLookout(pid: number): boolean {
  return procFile(`${pid}/cmdline`).includes("wasmbox-lookout");
}

/** Kills a server's executors once nothing would be lost with them, and waits until the server knows. */
export async function killExecutors(server: TestServer): Promise<void> {
  await server.checkpointed();
  const alive = () => childrenOf(server.transport.pid ?? 0);
  const executors = alive();
  for (const pid of executors) Deno.kill(pid, "SIGKILL");
  await eventually("the executors are gone", alive, (left) => !left.some((pid) => executors.includes(pid)));
  // It reads to the end first what they sent: who is called before that is lost with them.
  const states = async () => (await server.sessions()).map(({ state }) => state);
  await eventually("no session is in one of them", states, (seen) => !seen.includes("live"));
}

/** Resident memory of a process in MB. What several sessions or processes map counts once, divided among them. */
export function residentMegabytes(pid: number): number {
  return rolledUpMegabytes("Pss", pid);
}

/** Memory in MB that only this process has: whatever others start or end, theirs is not divided anew with it. */
export function ownMegabytes(pid: number): number {
  return rolledUpMegabytes("Anonymous", pid);
}

/** What a process has taken of processors so far, in ticks of 10 ms, as the kernel tells; 0 if there is none. */
export function processorTicks(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const fields = procFile(`${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** Most that a process has had in memory so far, MB. */
export function peakMegabytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(procFile(`${pid}/status`))?.[1]) / 1024;
}

function rolledUpMegabytes(field: "Pss" | "Anonymous", pid: number): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(procFile(`${pid}/smaps_rollup`))?.[1]) / 1024;
}
