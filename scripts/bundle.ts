/**
 * The program's modules as bundles: server, executor and worker are bundles of their own, since `deno bundle` does not
 * follow `new Worker`, and since an executor should not load what only the server needs.
 */

import { fileURLToPath } from "node:url";
import { run } from "./assets/process.ts";
import { droppable } from "./unused_schemas.ts";

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
    const path = fileURLToPath(new URL(source, ROOT));
    if (SPLIT.includes(name)) await bundleServer(name, path, directory);
    else await bundleEntry(name, path, [`--output=${directory}/${name}.js`]);
  }
  for (const { name } of [...Deno.readDirSync(directory)]) {
    if (name.endsWith(".js") && !AS_THEY_ARE.includes(name)) await escapeBeyondAscii(`${directory}/${name}`);
  }
}

/** Bundles a server twice: what the first bundle has of the SDK, and nobody uses, is left out of the second. */
async function bundleServer(name: string, source: string, directory: string): Promise<void> {
  const first = await Deno.makeTempDir();
  try {
    await bundleEntry(name, source, ["--code-splitting", `--outdir=${first}`]);
    const path = `${first}/${name}.js`;
    await Deno.writeTextFile(path, droppable(await Deno.readTextFile(path)));
    await bundleEntry(name, path, ["--code-splitting", `--outdir=${directory}`]);
  } finally {
    await Deno.remove(first, { recursive: true });
  }
}

async function bundleEntry(name: string, source: string, output: readonly string[]): Promise<void> {
  const argv = [
    Deno.execPath(),
    "bundle",
    "--quiet",
    `--platform=${WITH_NODE.includes(name) ? "deno" : "browser"}`,
    ...name.endsWith("worker") ? ["--minify"] : [],
    `--config=${fileURLToPath(new URL("deno.json", ROOT))}`,
    ...output,
    source,
  ];
  await run(`bundling ${source}`, { argv });
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
