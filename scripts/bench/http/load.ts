/**
 * Sends the same request over and over on some connections that stay open, in a process of its own. Reads one job a
 * line on stdin and prints one result a line. Sockets are used raw: fetch costs more than what is measured.
 */

import { cpuUsage } from "node:process";
import type { Job, Load } from "./job.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const END_OF_HEAD = encoder.encode("\r\n\r\n");
const END_OF_CHUNKS = encoder.encode("0\r\n\r\n");

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  outer: for (let at = 0; at + wanted.length <= bytes.length; at++) {
    for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) continue outer;
    return at;
  }
  return -1;
}

function endsWith(bytes: Uint8Array, wanted: Uint8Array): boolean {
  return wanted.every((byte, i) => bytes[bytes.length - wanted.length + i] === byte);
}

/** One connection, and the room its responses are read into. */
class Connection {
  readonly #buffer = new Uint8Array(256 * 1024);

  constructor(readonly socket: Deno.TcpConn) {}

  /** Sends a request. @returns When the whole response is there. @throws If it isn't 200. */
  async exchange(request: Uint8Array): Promise<void> {
    for (let sent = 0; sent < request.length;) sent += await this.socket.write(request.subarray(sent));
    let length = 0;
    let head = -1;
    let whole: number | undefined;
    for (;;) {
      const read = await this.socket.read(this.#buffer.subarray(length));
      if (read === null) throw new Error("the server closed the connection");
      length += read;
      const got = this.#buffer.subarray(0, length);
      if (head < 0) {
        head = indexOf(got, END_OF_HEAD);
        if (head < 0) continue;
        const text = decoder.decode(got.subarray(0, head));
        if (!text.startsWith("HTTP/1.1 200")) throw new Error(decoder.decode(got));
        const declared = /content-length: (\d+)/i.exec(text)?.[1];
        whole = declared === undefined ? undefined : head + END_OF_HEAD.length + Number(declared);
      }
      if (whole === undefined ? endsWith(got, END_OF_CHUNKS) : length >= whole) return;
    }
  }
}

async function run({ port, requests, connections, ms }: Job): Promise<Load> {
  const bytes = requests.map((request) => encoder.encode(request));
  const open = await Promise.all(
    Array.from({ length: connections }, () => Deno.connect({ hostname: "127.0.0.1", port })),
  );
  for (const socket of open) socket.setNoDelay(true);
  const times: number[] = [];
  const started = performance.now();
  const until = started + ms;
  const before = cpuUsage();
  await Promise.all(open.map(async (socket, index) => {
    const connection = new Connection(socket);
    const request = bytes[index % bytes.length]!;
    for (let before = performance.now(); before < until;) {
      await connection.exchange(request);
      const after = performance.now();
      times.push(after - before);
      before = after;
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = cpuUsage(before);
  const busy = (user + system) / 1e6 / seconds;
  for (const socket of open) socket.close();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;
  return { perSecond: times.length / seconds, p50: quantile(0.5), p99: quantile(0.99), busy };
}

let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  rest += text;
  while (rest.includes("\n")) {
    const [line = ""] = rest.split("\n", 1);
    rest = rest.slice(line.length + 1);
    console.log(JSON.stringify(await run(JSON.parse(line))));
  }
}
