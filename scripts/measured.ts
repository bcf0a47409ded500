/** The tables of docs/measured: what scripts measure is written there, between two marks. */

import { fileURLToPath } from "node:url";

const DIRECTORY = new URL("../docs/measured/", import.meta.url);
const END = "<!-- end of table -->";

/**
 * Puts a table where the last one was.
 *
 * @param name Of the document. @param script Which makes it, as the mark names it.
 * @throws {Error} if the document has no place for it.
 */
export async function writeMeasured(name: string, script: string, table: string): Promise<void> {
  const path = fileURLToPath(new URL(`${name}.md`, DIRECTORY));
  const begin = `<!-- table: ${script} -->`;
  const text = await Deno.readTextFile(path);
  const [before, after] = [text.indexOf(begin), text.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`docs/measured/${name}.md has no place for the table`);
  const head = text.slice(0, before + begin.length);
  await Deno.writeTextFile(path, `${head}\n\n${table}\n\n${text.slice(after)}`);
}
