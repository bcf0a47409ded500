/** Code as models write it into their answers. */

/** The first line of a block of Markdown: its mark, perhaps with a language. */
const OPENING = /^(`{3,}|~{3,})[\w+#.-]*[ \t]*\r?$/;

/**
 * What is between the marks, if all of the text is one block of Markdown; any other text as it is. Looks at each character
 * a few times at most: it is a client's, and this is the process that serves all of them.
 */
export function withoutFence(code: string): string {
  const text = code.trim();
  const first = text.indexOf("\n");
  const [, mark] = OPENING.exec(text.slice(0, Math.max(first, 0))) ?? [];
  if (mark === undefined) return code;
  const last = text.lastIndexOf("\n");
  if (text.slice(last + 1).trim() !== mark) return code;
  const inside = text.slice(first + 1, last).replace(/\r$/, "");
  // Several blocks, or text between them, are none.
  return inside.includes(mark) ? code : inside;
}
