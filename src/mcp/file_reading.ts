/** Parts of files: bytes from an offset on, or lines of text. */

import { PIECE_BYTES } from "../host_calls/bounds.ts";
import { concatBytes } from "../bytes.ts";
import { WasmboxError } from "../errors.ts";
import type { SessionFiles, WorkspaceEntry } from "../session/session_files.ts";

const NEWLINE = 0x0a;

export interface FilePart {
  readonly entry: WorkspaceEntry;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the file goes on; null if it ends here. */
  readonly next: number | null;
  /** There is less than was asked for, since that would exceed the bound. */
  readonly cut: boolean;
}

/** @param offset In bytes. @throws {WasmboxError} FILE_CHANGED, if the file changes meanwhile, and those of reading. */
export async function readPart(
  files: Readable,
  path: string,
  offset: number,
  maxBytes: number,
  knownTag?: string | null,
): Promise<FilePart> {
  const pieces: Uint8Array[] = [];
  let tag = knownTag;
  for (let at = offset;;) {
    const left = offset + maxBytes - at;
    const { entry, bytes } = await files.read(path, at, Math.min(left, PIECE_BYTES), tag);
    pieces.push(bytes);
    at += bytes.length;
    tag = entry.tag;
    const ended = at >= entry.size;
    if (ended || left === bytes.length) {
      return { entry, bytes: concatBytes(pieces), next: ended ? null : at, cut: !ended };
    }
  }
}

/** What is read piece by piece: a session's files, or a text that stands for one of them. */
export type Readable = Pick<SessionFiles, "read">;

/** A text in the place of the file that it is the contents of. */
export function textAsFile(text: string, entry: WorkspaceEntry): Readable {
  const bytes = new TextEncoder().encode(text);
  return {
    read: (_path, offset, length) =>
      Promise.resolve({
        entry: { ...entry, size: bytes.length },
        bytes: bytes.subarray(offset, offset + length),
      }),
  };
}

interface LinesRead {
  readonly text: string;
  /** How many there are from the offset on, if the first one that was asked for is not among them. */
  readonly lines?: number;
}

/**
 * Lines of text.
 *
 * @param offset Where the lines are counted from, in bytes.
 * @param first From 1.
 * @param count Most lines; fewer, if they would exceed `maxBytes`, or a part of one that is too long by itself.
 * @throws {WasmboxError} NOT_TEXT, and those of {@link readPart}.
 */
export async function readLines(
  files: Readable,
  path: string,
  offset: number,
  first: number,
  count: number,
  maxBytes: number,
): Promise<FilePart & LinesRead> {
  const start = await findLine(files, path, offset, first);
  const part = await readPart(files, path, start.offset, maxBytes, start.tag);
  const isMissing = part.bytes.length === 0 && first > 1;
  const end = endOfLines(part.bytes, count);
  const cut = end === undefined && part.cut;
  const length = end ?? (cut ? lastWhole(part.bytes) : part.bytes.length);
  const bytes = part.bytes.slice(0, length);
  const next = length === part.bytes.length ? part.next : start.offset + length;
  const text = decodeText(path, bytes);
  return { entry: part.entry, bytes, next, cut, text, ...isMissing && { lines: start.lines } };
}

/** @throws {WasmboxError} NOT_TEXT. */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // told below
  }
  throw new WasmboxError("NOT_TEXT", `"${path.slice(0, 200)}" is not text in UTF-8.`, {
    suggestions: ['Read it with encoding "base64", or look into it with code.'],
    context: { path: path.slice(0, 200) },
  });
}

/** Where a line begins, and how many are before it; the end of the file if there are not so many. */
async function findLine(files: Readable, path: string, offset: number, line: number) {
  let before = line - 1;
  let tag: string | null | undefined;
  for (let at = offset; before > 0;) {
    const { entry, bytes } = await files.read(path, at, PIECE_BYTES, tag);
    tag = entry.tag;
    for (let from = 0; before > 0; before--) {
      from = bytes.indexOf(NEWLINE, from) + 1;
      if (from === 0) break;
      offset = at + from;
    }
    at += bytes.length;
    if (before > 0 && at >= entry.size) {
      const last = at > offset ? 1 : 0; // It has no newline.
      return { offset: Math.max(at, offset), tag, lines: line - 1 - before + last };
    }
  }
  return { offset, tag, lines: line - 1 };
}

/** Length of the first lines; undefined if there are fewer. */
function endOfLines(bytes: Uint8Array, count: number): number | undefined {
  let end = 0;
  for (let line = 0; line < count; line++) {
    end = bytes.indexOf(NEWLINE, end) + 1;
    if (end === 0) return undefined;
  }
  return end;
}

/** Length up to the last newline or, if there is none, the last whole character. */
function lastWhole(bytes: Uint8Array): number {
  const lines = bytes.lastIndexOf(NEWLINE) + 1;
  if (lines > 0) return lines;
  let end = bytes.length;
  while (end > bytes.length - 4 && end > 0 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  return end > 1 && bytes[end - 1]! >= 0xc0 ? end - 1 : bytes.length;
}
