/** What a session's programs print: it goes to the server, or to whoever looks into the session by a program. */

import type { OutcomeMessage } from "../wire/from_executor.ts";
import type { WorkerSettings } from "../wire/to_executor.ts";
import { OutputSink } from "./output.ts";
import type { Post } from "./scope.ts";

type Stream = "stdout" | "stderr";
type Listener = (stream: Stream, bytes: Uint8Array) => void;

export class SessionOutput {
  readonly #stdout: OutputSink;
  readonly #stderr: OutputSink;
  #listener: Listener | undefined;

  constructor(settings: Pick<WorkerSettings, "stdoutMaxBytes" | "stderrMaxBytes">, post: Post) {
    const sink = (stream: Stream, maxBytes: number) =>
      new OutputSink(maxBytes, (bytes) => post({ type: "output", stream, bytes }));
    this.#stdout = sink("stdout", settings.stdoutMaxBytes);
    this.#stderr = sink("stderr", settings.stderrMaxBytes);
  }

  /** An execution begins. */
  begin(): void {
    this.#stdout.begin();
    this.#stderr.begin();
  }

  write(stream: Stream, bytes: Uint8Array): void {
    if (this.#listener) this.#listener(stream, bytes);
    else if (stream === "stdout") this.#stdout.write(bytes);
    else this.#stderr.write(bytes);
  }

  /** Gives all that is printed to a listener, and to nobody else; undefined: to the server again. */
  listen(listener: Listener | undefined): void {
    this.#listener = listener;
  }

  /** Sends what has waited for long enough. */
  flushStale(): void {
    this.#stdout.flushStale();
    this.#stderr.flushStale();
  }

  flush(): void {
    this.#stdout.flush();
    this.#stderr.flush();
  }

  /** The execution has ended: sends what is left. @returns How much of each stream was dropped. */
  finish(): OutcomeMessage["dropped"] {
    return { stdout: this.#stdout.finish(), stderr: this.#stderr.finish() };
  }
}
