/** Takes what a session has made from one interpreter to another (`wasm/python/glue/_wasmbox_moving.py`). */

import * as z from "zod/mini";
import { FIRST_LAYER_INO } from "../../fs/inode.ts";
import type { SavedDescriptor } from "../../wasi/descriptors.ts";
import type { PythonInstance, Reply } from "./instance.ts";

/** Characters of a reason for which a session stays where it is. */
const MAX_REASON = 1000;

const stays = z.object({ stays: z.string() });

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
  // What could not be named: no name holds it, and no file would be open afterwards.
  if (hasOpenFiles(from)) return { stays: "a file that is open" };
  return { packed: (reply as { answer: Uint8Array }).answer.slice() };
}

/** Unpacks it in a fresh interpreter. @returns Why that could not be done. @throws as {@link depart}. */
export function arrive(at: PythonInstance, packed: Uint8Array): string | undefined {
  return reasonIn(at.exchange(packed, 64 * 1024));
}

function reasonIn(reply: Reply<Uint8Array>): string | undefined {
  switch (reply.kind) {
    case "too_big":
    case "glue_out_of_memory":
      return "there is no memory to take its variables along";
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

function hasOpenFiles({ state }: PythonInstance): boolean {
  return state.descriptors.some((row) => row.kind !== "stream" && !(row.kind === "file" && isOfSystem(row)));
}

/** Libraries keep files of their own open, and open them again elsewhere: `importlib.metadata` does. */
function isOfSystem({ preopen, ino, path }: SavedDescriptor & { kind: "file" }): boolean {
  return preopen || path === undefined && ino >= FIRST_LAYER_INO;
}
