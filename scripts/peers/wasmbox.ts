/** Ourselves, as clients meet us: a server, MCP over stdio, and all limits and checkpoints as they are by default. */

import { serverCommand, TestServer } from "../../tests/support/harness.ts";
import { tryRun } from "../assets/process.ts";
import { builtExecutable } from "../built_executable.ts";
import { type Language, type Peer, type Ran, type Running, Unavailable } from "./peer.ts";

/** More than a client gets by default: ten. */
const SESSIONS = "200";

class Served implements Running {
  constructor(readonly server: TestServer) {}

  get pids(): readonly number[] {
    return [this.server.transport.pid ?? 0];
  }

  async run(session: string, code: string, language: Language = "python"): Promise<Ran> {
    const start = performance.now();
    const reply = await this.server.run(language, code, { session_id: session, timeout: 120 });
    const ms = performance.now() - start;
    if (reply.status !== "completed") {
      throw new Unavailable(`${reply.status}: ${reply.error?.message}`.slice(0, 200));
    }
    return { output: reply.stdout, ms };
  }

  async repeat(session: string, code: string, times: number): Promise<number[]> {
    const taken: number[] = [];
    for (let i = 0; i < times; i++) taken.push((await this.run(session, code)).ms);
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

/** The executable, if it is built. */
async function command() {
  const executable = await builtExecutable();
  if (executable) return { shape: "executable", argv: { command: executable, args: [] } };
  return { shape: "from source", argv: serverCommand() };
}

export const wasmbox: Peer = {
  name: "wasmbox",
  what:
    "CPython 3.13, QuickJS and a shell in V8, in processes without rights; called through MCP over stdio, every call with a checkpoint",
  lacks:
    "Programs have no threads and no processes of their own. Each call pays for a protocol and a pipe, which libraries don't have.",
  languages: ["python", "javascript"],
  async install() {
    const { shape, argv } = await command();
    for (const key of ["MAX_SESSIONS", "MAX_SESSIONS_PER_CLIENT"]) {
      Deno.env.set(`WASMBOX_POLICY_${key}`, SESSIONS);
    }
    Deno.env.set("WASMBOX_LOGGING_LEVEL", "error");
    const version = (await tryRun([argv.command, ...argv.args, "--version"]))?.trim();
    if (version === undefined) throw new Unavailable("does not start");
    return {
      version: `${version.split(" ").at(-1)}, ${shape}`,
      start: async () => new Served(await TestServer.start(argv)),
    };
  },
};
