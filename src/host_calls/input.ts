/** The host operation `input`: standard input, where whoever runs the program gives any (`wasmbox run`). */

import * as z from "zod/mini";
import { PIECE_BYTES } from "./bounds.ts";
import type { HostProtocol } from "./protocol.ts";

/** The most bytes that are taken; fewer come as soon as there are any, none at the end. */
const request = z.int().check(z.positive(), z.maximum(PIECE_BYTES));

/** The bytes are beside the answer. */
export const inputProtocol: HostProtocol<number, null> = {
  name: "input",
  request,
  answer: z.null(),
  maxRequestBytes: 20,
  maxReplyBytes: 20,
  maxConcurrent: 1,
};
