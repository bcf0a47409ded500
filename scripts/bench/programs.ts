/** The Python programs that computing is measured by. */

import { fileURLToPath } from "node:url";

const read = (name: string) => Deno.readTextFile(fileURLToPath(new URL(name, import.meta.url)));

/** Defines them, and `PROGRAMS`, the list of them. */
export function definitions(): Promise<string> {
  return read("./programs.py");
}

/** Prints the milliseconds of each by its name, as JSON. */
export async function timedPrograms(): Promise<string> {
  return [await definitions(), await read("./programs_timed.py")].join("\n");
}
