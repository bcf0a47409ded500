/** Attacks on HTTP that are many requests of a kind: each on a connection of its own, none of which may be served. */

import { http, type Unfiled } from "./attack.ts";
import type { FrontDoor } from "./front_door.ts";
import type { RawAnswer } from "./raw_http.ts";

/** @param requests By what they try. @param refused Whether an answer is a refusal; any status from 400 to 499 if absent. */
export function requests(
  name: string,
  expected: string,
  requests: (door: FrontDoor) => Readonly<Record<string, string>>,
  refused: (answer: RawAnswer) => boolean = ({ status }) => status >= 400 && status < 500,
): Unfiled {
  return http(name, expected, async (door) => await allRefused(door, requests(door), refused));
}

/** Sends them one after the other. @returns What was not refused. */
export async function allRefused(
  door: FrontDoor,
  requests: Readonly<Record<string, string>>,
  refused: (answer: RawAnswer) => boolean,
) {
  const through: string[] = [];
  for (const [what, request] of Object.entries(requests)) {
    const answer = await door.ask(request);
    if (!refused(answer)) through.push(`${what} (${answer.status} ${answer.body.slice(0, 100)})`);
  }
  const tried = Object.keys(requests).length;
  return { refused: through.length === 0, got: `${tried} tried, through: ${through.join(", ") || "none"}` };
}

/** A body that opens an MCP session. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "wasmbox-selftest", version: "1" },
  },
});
/** Of who takes answers as events too. */
export const ACCEPTS = "Accept: application/json, text/event-stream";
/** So that the place is free when the answer is there. */
export const CLOSE = "Connection: close";

/** A body that calls a tool. */
export function toolCall(name: string, args: object, id = 2): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
}
