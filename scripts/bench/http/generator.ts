/** The load generator, as a process that lives as long as it is needed. */

import { fileURLToPath } from "node:url";
import type { Job, Load } from "./job.ts";

const PROGRAM = fileURLToPath(new URL("./load.ts", import.meta.url));

export class Generator implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;

  constructor() {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--allow-net", PROGRAM],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  async run(job: Job): Promise<Load> {
    await this.#input.write(new TextEncoder().encode(`${JSON.stringify(job)}\n`));
    let text = "";
    while (!text.endsWith("\n")) {
      const { value, done } = await this.#output.read();
      if (done) throw new Error("the load generator ended");
      text += value;
    }
    return JSON.parse(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close();
    await this.#output.cancel();
    await this.#child.status;
  }
}
