/** The text of Python's programs, which say themselves in which encoding they are (PEP 263). */

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** A line of blanks or a comment, as the first one must be if the second shall say it. */
const ENCODING = /^(?:[ \t\f]*(?:#.*)?(?:\r\n?|\n))??[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
const UTF_8 = /^utf[-_]?8(?![^-_])/i;
/** The encoding is said in the first two lines. */
const HEAD_BYTES = 1024;

/** Either the text of a program in UTF-8, or an expression of Python for the bytes of one that is in something else. */
export type PythonSource =
  | { readonly text: string; readonly quoted?: never }
  | { readonly text?: never; readonly quoted: string };

/** @param bytes A program, as its file has it. */
export function sourceOf(bytes: Uint8Array): PythonSource {
  const said = ENCODING.exec(latin1(bytes.subarray(0, HEAD_BYTES)))?.[1];
  if (said === undefined || UTF_8.test(said)) {
    try {
      return { text: utf8.decode(bytes) };
    } catch {
      // CPython says what is wrong with it.
    }
  }
  return { quoted: quoted(latin1(bytes)) };
}

/** With its lines as they are: what a program imports is read from them. */
function quoted(text: string): string {
  const escaped = text.replaceAll(
    /[\\"\r\0]/g,
    (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"""${escaped}""".encode("latin-1")`;
}

/** A character for each byte. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
