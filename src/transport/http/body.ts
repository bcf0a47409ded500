/** Receiving a request's body: bounded in bytes, time and depth before anything of it is used. */

import { isJsonContentType } from "@modelcontextprotocol/server";
import { concatBytes } from "../../bytes.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { jsonDepthExceeds } from "../../json_depth.ts";
import { JSON_RPC, Refusal } from "./refusal.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @returns What the body's JSON stands for. @throws {Refusal} 415, 413, 408 or 400. */
export async function readJson(request: Request, options: HttpOptions): Promise<unknown> {
  if (!isJsonContentType(request.headers.get("content-type"))) {
    throw new Refusal(415, "INVALID_REQUEST", "Content-Type must be application/json");
  }
  if (request.headers.has("content-encoding")) {
    throw new Refusal(415, "INVALID_REQUEST", "Content-Encoding is not supported");
  }
  const bytes = await readBytes(request, options);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw notJson("the body is not UTF-8");
  }
  if (jsonDepthExceeds(text, options.maxBodyDepth)) {
    throw new Refusal(400, "INVALID_REQUEST", `The body is nested more than ${options.maxBodyDepth} levels`, {
      rpcCode: JSON_RPC.invalidRequest,
    });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw notJson("the body is not JSON");
  }
}

async function readBytes(request: Request, options: HttpOptions): Promise<Uint8Array> {
  const { maxBodyBytes, requestTimeoutMs } = options;
  const declared = request.headers.get("content-length");
  if (Number(declared) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() =>
    late.reject(
      new Refusal(408, "REQUEST_TIMEOUT", `The body did not arrive within ${requestTimeoutMs / 1000} s`, {
        headers: { connection: "close" },
        retryable: true,
      }),
    ), requestTimeoutMs);
  try {
    // Deno.serve takes no more than was declared, and reading it all at once costs a third of reading a stream.
    return declared === null
      ? await readStream(request, maxBodyBytes, late.promise)
      : await Promise.race([request.bytes(), late.promise]);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "INVALID_REQUEST", "The body could not be received");
  } finally {
    clearTimeout(timer);
  }
}

/** A body whose length is not known before. */
async function readStream(request: Request, maxBytes: number, late: Promise<never>): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let received = 0;
  let whole = false;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) break;
      received += value.length;
      if (received > maxBytes) throw tooLarge(maxBytes);
      pieces.push(value);
    }
    whole = true;
    return concatBytes(pieces);
  } finally {
    if (!whole) reader.cancel().catch(() => {}); // the client may be gone
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, "PAYLOAD_TOO_LARGE", `The body exceeds ${maxBytes} bytes`, {
    suggestions: ["Send less in one request."],
    context: { max_body_bytes: maxBytes },
    headers: { connection: "close" },
  });
}

function notJson(what: string): Refusal {
  return new Refusal(400, "INVALID_REQUEST", `Parse error: ${what}`, { rpcCode: JSON_RPC.parseError });
}
