/** A text as one word of a script. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
