/** A server process on HTTP. */

import { type Command, NoAnswer } from "./client.ts";

/** How long it may take to end by itself. */
const DEADLINE_MS = 20_000;
const LOG_KEPT = 4_000;

/** On HTTP a server does not end with its stdin: a shell sees to it, however this process ends. */
const LEASH = '"$@" < /dev/null & exec 2> /dev/null; read -r _; kill "$!"; wait';

/** Its process, and what it says. */
export class HttpServer implements AsyncDisposable {
  /** Where it listens. @throws {NoAnswer} with the end of its log, if it ends before it does. */
  readonly url: Promise<URL>;
  readonly #child: Deno.ChildProcess;
  readonly #over: Promise<unknown>;
  #log = "";

  constructor({ command, args, env }: Command) {
    const leash = Deno.build.os === "windows" ? [] : ["/bin/sh", "-c", LEASH, "sh"];
    const [program = command, ...rest] = [...leash, command, ...args];
    this.#child = new Deno.Command(program, {
      args: rest,
      env: { ...env },
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const url = Promise.withResolvers<URL>();
    this.url = url.promise;
    this.url.catch(() => {}); // told to who waits for it
    const read = async () => {
      for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
        this.#log = (this.#log + text).slice(-LOG_KEPT);
        const told = /listening on (http:[^\s"]+)[\s"]/.exec(this.#log)?.[1];
        if (told !== undefined) url.resolve(new URL(told));
      }
      url.reject(new NoAnswer(`the server on HTTP ended: ${this.#log.trim().slice(-500)}`));
    };
    this.#over = Promise.all([read(), this.#child.status]);
  }

  /** The end of what it logged. */
  get log(): string {
    return this.#log;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close().catch(() => {}); // it has ended
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), DEADLINE_MS);
    await this.#over;
    clearTimeout(timer);
  }
}
