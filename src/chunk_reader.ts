/** Reading a stream of bytes with little garbage. */

/** What a pipe holds as a rule. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Reads a stream through one buffer. A stream's own reads take 64 KiB each, most of which a small message leaves to be
 * collected, and V8 collects the more often for it.
 */
export class ChunkReader {
  readonly #reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array>;
  #buffer: Uint8Array<ArrayBuffer>;

  /**
   * @param stream Of bytes, as the platform's files and pipes are; of any other the chunks are as they come.
   * @param bufferBytes Most that is read at a time.
   */
  constructor(stream: ReadableStream<Uint8Array>, bufferBytes = BUFFER_BYTES) {
    this.#buffer = new Uint8Array(bufferBytes);
    this.#reader = byobReader(stream) ?? stream.getReader();
  }

  /** The next chunk, valid until the next call; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#reader instanceof ReadableStreamDefaultReader) return (await this.#reader.read()).value;
    const { value, done } = await this.#reader.read(this.#buffer);
    if (done) return undefined;
    this.#buffer = new Uint8Array(value.buffer);
    return value;
  }

  /** Ends a read that waits, and all others. */
  cancel(): void {
    void this.#reader.cancel().catch(() => {}); // it may have ended already
  }
}

function byobReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}
