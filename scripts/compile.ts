/**
 * Makes the executable `dist/wasmbox`: bundles, embeds the assets, compiles, and proves the result.
 *
 * Server, executor and worker are bundles of their own, since `deno bundle` does not follow `new Worker`, and since an
 * executor should not load what only the server needs. Embedded files are loaded into the memory of every process, so
 * the assets lie outside of what Deno embeds, where there is room for that: in ELF files. A runtime given by DENORT_BIN
 * fits Deno 2.4.2 only, so that version compiles then.
 */

import { fileURLToPath } from "node:url";
import { V8_FLAGS } from "../src/executor/server/spawn.ts";
import { VERSION } from "../src/version.ts";
import { appendAssets } from "./append_assets.ts";
import { AssetsError, ensureAssets } from "./assets/mod.ts";
import { run } from "./assets/process.ts";

const ROOT = new URL("../", import.meta.url);
const OUTPUT = new URL("dist/", ROOT);
const ENTRIES = {
  main: "main.ts",
  serve_stdio: "src/commands/serve_stdio.ts",
  serve_http: "src/commands/serve_http.ts",
  maintain: "src/commands/maintain.ts",
  executor: "src/executor/process/main.ts",
  worker: "src/executor/worker/worker.ts",
  shell_worker: "src/executor/worker/shell_worker.ts",
} as const;
const ASSETS = [
  "python.wasm",
  "python.image",
  "python-pip.image",
  "python-stdlib.zip",
  "quickjs.wasm",
  "resvg.wasm",
  "python-bundled.zip",
  "python-tzdata.zip",
  "python-pip.zip",
  "manifest.json",
  "THIRD_PARTY_LICENSES.txt",
  "DejaVuSans.ttf",
  "DejaVuSans-Bold.ttf",
];
const DIST = new URL("wasm/dist/", ROOT);
/** Whether the assets lie outside of what Deno embeds. */
const APPENDS = Deno.build.os === "linux";
const PERMISSIONS = [
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
];

const path = (name: string, base: URL) => fileURLToPath(new URL(name, base));

/**
 * For browsers, libraries bring less with them: no validator that makes code of schemas, no shims of Node's modules. What
 * counts metrics needs those. What every session loads is minified, which saves 2 MB of memory each.
 */
async function bundle(directory: string): Promise<void> {
  for (const [name, source] of Object.entries(ENTRIES)) {
    const argv = [
      Deno.execPath(),
      "bundle",
      "--quiet",
      `--platform=${name === "serve_http" ? "deno" : "browser"}`,
      ...name.endsWith("worker") ? ["--minify"] : [],
      `--config=${path("deno.json", ROOT)}`,
      `--external=./prelude/*`,
      `--output=${directory}/${name}.js`,
      path(source, ROOT),
    ];
    await run(`bundling ${source}`, { argv });
  }
  await copyPrelude(`${directory}/prelude`);
}

/** JavaScript's prelude goes in as it was written: a bundler's changes to its text would change what fuel guests use. */
async function copyPrelude(target: string): Promise<void> {
  const source = new URL("src/runtime/javascript/prelude/", ROOT);
  await Deno.mkdir(target);
  for await (const { name } of Deno.readDir(source)) {
    await Deno.copyFile(new URL(name, source), `${target}/${name}`);
  }
}

async function embed(directory: string): Promise<void> {
  await Deno.mkdir(`${directory}/assets`);
  for (const name of ASSETS) await Deno.copyFile(new URL(name, DIST), `${directory}/assets/${name}`);
}

async function compile(directory: string, executable: string): Promise<void> {
  const ownRuntime = Deno.env.get("DENORT_BIN") !== undefined && Deno.version.deno !== "2.4.2";
  const entries = Object.keys(ENTRIES).filter((name) => name !== "main").map((name) => `${name}.js`);
  const embedded = [...entries, ...APPENDS ? [] : ["assets"]];
  const argv = [
    ...(ownRuntime ? ["npx", "-y", "deno@2.4.2"] : [Deno.execPath()]),
    "compile",
    "--quiet",
    "--no-config",
    "--no-check",
    "--no-code-cache", // it would be a file in /tmp that others can foresee, and makes no start faster
    "--no-prompt",
    "--unstable-worker-options",
    `--v8-flags=${V8_FLAGS}`,
    ...PERMISSIONS,
    ...embedded.map((name) => `--include=${directory}/${name}`),
    `--output=${executable}`,
    `${directory}/main.js`,
  ];
  // An executable keeps for ever what it is compiled with, and its executors must not have an exporter of their own.
  await run("compiling dist/wasmbox", { argv, env: { OTEL_DENO: "false" } });
}

async function prove(executable: string): Promise<void> {
  const { stdout, success } = await new Deno.Command(executable, { args: ["doctor"] }).output();
  const said = new TextDecoder().decode(stdout).trim();
  if (!success || !said.startsWith(`wasmbox ${VERSION}\n`)) {
    throw new Error(`the executable does not work: it said "${said}"`);
  }
  await proveListens(executable);
}

/** @throws {Error} if it ends instead of listening. */
async function proveListens(executable: string): Promise<void> {
  const server = new Deno.Command(executable, {
    args: ["serve", "--http", "--port", "0"],
    env: { WASMBOX_CONFIG: "", WASMBOX_LOGGING_LEVEL: "info", WASMBOX_LOGGING_FORMAT: "text" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (/listening on http/.test(said)) server.kill("SIGTERM");
  }
  if (!/listening on http/.test(said)) {
    throw new Error(`the executable does not serve HTTP: it said "${said}"`);
  }
}

/** Compiles `dist/wasmbox`. @returns Its path. @throws {Error} if any step fails; the old executable stays then. */
export async function compileExecutable(): Promise<string> {
  const started = performance.now();
  await ensureAssets();
  await Deno.mkdir(OUTPUT, { recursive: true });
  const directory = await Deno.makeTempDir({ prefix: "wasmbox-compile-" });
  const fresh = path("wasmbox.new", OUTPUT);
  try {
    await bundle(directory);
    if (!APPENDS) await embed(directory);
    await compile(directory, fresh);
    if (APPENDS) await appendAssets(fresh, DIST, ASSETS);
    await prove(fresh);
    await Deno.rename(fresh, path("wasmbox", OUTPUT));
  } finally {
    await Deno.remove(directory, { recursive: true });
    await Deno.remove(fresh).catch(() => {}); // gone where all went well
  }
  const { size } = await Deno.stat(path("wasmbox", OUTPUT));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`compile: dist/wasmbox, ${(size / 1e6).toFixed(0)} MB … ${seconds} s`);
  return path("wasmbox", OUTPUT);
}

if (import.meta.main) {
  try {
    await compileExecutable();
  } catch (error) {
    if (!(error instanceof AssetsError)) throw error;
    console.error(`compile: ${error.message}\n${error.log}`);
    Deno.exit(1);
  }
}
