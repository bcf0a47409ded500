/** The pipe to an executor: frames both ways. What it has not read is bounded, as is, by credit, what it sends in bulk. */

import { ChunkReader } from "../../chunk_reader.ts";
import type { ExecutorEndCause } from "../../telemetry/events.ts";
import { BULK_WINDOW_BYTES, PIPE_BYTES } from "../wire/bounds.ts";
import { type Arrival, Demultiplexer } from "../wire/demultiplexer.ts";
import { FrameEncoder, PROCESS_CHANNEL, SECRET_BYTES } from "../wire/frames.ts";
import type { ToExecutor } from "../wire/to_executor.ts";

/** What may wait for an executor that does not read; a healthy one reads what it is sent at once. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** What a write that waits takes beside its bytes. */
const WRITE_BYTES = 1024;

/** The executor, as its pipe knows it. */
export interface PipeEnd {
  /** False once it has ended or was told to. */
  isAlive(): boolean;
  /** Whether a channel is in use: what comes on others is dropped. */
  knows(channel: number): boolean;
  arrived(arrival: Arrival): void;
  kill(cause: ExecutorEndCause, reason: string): void;
}

export class ExecutorPipe {
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBufferLike>>;
  readonly #output: ReadableStream<Uint8Array>;
  readonly #encoder = new FrameEncoder();
  readonly #frames: Demultiplexer;
  /** Written, and not read by the executor yet. */
  #unread = 0;
  /** Taken of what it sends in bulk, and not granted anew yet. */
  #taken = 0;

  constructor({ stdin, stdout }: Deno.ChildProcess, readonly end: PipeEnd) {
    const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    this.#input = stdin.getWriter();
    this.#output = stdout;
    this.#frames = new Demultiplexer({
      secret,
      knows: (channel) => end.knows(channel),
      // Also for sessions that were closed meanwhile: the executor waits for the credit of all that it sent.
      seen: ({ kind, payload }) => kind === "image" && this.#grant(payload.length),
    });
    this.#write(secret);
  }

  /** @param bytes What goes before the message. @throws {TooLarge} and then nothing was sent. */
  send(channel: number, message: ToExecutor, bytes?: Uint8Array): void {
    const frames = this.#encoder.message(channel, message);
    if (bytes && bytes.length > 0) this.#write(this.#encoder.bytes("bytes", channel, bytes));
    this.#write(frames);
  }

  /** Batches of an image's entries. Many are written at once: each write takes its turn of the event loop. */
  sendImage(channel: number, batches: readonly Uint8Array[]): void {
    this.#write(this.#encoder.all("image", channel, batches));
  }

  /** Waits until it has room for more. @returns False for a broken pipe, which is seen as the end of the process. */
  hasRoom(): Promise<boolean> {
    return this.#input.ready.then(() => true, () => false);
  }

  /** Takes what it sends, until its end. @throws What a breach of protocol is. */
  async receive(): Promise<void> {
    const chunks = new ChunkReader(this.#output, PIPE_BYTES);
    try {
      for (let chunk = await chunks.read(); chunk; chunk = await chunks.read()) {
        for (const arrival of this.#frames.push(chunk)) this.end.arrived(arrival);
      }
    } finally {
      chunks.cancel(); // of an executor that broke the protocol the pipe is still open
    }
  }

  /** Forgets what a channel has begun: it is closed. */
  drop(channel: number): void {
    this.#frames.drop(channel);
  }

  #write(bytes: Uint8Array): void {
    const cost = bytes.length + WRITE_BYTES;
    this.#unread += cost;
    if (this.#unread > MAX_UNREAD_BYTES) {
      return this.end.kill("unresponsive", "its process did not read what it was sent");
    }
    const read = () => void (this.#unread -= cost);
    this.#input.write(bytes).then(read, read); // a broken pipe is seen as the end of the process
  }

  /** Lets the executor send more, in portions that are worth a message. */
  #grant(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < BULK_WINDOW_BYTES / 4) return;
    if (this.end.isAlive()) this.send(PROCESS_CHANNEL, { type: "credit", bytes: this.#taken });
    this.#taken = 0;
  }
}
