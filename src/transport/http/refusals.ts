/** Telling clients that there are too many connections, before anything of them was read. */

import { close } from "./connection.ts";
import { Refusal } from "./refusal.ts";

/** For a client to read it. Its kernel would drop it if the connection were closed with bytes of the client unread. */
const READING_MS = 1000;
/** Clients that are given that time; there may be any number of them. */
const MAX_READING = 100;

export class Refusals {
  #reading = 0;

  async refuse(client: Deno.TcpConn): Promise<void> {
    this.#reading++;
    const late = setTimeout(() => close(client), READING_MS);
    try {
      await client.write(await refusal());
      if (this.#reading > MAX_READING) return;
      await client.closeWrite();
      const buffer = new Uint8Array(1024);
      while (await client.read(buffer) !== null);
    } catch {
      // gone, or late
    } finally {
      clearTimeout(late);
      close(client);
      this.#reading--;
    }
  }
}

async function refusal(): Promise<Uint8Array> {
  const refusal = Refusal.later(503, "SERVER_BUSY", "Too many connections", 5);
  const body = await refusal.toResponse().text();
  const head = [
    "HTTP/1.1 503 Service Unavailable",
    "content-type: application/json",
    `content-length: ${body.length}`,
    "retry-after: 5",
    "connection: close",
  ].join("\r\n");
  return new TextEncoder().encode(`${head}\r\n\r\n${body}`);
}
