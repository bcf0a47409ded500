/**
 * A session as one file, to be taken to another name, store or server.
 *
 * One line of text (format, name of the key, HMAC-SHA256 of the format and the JSON, hexadecimal); a line of JSON, which
 * has the digest of what follows; then the image as one segment.
 */

import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import type { ImageEntry } from "../executor/wire/entry.ts";
import type { Bases } from "../executor/wire/bases.ts";
import { type SessionFacts, sessionFacts } from "./facts.ts";
import type { Keys } from "./keys.ts";
import { decodeSegment, encodeSegment } from "./segment_file.ts";
import { ImageRefused } from "./store.ts";

const FORMAT = "wasmbox-export-1";
const LINE_MAX = 300;
const JSON_MAX = 64 * 1024;
const NEWLINE = 10;

const envelope = z.object({
  sessionId: z.string(),
  /** Milliseconds of the epoch. */
  at: z.number(),
  bases: z.record(z.string(), z.string()),
  facts: sessionFacts,
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});

export interface ExportedSession {
  /** What its heaps are deltas of. */
  readonly bases: Bases;
  readonly facts: SessionFacts;
  /** All of its image. */
  readonly entries: readonly ImageEntry[];
}

/** Whether a file that begins like this is an exported session, as far as can be seen. */
export function looksExported(beginning: Uint8Array): boolean {
  return Buffer.from(beginning).toString("latin1").startsWith("wasmbox-export-");
}

/** @param sessionId What it was called; for people. */
export async function encodeExport(
  { bases, facts, entries }: ExportedSession,
  sessionId: string,
  keys: Keys,
): Promise<Uint8Array> {
  const { bytes, sha256 } = await encodeSegment(entries);
  const json = Buffer.from(JSON.stringify({ sessionId, at: Date.now(), bases, facts, sha256 }));
  const { name, mac } = keys.sign(signed(json));
  return Buffer.concat([Buffer.from(`${FORMAT} ${name} ${mac}\n`), json, Buffer.from("\n"), bytes]);
}

/**
 * @param maxBytes Most that the image may hold.
 * @param trustAll Whether one that was signed with an unknown key will do: its image is looked at by the executor alone,
 * where it can do no more than the guest that it becomes.
 * @throws {ImageRefused} if it is none, or was changed.
 */
export async function decodeExport(
  bytes: Uint8Array,
  keys: Keys,
  { maxBytes, trustAll }: { readonly maxBytes: number; readonly trustAll: boolean },
): Promise<ExportedSession> {
  const line = lineOf(bytes, LINE_MAX);
  const [format, name = "", mac = ""] = line ? Buffer.from(line).toString("latin1").split(" ") : [];
  if (!line || !format?.startsWith("wasmbox-export-")) throw new ImageRefused("it is no exported session");
  if (format !== FORMAT) throw new ImageRefused("another version of wasmbox wrote it");
  const rest = bytes.subarray(line.length + 1);
  const json = lineOf(rest, JSON_MAX);
  if (!json) throw new ImageRefused("it is cut short");
  const verdict = keys.verify(signed(json), name, mac);
  if (verdict === "wrong") throw new ImageRefused("it is damaged, or was changed by somebody");
  if (verdict === "unknown_key" && !trustAll) {
    throw new ImageRefused("it was signed by a server with another key (store.trust_import would allow it)");
  }
  const { bases, facts, sha256 } = parse(json);
  const entries = await decodeSegment(rest.subarray(json.length + 1), sha256, maxBytes);
  if (entries.some((entry) => entry.bytes === null)) throw new ImageRefused("it is not a whole image");
  return { bases, facts, entries };
}

/** @throws {ImageRefused} */
function parse(json: Uint8Array): z.infer<typeof envelope> {
  try {
    return envelope.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json)));
  } catch {
    throw new ImageRefused("its envelope has no such form");
  }
}

/** A first line, without its end; undefined if none ends within so many bytes. */
function lineOf(bytes: Uint8Array, max: number): Uint8Array | undefined {
  const end = bytes.subarray(0, max).indexOf(NEWLINE);
  return end < 0 ? undefined : bytes.subarray(0, end);
}

/** What the HMAC is of: no other text of the same key is taken for it. */
function signed(json: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${FORMAT}\n`), json]);
}
