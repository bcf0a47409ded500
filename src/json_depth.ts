/** Bounds on how deep JSON nests: parsing it and walking what comes out are recursive in places. */

/** Levels of arrays and objects of a value that goes to a program's handler or comes from it. */
export const MAX_VALUE_DEPTH = 100;

/** Whether JSON text nests deeper than `max`. */
export function jsonDepthExceeds(text: string, max: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    else if (quoted) at += char === "\\" ? 1 : 0;
    else if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    if (depth > max) return true;
  }
  return false;
}

/** Whether text is JSON that nests no deeper than `max`. */
export function isJson(text: string, max: number): boolean {
  if (jsonDepthExceeds(text, max)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
