/**
 * The program's modules as bundles: server, executor and worker are bundles of their own, since `deno bundle` does not
 * follow `new Worker`, and since an executor should not load what only the server needs.
 */

import { fileURLToPath } from "node:url";
import { run } from "./assets/process.ts";

const ROOT = new URL("../", import.meta.url);

const ENTRIES = {
  main: "main.ts",
  serve_stdio: "src/commands/serve_stdio.ts",
  serve_http: "src/commands/serve_http.ts",
  maintain: "src/commands/maintain.ts",
  by_hand: "src/commands/by_hand/mod.ts",
  valkey_client: "src/checkpoints/valkey_client.ts",
  executor: "src/executor/process/main.ts",
  worker: "src/executor/worker/worker.ts",
} as const;

/** Those whose libraries need Node's modules: they count metrics, or speak with Valkey. */
const WITH_NODE: readonly string[] = ["serve_http", "valkey_client"];

/** Those that start servers: what no start waits for is in files of its own, which are loaded when they are first needed. */
const SPLIT: readonly string[] = ["serve_stdio", "serve_http"];

/** Those that no server loads: they may have any text in them, such as a program for a guest. */
const AS_THEY_ARE: readonly string[] = ["maintain.js", "by_hand.js"];

/** What they are made of, from the checkout. */
export const BUNDLED_SOURCES: readonly string[] = Object.values(ENTRIES);

/**
 * Makes them, side by side in one directory.
 *
 * For browsers, libraries bring less with them: no validator that makes code of schemas, no shims of Node's modules. What
 * every session loads is minified, which saves 2 MB of memory each. What servers and sessions load is ASCII: V8 reads such
 * text where it is in the executable, and copies any other, that beyond Latin-1 in twice the memory.
 */
export async function bundle(directory: string): Promise<void> {
  for (const [name, source] of Object.entries(ENTRIES)) {
    const argv = [
      Deno.execPath(),
      "bundle",
      "--quiet",
      `--platform=${WITH_NODE.includes(name) ? "deno" : "browser"}`,
      ...name.endsWith("worker") ? ["--minify"] : [],
      `--config=${fileURLToPath(new URL("deno.json", ROOT))}`,
      ...SPLIT.includes(name)
        ? ["--code-splitting", `--outdir=${directory}`]
        : [`--output=${directory}/${name}.js`],
      fileURLToPath(new URL(source, ROOT)),
    ];
    await run(`bundling ${source}`, { argv });
  }
  for (const { name } of [...Deno.readDirSync(directory)]) {
    if (name.endsWith(".js") && !AS_THEY_ARE.includes(name)) await escapeBeyondAscii(`${directory}/${name}`);
  }
}

/**
 * Such characters are in the comments and literals of a program alone.
 *
 * @throws {Error} if one is where an escape would be read as it is written.
 */
async function escapeBeyondAscii(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const raw = /String\.raw\s*`[^`]*[\u0080-\uffff][^`]*`/.exec(text);
  if (raw) throw new Error(`${path} has a character in ${raw[0]} that can't be escaped there`);
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  await Deno.writeTextFile(path, text.replace(/[\u0080-\uffff]/g, escape));
}
