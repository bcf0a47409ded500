/**
 * The program's modules as bundles: server, executor and worker are bundles of their own, since `deno bundle` does not
 * follow `new Worker`, and since an executor should not load what only the server needs.
 */

import { fileURLToPath } from "node:url";
import { run } from "../assets/process.ts";
import { deferred } from "./deferred.ts";
import { droppable } from "./droppable.ts";

const ROOT = new URL("../../", import.meta.url);

interface Entry {
  /** Its module, from the checkout. */
  readonly source: string;
  /** What is done to it before it is bundled once more. */
  readonly rewritten?: (bundle: string) => string;
  /** What no start waits for is in files of its own, which are loaded when they are first needed. */
  readonly split?: boolean;
  /** Its libraries need Node's modules: they count metrics, or speak with Valkey. */
  readonly withNode?: boolean;
  readonly minified?: boolean;
  /** No server loads it: it may have any text in it, such as a program for a guest. */
  readonly anyText?: boolean;
}

const ofServer = (bundle: string) => deferred(droppable(bundle));

const ENTRIES: Readonly<Record<string, Entry>> = {
  main: { source: "main.ts" },
  serve_stdio: { source: "src/commands/serve_stdio.ts", rewritten: ofServer, split: true },
  serve_http: { source: "src/commands/serve_http.ts", rewritten: ofServer, split: true, withNode: true },
  maintain: { source: "src/commands/maintain.ts", anyText: true },
  by_hand: { source: "src/commands/by_hand/mod.ts", rewritten: deferred, anyText: true },
  valkey_client: { source: "src/checkpoints/valkey_client.ts", withNode: true },
  executor: { source: "src/executor/process/main.ts", rewritten: deferred },
  worker: { source: "src/executor/worker/worker.ts", rewritten: deferred, minified: true },
};

/** What they are made of, from the checkout. */
export const BUNDLED_SOURCES: readonly string[] = Object.values(ENTRIES).map(({ source }) => source);

/**
 * Makes them, side by side in one directory.
 *
 * For browsers, libraries bring less with them: no validator that makes code of schemas, no shims of Node's modules. What
 * every session loads is minified, which saves 2 MB of memory each. What servers and sessions load is ASCII: V8 reads such
 * text where it is in the executable, and copies any other, that beyond Latin-1 in twice the memory.
 */
export async function bundle(directory: string): Promise<void> {
  const anyText = new Set<string>();
  for (const [name, entry] of Object.entries(ENTRIES)) {
    await bundleEntry(name, entry, directory);
    if (entry.anyText) anyText.add(`${name}.js`);
  }
  for (const { name } of [...Deno.readDirSync(directory)]) {
    if (name.endsWith(".js") && !anyText.has(name)) await escapeBeyondAscii(`${directory}/${name}`);
  }
}

async function bundleEntry(name: string, entry: Entry, directory: string): Promise<void> {
  const source = fileURLToPath(new URL(entry.source, ROOT));
  if (!entry.rewritten) return await bundleOnce(name, entry, source, directory);
  const first = await Deno.makeTempDir();
  try {
    await bundleOnce(name, { ...entry, minified: false }, source, first);
    const path = `${first}/${name}.js`;
    await Deno.writeTextFile(path, entry.rewritten(await Deno.readTextFile(path)));
    await bundleOnce(name, entry, path, directory);
  } finally {
    await Deno.remove(first, { recursive: true });
  }
}

async function bundleOnce(
  name: string,
  { split, withNode, minified }: Entry,
  source: string,
  directory: string,
): Promise<void> {
  const argv = [
    Deno.execPath(),
    "bundle",
    "--quiet",
    `--platform=${withNode ? "deno" : "browser"}`,
    ...minified ? ["--minify"] : [],
    `--config=${fileURLToPath(new URL("deno.json", ROOT))}`,
    ...split ? ["--code-splitting", `--outdir=${directory}`] : [`--output=${directory}/${name}.js`],
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
  const escaped = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]/.exec(text);
  if (escaped) throw new Error(`${path} has a character that is escaped already in ${escaped[0]}`);
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  await Deno.writeTextFile(path, text.replace(/[\u0080-\uffff]/g, escape));
}
