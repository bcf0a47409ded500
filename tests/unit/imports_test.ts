/** The house's order: who may import whom (docs/ARCHITECTURE.md). */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

/** Folders of src, lowest first: each imports from those above it in this list, and from its own. */
const ORDER: readonly string[] = [
  "", // single modules: bytes, errors, languages …
  "page", // browsers run it
  "program",
  "command_line",
  "telemetry",
  "config",
  "fs",
  "control",
  "wasi",
  "raster",
  "archive",
  "host_calls",
  "executor/wire",
  "image",
  "display",
  "runtime",
  "executor/assets",
  "executor/worker",
  "executor/process",
  "executor/server",
  "checkpoints",
  "packages/index",
  "packages/install",
  "packages",
  "volumes",
  "session",
  "mcp",
  "transport",
  "selftest",
  "commands",
];

/** What runs on the far side of the pipe only. */
const EXECUTOR_SIDE = [
  "control",
  "wasi",
  "raster",
  "archive",
  "image",
  "display",
  "runtime",
  "executor/assets",
  "executor/worker",
  "executor/process",
];

/** What runs on the server's side only. */
const SERVER_SIDE = [
  "config",
  "telemetry",
  "executor/server",
  "checkpoints",
  "packages/index",
  "packages/install",
  "packages",
  "volumes",
  "session",
  "mcp",
  "transport",
  "selftest",
  "commands",
];

/** A module, and those of ours that its code or its types import; paths below src. */
interface Module {
  readonly path: string;
  readonly imports: readonly { readonly path: string; readonly typeOnly: boolean }[];
}

interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier?: string };
      readonly type?: { readonly specifier?: string };
    }[];
  }[];
}

/** Path below src; undefined for what is not ours. */
function below(url: string | undefined): string | undefined {
  const source = new URL("src/", ROOT).href;
  return url?.startsWith(source) ? url.slice(source.length) : undefined;
}

/** All of our modules that `entry` leads to, by code or by types. */
async function graphOf(entry: string): Promise<ReadonlyMap<string, Module>> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `--config=${fileURLToPath(new URL("deno.json", ROOT))}`, entry],
    cwd: fileURLToPath(ROOT),
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { modules }: Info = JSON.parse(new TextDecoder().decode(stdout));
  const ours = modules.flatMap(({ specifier, dependencies = [] }) => {
    const path = below(specifier);
    if (path === undefined) return [];
    const imports = dependencies.flatMap(({ code, type }) => {
      const target = below(code?.specifier ?? type?.specifier);
      return target === undefined ? [] : [{ path: target, typeOnly: code?.specifier === undefined }];
    });
    return [{ path, imports }];
  });
  return new Map(ours.map((module) => [module.path, module]));
}

/** The folder of {@link ORDER} that a module is in. */
function folderOf(path: string): string {
  const parts = path.split("/").slice(0, -1);
  const whole = parts.slice(0, 2).join("/");
  return ORDER.includes(whole) ? whole : parts[0] ?? "";
}

const ENTRIES = {
  server: ["main.ts", "src/commands/serve_stdio.ts", "src/commands/serve_http.ts"],
  maintenance: ["src/commands/maintain.ts", "src/commands/by_hand/mod.ts"],
  client: ["src/checkpoints/valkey_client.ts"],
  executor: ["src/executor/process/main.ts", "src/executor/worker/worker.ts"],
  page: ["src/page/main.tsx", "src/page/result_app.tsx"],
};

async function graphs(entries: readonly string[]): Promise<ReadonlyMap<string, Module>> {
  return new Map((await Promise.all(entries.map(graphOf))).flatMap((graph) => [...graph]));
}

/** The modules that code, not only types, leads to from `entries`. */
function loaded(graph: ReadonlyMap<string, Module>, entries: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, typeOnly } of graph.get(path)?.imports ?? []) if (!typeOnly) visit(next);
  };
  for (const entry of entries) if (entry.startsWith("src/")) visit(entry.slice("src/".length));
  return found;
}

/** Loaded by steps of the build, not by the program. */
const BUILT_WITH =
  /^runtime\/(?:image_bench|(?:python|javascript|shell)\/base_image)\.ts$|^runtime\/javascript\/(?:prelude\.ts|libraries\b)/;

const all = await graphs(Object.values(ENTRIES).flat());

Deno.test("a folder imports only from folders below it", () => {
  const upward = [...all.values()].flatMap(({ path, imports }) =>
    imports
      .filter((target) => ORDER.indexOf(folderOf(target.path)) > ORDER.indexOf(folderOf(path)))
      .map((target) => `${path} imports ${target.path}`)
  );
  assert.deepEqual(upward, []);
});

Deno.test("every folder of src has its place in the order, and every module is reached", async () => {
  const files: string[] = [];
  const walk = async (directory: string) => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(`src/${directory}`, ROOT))) {
      if (isDirectory) await walk(`${directory}${name}/`);
      else if (name.endsWith(".ts")) files.push(`${directory}${name}`);
    }
  };
  await walk("");
  const unreached = files.filter((file) => !all.has(file) && !BUILT_WITH.test(file));
  assert.deepEqual(unreached, []);
  assert.deepEqual([...new Set(files.map(folderOf))].filter((folder) => !ORDER.includes(folder)), []);
});

Deno.test("the server loads nothing of the executor but what crosses the pipe, and no interpreter", () => {
  const server = loaded(all, ENTRIES.server);
  assert.ok(server.has("session/session.ts"));
  assert.deepEqual([...server].filter((path) => EXECUTOR_SIDE.includes(folderOf(path))), []);
});

Deno.test("an executor and its Workers load nothing of the server", () => {
  const executor = loaded(all, ENTRIES.executor);
  assert.ok(executor.has("runtime/python/python.ts"));
  assert.deepEqual([...executor].filter((path) => SERVER_SIDE.includes(folderOf(path))), []);
});
