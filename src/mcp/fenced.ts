/** Code as models write it into their answers. */

/** All of the text is one block of Markdown: its mark, perhaps with a language, and the same at its end. */
const FENCED = /^\s*(`{3,}|~{3,})[\w+#.-]*[ \t]*\r?\n([^]*?)\r?\n?[ \t]*\1\s*$/;

/** What is between the marks; any other text as it is. */
export function withoutFence(code: string): string {
  const [, mark, inside] = FENCED.exec(code) ?? [];
  // Several blocks, or text between them, are none.
  return inside === undefined || inside.includes(mark!) ? code : inside;
}
