/** The programs that executors run while nobody asks them for anything (src/executor/process/warm_up.ts). */

import { join } from "node:path";
import { repository } from "./paths.ts";

/** Those by which CPython is compiled, short ones first: when one is interrupted as little as can be is lost. */
const PYTHON = ["programs", "objects", "text", "evaluation", "numbers_and_dates", "data"]
  .map((name) => `wasm/python/profile/training/${name}.py`);
const JAVASCRIPT = ["wasm/warm_up/programs.js"];

/** As JSON. */
export async function warmUpPrograms(): Promise<string> {
  const read = (files: readonly string[]) =>
    Promise.all(files.map((file) => Deno.readTextFile(join(repository, file))));
  return JSON.stringify({ python: await read(PYTHON), javascript: await read(JAVASCRIPT) });
}
