/** Where the program's own modules and assets are, from source, bundled and compiled alike. */

/** True in an executable made by `deno compile`. */
export const STANDALONE: boolean = Deno.build.standalone;

/** True when this module was bundled: the bundles lie side by side under fixed names. */
export const BUNDLED: boolean = import.meta.url.endsWith(".js");

const SOURCES = {
  serve_stdio: "../commands/serve_stdio.ts",
  serve_http: "../commands/serve_http.ts",
  maintain: "../commands/maintain.ts",
  by_hand: "../commands/by_hand/mod.ts",
  valkey_client: "../checkpoints/valkey_client.ts",
  executor: "../executor/process/main.ts",
  worker: "../executor/worker/worker.ts",
} as const;

/** An argument of an executor: its heaps are to share no memory. */
export const COPY_MEMORY = "--copy-memory";

type EntryName = keyof typeof SOURCES;

const replacements = new Map<EntryName, URL>();

/**
 * Lets what this process starts from now on begin with another module: for tests that look into executors and Workers.
 *
 * @param url Of a module of source.
 */
export function replaceEntry(name: EntryName, url: URL): void {
  replacements.set(name, url);
}

/**
 * URL of a module that a process or a Worker starts with, or that only some commands need.
 *
 * Each is a bundle of its own, so that a process evaluates nothing it does not use.
 */
export function entry(name: EntryName): URL {
  return replacements.get(name) ?? new URL(BUNDLED ? `./${name}.js` : SOURCES[name], import.meta.url);
}

/** Directory of the built assets. */
export function assetsDirectory(): URL {
  return new URL(BUNDLED ? "./assets/" : "../../wasm/dist/", import.meta.url);
}
