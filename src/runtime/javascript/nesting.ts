/** Refuses sources that are nested too deeply for the engine. */

import { GuestError } from "./guest_error.ts";
import { tokenize } from "./tokens.ts";

/**
 * Brackets within each other. QuickJS looks at its stack as it parses, but not where functions are declared within each
 * other: some ten thousand of them overflow the host's.
 */
const MAX_NESTING = 1500;
const [LEAST, MOST] = ["(".charCodeAt(0), "}".charCodeAt(0)];
const OPENING = new Set(Array.from("([{", (bracket) => bracket.charCodeAt(0)));
const CLOSING = new Set(Array.from(")]}", (bracket) => bracket.charCodeAt(0)));

/** @throws {GuestError} a RangeError. */
export function checkNesting(source: string, path: string): void {
  if (bracketsIn(source) <= MAX_NESTING) return;
  // Brackets in strings are none.
  const tokens = tokenize(source);
  if (tokens && tokens.every(({ depth }) => depth <= MAX_NESTING)) return;
  throw new GuestError(`${path} is nested more than ${MAX_NESTING} levels deep`, { name: "RangeError" });
}

/** How many brackets are open at most, those in strings and comments included. */
function bracketsIn(source: string): number {
  let open = 0;
  let most = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code < LEAST || code > MOST) continue;
    if (OPENING.has(code)) most = Math.max(most, ++open);
    else if (CLOSING.has(code) && open > 0) open--;
  }
  return most;
}
