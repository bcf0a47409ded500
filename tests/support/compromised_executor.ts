/** An executor that was taken over: it knows the protocol and its secret, and sends what the server must withstand. */

import { encodeEntries } from "../../src/executor/wire/entry.ts";
import { FrameEncoder, PROCESS_CHANNEL, SECRET_BYTES } from "../../src/executor/wire/frames.ts";

/** What it does, once it has said that it is ready and the server has opened two sessions. */
export type Attack =
  /** Begins messages of `channels` sessions, `bytes` each, and ends none. */
  | {
    readonly kind: "parts";
    readonly firstChannel: number;
    readonly channels: number;
    readonly bytes: number;
  }
  /** A checkpoint of the first session with as many entries as that, of no bytes each. */
  | { readonly kind: "entries"; readonly entries: number }
  /** So many pieces of output of the first session, of one byte each. */
  | { readonly kind: "output"; readonly pieces: number }
  /** Asks for operations without end, and reads none of the answers. */
  | { readonly kind: "deaf" }
  /** Holds so much memory, and says that it and its sessions hold next to nothing. */
  | { readonly kind: "memory"; readonly bytes: number };

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

function* emptyEntries(count: number) {
  for (let a = 0; a < count; a++) yield { section: 200, a, b: 0, bytes: new Uint8Array(0) };
}

async function main(attack: Attack): Promise<void> {
  const reader = Deno.stdin.readable.getReader();
  let head = new Uint8Array(0);
  while (head.length < SECRET_BYTES) {
    const { value, done } = await reader.read();
    if (done) return;
    head = new Uint8Array([...head, ...value]);
  }
  const secret = head.slice(0, SECRET_BYTES);
  const encoder = new FrameEncoder(secret);
  write(
    encoder.message(PROCESS_CHANNEL, {
      type: "ready",
      permissionsLeft: [],
      bases: {},
      sharedBytes: 0,
      seats: 1,
    }),
  );
  for (const channel of [1, 2]) write(encoder.message(channel, { type: "opened", lost: [] }));
  if (attack.kind === "parts") {
    const piece = new Uint8Array(60_000).fill(0x78);
    for (let i = 0; i < attack.channels; i++) {
      for (let sent = 0; sent < attack.bytes; sent += piece.length) {
        const frame = encoder.bytes("message", attack.firstChannel + i, piece);
        frame[SECRET_BYTES + 5] = 0; // never the last piece
        write(frame);
      }
    }
  } else if (attack.kind === "output") {
    const piece = encoder.bytes("stdout", 1, new Uint8Array([0x78]));
    const together = 1000;
    const pieces = new Uint8Array(together * piece.length);
    for (let i = 0; i < together; i++) pieces.set(piece, i * piece.length);
    for (let sent = 0; sent < attack.pieces; sent += together) write(pieces);
  } else if (attack.kind === "deaf") {
    for (let call = 1;; call++) {
      write(encoder.message(1, { type: "host_call", call, operation: "none", request: "{}" }));
    }
  } else if (attack.kind === "memory") {
    const held = new Uint8Array(attack.bytes).fill(1);
    const sessions = [1, 2].map((channel) => ({ channel, bytes: 1000 }));
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      write(encoder.message(PROCESS_CHANNEL, { type: "memory", rssBytes: held[0], sessions }));
    }
  } else {
    for (const batch of encodeEntries(emptyEntries(attack.entries), 60 * 1024)) {
      write(encoder.bytes("image", 1, batch));
    }
    write(encoder.message(1, { type: "checkpoint", change: 0, complete: true }));
  }
  write(encoder.message(2, { type: "lost", reason: "done" })); // tells that all of it was written
  for (let read = await reader.read(); !read.done; read = await reader.read());
}

await main(JSON.parse(Deno.args[0]!));
