/**
 * The envelope of a stored session: what the server itself wrote of it, and nobody else can have.
 *
 * One line of text (format, name of the key, HMAC-SHA256 of what follows, hexadecimal), then JSON. It names the segments
 * by their digests, so that what it vouches for is the whole image.
 */

import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import { sessionFacts } from "./facts.ts";
import type { Keys } from "./keys.ts";
import { type ChunkRecord, type Head, ImageRefused, type SessionKey, StoreUnavailable } from "./store.ts";

const FORMAT = "wasmbox-session-1";
/** Far more than the head of a session holds, but where a thousand checkpoints of a thousand changes each are allowed. */
const MAX_BYTES = 16 * 1024 * 1024;
const LINE_MAX = 300;

const SHA256 = /^[0-9a-f]{64}$/;
const count = z.number().check(z.nonnegative());
const segment = z.object({
  id: z.string().check(z.regex(/^[0-9a-f-]{1,100}$/)),
  generation: z.int().check(z.nonnegative()),
  at: count,
  changes: z.optional(z.int().check(z.nonnegative())),
  /** Which of {@link head}'s. */
  bases: z.int().check(z.nonnegative()),
  bytes: count,
  storedBytes: count,
  sha256: z.string().check(z.regex(SHA256)),
  /** Id, bytes, stored bytes. */
  chunks: z.optional(z.array(z.tuple([z.string().check(z.regex(SHA256)), count, count]))),
});
const head = z.object({
  principal: z.string(),
  sessionId: z.string(),
  generation: z.int().check(z.nonnegative()),
  bases: z.array(z.record(z.string(), z.string())),
  /** All that any image stands on, by their places in which the lists name them. */
  segments: z.array(segment),
  image: z.array(z.int().check(z.nonnegative())),
  checkpoints: z.array(z.object({
    name: z.string(),
    generation: z.int().check(z.nonnegative()),
    at: count,
    image: z.array(z.int().check(z.nonnegative())),
  })),
  facts: sessionFacts,
});

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws {StoreUnavailable} if it would be too large to be read again. */
export function encodeHead({ key, generation, segments, checkpoints, facts }: Head, keys: Keys): Uint8Array {
  const bases: string[] = [];
  const places = new Map<string, number>();
  const written: z.infer<typeof segment>[] = [];
  const place = (records: Head["segments"]) =>
    records.map((record) => {
      const known = places.get(record.id);
      if (known !== undefined) return known;
      const text = JSON.stringify(record.bases);
      if (!bases.includes(text)) bases.push(text);
      places.set(record.id, written.length);
      const chunks = record.chunks?.map(tupleOf);
      return written.push({ ...record, bases: bases.indexOf(text), chunks }) - 1;
    });
  const image = place(segments);
  const named = checkpoints.map(({ segments, ...rest }) => ({ ...rest, image: place(segments) }));
  const json = encoder.encode(JSON.stringify({
    ...key,
    generation,
    bases: bases.map((text) => JSON.parse(text)),
    segments: written,
    image,
    checkpoints: named,
    facts,
  }));
  if (json.length > MAX_BYTES - LINE_MAX) {
    throw new StoreUnavailable("the session has too many checkpoints of too many changes");
  }
  const { name, mac } = keys.sign(signed(json));
  return Buffer.concat([encoder.encode(`${FORMAT} ${name} ${mac}\n`), json]);
}

/**
 * @param key Whose it has to be; absent: anybody's.
 * @throws {ImageRefused} if it is not what a server with one of these keys wrote.
 */
export function decodeHead(bytes: Uint8Array, keys: Keys, key?: SessionKey): Head {
  if (bytes.length > MAX_BYTES) throw new ImageRefused("its envelope is too large");
  const end = bytes.subarray(0, LINE_MAX).indexOf(10);
  const [format, name, mac] = end < 0 ? [] : String(Buffer.from(bytes.subarray(0, end))).split(" ");
  if (format === undefined) throw new ImageRefused("its envelope is cut short");
  if (format !== FORMAT) {
    throw new ImageRefused(
      format.startsWith("wasmbox-session-")
        ? "another version of wasmbox wrote it, in a format that is not known here"
        : "it has no envelope",
    );
  }
  const json = bytes.subarray(end + 1);
  const verdict = keys.verify(signed(json), name ?? "", mac ?? "");
  if (verdict === "unknown_key") {
    throw new ImageRefused("it was signed with a key that this server does not have");
  }
  if (verdict === "wrong") throw new ImageRefused("it is damaged, or was changed by somebody else");
  const parsed = head.safeParse(JSON.parse(decoder.decode(json)));
  if (!parsed.success) throw new ImageRefused("its envelope has no such form");
  const { principal, sessionId, generation, bases, segments, image, checkpoints, facts } = parsed.data;
  if (key && (key.principal !== principal || key.sessionId !== sessionId)) {
    throw new ImageRefused("it is another session's");
  }
  const records = segments.map((record) => {
    const own = bases[record.bases];
    if (!own) throw new ImageRefused("its envelope has no such form");
    const chunks = record.chunks?.map(([id, bytes, storedBytes]) => ({ id, bytes, storedBytes }));
    return { ...record, bases: own, chunks };
  });
  const listed = (places: readonly number[]) =>
    places.map((place) => {
      const record = records[place];
      if (!record) throw new ImageRefused("its envelope has no such form");
      return record;
    });
  return {
    key: { principal, sessionId },
    generation,
    segments: listed(image),
    checkpoints: checkpoints.map(({ image, ...rest }) => ({ ...rest, segments: listed(image) })),
    facts,
  };
}

/** What the HMAC is of: the format too, so that no other text of the same key is taken for a head. */
function signed(json: Uint8Array): Uint8Array {
  return Buffer.concat([encoder.encode(`${FORMAT}\n`), json]);
}

function tupleOf({ id, bytes, storedBytes }: ChunkRecord): [string, number, number] {
  return [id, bytes, storedBytes];
}
