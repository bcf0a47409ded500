/** Takes what a session has made from one interpreter to another (`wasm/python/glue/_wasmbox_moving.py`). */

import * as z from "zod/mini";
import { FIRST_LAYER_INO } from "../../fs/inode.ts";
import type { SavedDescriptor } from "../../wasi/descriptors.ts";
import type { PythonInstance, Reply } from "./instance.ts";

/** Characters of a reason for which a session stays where it is. */
const MAX_REASON = 1000;

const stays = z.object({ stays: z.string() });
const taken = z.array(z.number());

/** What a session leaves with; or why it stays. */
export type Departure = { readonly packed: Uint8Array } | { readonly stays: string };

/**
 * Packs what a session has made; it is not changed by that.
 *
 * @throws what ends the guest from outside, as {@link PythonInstance.request} does.
 */
export function depart(from: PythonInstance, maxBytes: number): Departure {
  const reply = from.exchange(new TextEncoder().encode('{"leaving":true}'), maxBytes);
  const why = reasonIn(reply);
  if (why !== undefined) return { stays: why };
  const packed = (reply as { answer: Uint8Array }).answer.slice();
  const open = openFiles(from);
  const along = open.length > 0 ? takenBy(from) : [];
  // What could not be named: no name holds it, and no file would be open afterwards.
  if (open.some((fd) => !along.includes(fd))) return { stays: "a file that is open" };
  return { packed };
}

/** The descriptors of open files that went along. */
function takenBy(from: PythonInstance): readonly number[] {
  const reply = from.exchange(new TextEncoder().encode('{"taken":true}'), 64 * 1024);
  try {
    return reply.kind === "answer" ? taken.parse(JSON.parse(new TextDecoder().decode(reply.answer))) : [];
  } catch {
    return []; // no valid answer
  }
}

/** Unpacks it in a fresh interpreter. @returns Why that could not be done. @throws as {@link depart}. */
export function arrive(at: PythonInstance, packed: Uint8Array): string | undefined {
  return reasonIn(at.exchange(packed, 64 * 1024));
}

function reasonIn(reply: Reply<Uint8Array>): string | undefined {
  switch (reply.kind) {
    case "too_big":
    case "glue_out_of_memory":
      return "a lack of memory in which to take its variables along";
    case "glue_failed":
      return `the interpreter failed: ${reply.reason}`.slice(0, MAX_REASON);
    case "answer":
      return reply.answer[0] === "{".charCodeAt(0) ? parse(reply.answer) : undefined;
  }
}

/** The program shares an interpreter with the glue: what it says is not trusted. */
function parse(answer: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder().decode(answer);
    if (text === "{}") return undefined;
    return stays.parse(JSON.parse(text)).stays.slice(0, MAX_REASON);
  } catch {
    return "the interpreter gave no valid answer";
  }
}

/** Descriptors that are no streams, and none of a library's. */
function openFiles({ state }: PythonInstance): number[] {
  return state.descriptors
    .filter((row) => row.kind !== "stream" && !(row.kind === "file" && isOfSystem(row)))
    .map(({ fd }) => fd);
}

/** Libraries keep files of their own open, and open them again elsewhere: `importlib.metadata` does. */
function isOfSystem({ preopen, ino, path }: SavedDescriptor & { kind: "file" }): boolean {
  return preopen || path === undefined && ino >= FIRST_LAYER_INO;
}
