/**
 * Whether `text` is what `pattern` says, in which `*` stands for any characters and `?` for one.
 *
 * No regular expression: those of a few stars can take V8 longer than anyone waits. Here it is the product of both
 * lengths at most.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] !== "*" && (pattern[p] === "?" || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
