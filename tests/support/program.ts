/** Runs the program by its command line, from source or compiled. */

import { serverCommand } from "./harness.ts";

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** What it reads; nothing if absent. */
  readonly input?: string;
}

/** How it is started; from source, with the permissions that the executable has. */
export function programCommand(): { command: string; args: string[] } {
  const { command, args } = serverCommand();
  return {
    command,
    args: args[0] === "run" ? ["run", "--allow-write", "--allow-net", ...args.slice(1)] : args,
  };
}

export async function runProgram(
  more: readonly string[],
  { env = {}, cwd, input = "" }: RunOptions = {},
): Promise<Ended> {
  const { command, args } = programCommand();
  const child = new Deno.Command(command, {
    args: [...args, ...more],
    env: { NO_COLOR: "1", ...env },
    ...cwd !== undefined && { cwd },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // It may end without reading.
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}
