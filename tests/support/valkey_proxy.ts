/** A network between a server and Valkey that can be cut: bytes that are held back arrive later, as in a real one. */

export class ValkeyProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  #gate = Promise.withResolvers<void>();
  /** Whether new connections are held too. */
  #all = true;

  constructor(readonly port: number) {
    this.#gate.resolve();
    void this.#accept();
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** Those that are open, of both sides. */
  get connections(): number {
    return this.#open.size;
  }

  /** Holds all bytes back, in both directions. @param all Of connections that are made from now on, too. */
  cut({ all = true } = {}): void {
    this.#all = all;
    this.#gate = Promise.withResolvers();
  }

  heal(): void {
    this.#gate.resolve();
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const connection of this.#open) this.#close(connection);
    this.heal();
  }

  async #accept(): Promise<void> {
    for await (const near of this.#listener) {
      const isFree = !this.#all;
      const far = await Deno.connect({ hostname: "127.0.0.1", port: this.port }).catch(() => undefined);
      if (!far) {
        near.close();
        continue;
      }
      for (const connection of [near, far]) this.#open.add(connection);
      void this.#pass(near, far, isFree);
      void this.#pass(far, near, isFree);
    }
  }

  async #pass(from: Deno.Conn, to: Deno.Conn, isFree: boolean): Promise<void> {
    const bytes = new Uint8Array(65_536);
    try {
      for (;;) {
        const length = await from.read(bytes);
        if (!isFree) await this.#gate.promise;
        if (length === null) break;
        for (let at = 0; at < length;) at += await to.write(bytes.subarray(at, length));
      }
    } catch {
      // One of the two has gone.
    }
    this.#close(to);
  }

  #close(connection: Deno.Conn): void {
    if (this.#open.delete(connection)) connection.close();
  }
}
