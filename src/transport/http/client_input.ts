/** What a client sends, as far as it has not been passed on. */

/** Room for as much as most requests have; there are many connections. */
const FIRST_BYTES = 4 * 1024;
/** So much a client may send ahead; then it waits. */
const AHEAD_BYTES = 64 * 1024;

export class ClientInput {
  #buffer = new Uint8Array(FIRST_BYTES);
  #start = 0;
  #end = 0;
  #maxBytes = AHEAD_BYTES;
  #reading: Promise<boolean> | undefined;

  constructor(readonly client: Deno.TcpConn) {}

  /** What is there. It is valid until more is waited for. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Whether there is no room for more. */
  get full(): boolean {
    return this.#end - this.#start === this.#maxBytes;
  }

  /** The first so many bytes are of no use any more. */
  consume(count: number): void {
    this.#start += count;
  }

  /** Makes room for more. */
  grow(): void {
    this.#maxBytes *= 2;
  }

  /**
   * Waits for more than is there, if there is room for it; several may wait for the same.
   *
   * @returns False if the client has nothing more to say.
   * @throws If the connection is broken, or closed.
   */
  more(): Promise<boolean> {
    return this.#reading ??= this.#read();
  }

  /** Waits for the end; nothing before it is of use. */
  async drain(): Promise<void> {
    do this.#start = this.#end; while (await this.more());
  }

  async #read(): Promise<boolean> {
    this.#makeRoom();
    try {
      const read = await this.client.read(this.#buffer.subarray(this.#end));
      this.#end += read ?? 0;
      return read !== null;
    } finally {
      this.#reading = undefined;
    }
  }

  /** Where all of the room was needed, more of it will be. */
  #makeRoom(): void {
    const { bytes } = this;
    if (this.#end === this.#buffer.length && this.#end < this.#maxBytes) {
      this.#buffer = new Uint8Array(2 * this.#buffer.length);
      this.#buffer.set(bytes);
    } else if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    }
    this.#end -= this.#start;
    this.#start = 0;
  }
}
