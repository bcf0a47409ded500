/** What both ends of a host call agree on: one definition of each operation, in the files beside this one. */

import * as z from "zod/mini";
import type { HostReply } from "./bridge.ts";

/** One operation that a guest may ask the server for. Bytes of files go beside requests and answers, never inside. */
export interface HostProtocol<Request = unknown, Answer = unknown> {
  readonly name: string;
  readonly request: z.core.$ZodType<Request>;
  readonly answer: z.core.$ZodType<Answer>;
  /** Of the request's JSON, UTF-16 units. */
  readonly maxRequestBytes: number;
  /** Of the answer's JSON, UTF-16 units. */
  readonly maxReplyBytes: number;
  /** Calls of one session at a time. */
  readonly maxConcurrent: number;
}

/** A call's answer, and the bytes beside it. */
export interface Answered<Answer> {
  readonly answer: Answer;
  readonly bytes: Uint8Array;
}

/** The guest's end of the bridge. @throws {HostCallError | Aborted} */
export type HostCall = (operation: string, request: Uint8Array, bytes?: Uint8Array) => HostReply;

/**
 * Calls an operation from a Worker's own code.
 *
 * @throws {HostCallError | Aborted} as the bridge does. @throws {z.core.$ZodError} if the answer is not of the protocol.
 */
export function askHost<Request, Answer>(
  call: HostCall,
  protocol: HostProtocol<Request, Answer>,
  request: Request,
): Answered<Answer> {
  const { json, bytes } = call(protocol.name, new TextEncoder().encode(JSON.stringify(request)));
  return { answer: z.parse(protocol.answer, JSON.parse(new TextDecoder().decode(json))), bytes };
}
