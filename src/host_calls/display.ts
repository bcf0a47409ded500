/** The host call by which a program shows something beside its output. */

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
  /** A view of the request's. */
  readonly bytes: Uint8Array;
}

/** @param request A line of JSON, then the bytes. @returns undefined if it is none. */
export function parseDisplay(request: Uint8Array): DisplayRequest | undefined {
  const end = request.subarray(0, MAX_HEAD_BYTES).indexOf(0x0a);
  const { data } = head.safeParse(end < 0 ? undefined : parseJson(request.subarray(0, end)));
  return data && { mimeType: data.mime, source: data.source, bytes: request.subarray(end + 1) };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
