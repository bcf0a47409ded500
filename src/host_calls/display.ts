/**
 * The host operation `display`, by which a program shows something beside its output. The Worker itself answers it: what
 * is shown goes to the server with the outcome.
 */

import * as z from "zod/mini";

export const DISPLAY_OPERATION = "display";

const MAX_HEAD_BYTES = 1000;

const head = z.object({
  mime: z.string().check(z.regex(/^[a-z]{1,20}\/[a-z0-9][a-z0-9.+-]{0,60}$/)),
  /** Whether the program asked for it, or it is the value of its last expression. */
  source: z.enum(["display", "result"]),
});

export interface DisplayRequest {
  readonly mimeType: string;
  readonly source: "display" | "result";
  /** Those that came beside the request. */
  readonly bytes: Uint8Array;
}

/** @param request UTF-8 JSON. @returns undefined if it is invalid. */
export function parseDisplay(request: Uint8Array, bytes: Uint8Array): DisplayRequest | undefined {
  if (request.length > MAX_HEAD_BYTES) return undefined;
  const { data } = head.safeParse(parseJson(request));
  return data && { mimeType: data.mime, source: data.source, bytes };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
