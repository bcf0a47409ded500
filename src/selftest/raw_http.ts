/** HTTP as bytes on a connection: what no well-behaved client would send, or would leave unread. */

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const latin1 = new TextDecoder("latin1");

/** Each character is one byte. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The server has closed the connection before it had answered. */
export class Closed extends Error {
  override name = "Closed";

  constructor(readonly said: string) {
    super(`closed after "${said.slice(0, 200)}"`);
  }
}

export class RawClient implements Disposable {
  #received = "";
  #sent = 0;

  private constructor(readonly connection: Deno.TcpConn) {}

  /** @param text What is sent at once, as far as the server takes it. */
  static async connect(server: { readonly url: URL }, text = ""): Promise<RawClient> {
    const client = new RawClient(
      await Deno.connect({ hostname: "127.0.0.1", port: Number(server.url.port) }),
    );
    client.connection.setNoDelay(true);
    await client.send(text).catch(() => {}); // it may have been refused already
    return client;
  }

  async send(text: string): Promise<void> {
    const bytes = bytesOf(text);
    for (let sent = 0; sent < bytes.length;) {
      const written = await this.connection.write(bytes.subarray(sent));
      sent += written;
      this.#sent += written;
    }
  }

  /** Waits until the server takes no more of what is being sent. */
  async stuck(): Promise<void> {
    for (let before = -1; this.#sent > before;) {
      before = this.#sent;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Waits for more. @returns False once the server has closed the connection. */
  async more(): Promise<boolean> {
    const buffer = new Uint8Array(64 * 1024);
    let read: number | null;
    try {
      read = await this.connection.read(buffer);
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
      read = null;
    }
    this.#received += latin1.decode(buffer.subarray(0, read ?? 0));
    return read !== null;
  }

  /** Waits until the server closes the connection. @returns What was not looked at. */
  async rest(): Promise<string> {
    while (await this.more());
    return this.#received;
  }

  /** Waits for the next answer. @throws {Closed} */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take();
      if (answer) return answer;
      if (!await this.more()) throw new Closed(this.#received);
    }
  }

  [Symbol.dispose](): void {
    try {
      this.connection.close();
    } catch {
      // closed already
    }
  }

  #take(): RawAnswer | undefined {
    const received = this.#received;
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = received.slice(0, end);
    const start = end + 4;
    const status = Number(head.split(" ")[1]);
    const chunked = /^transfer-encoding: chunked$/im.test(head);
    const last = received.indexOf("0\r\n\r\n", start);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const bodyEnd = chunked ? last : start + length;
    if (bodyEnd < 0 || bodyEnd > received.length) return undefined;
    this.#received = received.slice(chunked ? last + 5 : bodyEnd);
    return { status, head, body: received.slice(start, bodyEnd) };
  }
}

/** A request without a body. */
export const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n");

/** A POST to the MCP endpoint. @param body With the length that its headers tell, or not. */
export const post = (body: string, ...headers: string[]) =>
  ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", ...headers, "", body].join(
    "\r\n",
  );

/** The header that says how long a body is. */
export const lengthOf = (body: string) => `Content-Length: ${body.length}`;
