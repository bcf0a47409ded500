/** Python's official client, where pip can install it. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheDirectory } from "../../../scripts/assets/paths.ts";
import type { Reply } from "../harness.ts";
import type { Target } from "./target.ts";

const VERSION = "2.3.0";
const PROGRAM = fileURLToPath(new URL("./python_client.py", import.meta.url));

export interface Seen {
  readonly tools: string[];
  readonly replies: Reply[];
}

/** @returns The interpreter of an environment that has the client, or why there is none. */
export async function pythonWithClient(): Promise<{ python: string } | { missing: string }> {
  const environment = join(cacheDirectory(), `python-mcp-${VERSION}`);
  const python = join(environment, "bin", "python");
  if (await succeeds(python, ["-c", "import mcp"])) return { python };
  if (!await succeeds("python3", ["-m", "venv", "--clear", environment])) {
    return { missing: "python3 can't make an environment" };
  }
  const install = ["-m", "pip", "install", "--quiet", "--retries=1", "--timeout=10", `mcp==${VERSION}`];
  return await succeeds(python, install) ? { python } : { missing: `pip can't install mcp ${VERSION}` };
}

/** @param mode "legacy" for the protocols with sessions, or a revision without. */
export async function runPythonClient(
  python: string,
  target: Target,
  mode: string,
  session: string,
  programs: readonly string[],
): Promise<Seen> {
  const where = target.kind === "http" ? target.url.href : target.command;
  const { stdout, stderr } = await new Deno.Command(python, {
    args: [PROGRAM, target.kind, where, mode, session, ...programs],
    stdin: "null",
  }).output();
  try {
    return JSON.parse(new TextDecoder().decode(stdout));
  } catch {
    throw new Error(new TextDecoder().decode(stderr));
  }
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  try {
    const output = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command, { args, ...output }).output()).success;
  } catch {
    return false; // there is no such program
  }
}
