/** What the headers of requests for files mean, and those of the answers. */

import { mimeTypeOf } from "../../mime.ts";
import type { WorkspaceEntry } from "../../session/session_files.ts";

/**
 * What a browser may show on this origin: pictures without scripts, and plain text. Anything else is downloaded, since
 * guests decide what files hold.
 */
const SHOWN = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "text/plain",
]);

/** Bytes of a file, the last one not included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export function etagOf({ tag }: WorkspaceEntry): string {
  return `"${tag}"`;
}

/** Of every answer that is about a file. */
export function fileHeaders(path: string, entry: WorkspaceEntry): Record<string, string> {
  const type = mimeTypeOf(path);
  return {
    "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "content-disposition": disposition(SHOWN.has(type) ? "inline" : "attachment", path),
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    "last-modified": new Date(entry.modified).toUTCString(),
    etag: etagOf(entry),
  };
}

/** RFC 6266, with a name in ASCII for clients that don't know RFC 8187. */
function disposition(how: "inline" | "attachment", path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `${how}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Whether the client has this state of the file already (RFC 9110 section 13.1.2). */
export function isKnown(ifNoneMatch: string | null, entry: WorkspaceEntry): boolean {
  const tags = ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return tags.includes("*") || tags.includes(etagOf(entry));
}

/**
 * The part of a file that a client asks for (RFC 9110 section 14).
 *
 * @returns undefined for all of it, also where several parts are asked for; "none" if the file has no such part.
 */
export function rangeOf(headers: Headers, entry: WorkspaceEntry): ByteRange | "none" | undefined {
  const condition = headers.get("if-range");
  if (condition !== null && condition !== etagOf(entry)) return undefined;
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get("range") ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const { size } = entry;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  return start < end ? { start, end } : "none";
}
