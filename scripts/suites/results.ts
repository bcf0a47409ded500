/** What came of tests, kept so that those that went before are not run again. */

import { dirname, join } from "node:path";
import type { Library } from "./libraries.ts";
import type { Run, Tally } from "./run.ts";

export class Results {
  /** @param directory Where they are kept, a file for each of the tests'; nowhere if absent. */
  constructor(private readonly directory: string | undefined) {}

  /** What came of these files. @param where Of which of the two. */
  async obtain(
    where: "here" | "there",
    library: Library,
    files: readonly string[],
    run: Run,
  ): Promise<Tally[]> {
    const kept = new Map<string, Tally>();
    for (const file of files) {
      const before = await this.kept(where, library, file);
      if (before) kept.set(file, before);
    }
    const left = files.filter((file) => !kept.has(file));
    const tallies = left.length > 0 ? await run(left) : [];
    for (const [i, file] of left.entries()) {
      kept.set(file, tallies[i]!);
      await this.#write(this.#path(where, library, file), JSON.stringify(tallies[i]));
    }
    return files.map((file) => kept.get(file)!);
  }

  /** What came of a file before, if that is known. */
  async kept(where: "here" | "there", library: Library, file: string): Promise<Tally | undefined> {
    const text = await this.#read(this.#path(where, library, file));
    return text === undefined ? undefined : JSON.parse(text);
  }

  #path(where: string, library: Library, file: string): string {
    return join(this.directory ?? "", where, library.module, `${file}.json`);
  }

  async #read(path: string): Promise<string | undefined> {
    if (this.directory === undefined) return undefined;
    return await Deno.readTextFile(path).catch(() => undefined);
  }

  async #write(path: string, text: string): Promise<void> {
    if (this.directory === undefined) return;
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
}
