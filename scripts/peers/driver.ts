/** Peers that are libraries, each in a process of its own that reads commands and tells times: `drivers`. */

import { fileURLToPath } from "node:url";
import { type Installed, type Language, type Ran, type Running, Unavailable } from "./peer.ts";

/** How long a call may take; the slowest peer needs twelve seconds for one. */
const PATIENCE_MS = 180_000;

export function driverPath(file: string): string {
  return fileURLToPath(new URL(`./drivers/${file}`, import.meta.url));
}

/** The program of a driver in Python, whole, so that it also runs where the checkout is out of sight. */
export async function pythonDriver(name: string): Promise<string> {
  const parts = [`${name}.py`, "protocol.py"].map((file) => Deno.readTextFile(driverPath(file)));
  return (await Promise.all(parts)).join("\n");
}

interface Answer {
  readonly ms?: readonly number[];
  readonly output?: string;
  readonly error?: string;
}

export class DriverProcess implements Running {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #unread = "";

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const [command = "", ...args] = argv;
    this.#child = new Deno.Command(command, {
      args,
      env: { ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  get pids(): readonly number[] {
    return [this.#child.pid];
  }

  async run(session: string, code: string, language: Language = "python"): Promise<Ran> {
    const { ms, output } = await this.#ask({ session, code, language, times: 1 });
    return { ms: ms[0] ?? NaN, output };
  }

  async repeat(session: string, code: string, times: number): Promise<number[]> {
    return [...(await this.#ask({ session, code, language: "python", times })).ms];
  }

  async #ask(command: Record<string, unknown>): Promise<{ ms: readonly number[]; output: string }> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    try {
      await this.#input.write(new TextEncoder().encode(`${JSON.stringify(command)}\n`));
      const { ms = [], output = "", error }: Answer = JSON.parse(await this.#line());
      if (error !== undefined) throw new Unavailable(error.slice(0, 200));
      return { ms, output };
    } finally {
      clearTimeout(timer);
    }
  }

  async #line(): Promise<string> {
    while (!this.#unread.includes("\n")) {
      const { value, done } = await this.#output.read();
      if (done) throw new Unavailable("its process ended");
      this.#unread += value;
    }
    const [line = ""] = this.#unread.split("\n", 1);
    this.#unread = this.#unread.slice(line.length + 1);
    return line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#input.abort().catch(() => {});
    await this.#output.cancel().catch(() => {});
    await this.#child.status;
  }
}

/** A peer whose sessions are in the process of its driver. */
export function library(
  version: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Installed {
  return { version, start: () => Promise.resolve(new DriverProcess(argv, env)) };
}
