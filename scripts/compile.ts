/**
 * Makes the executable `dist/wasmbox`: bundles, embeds the assets, compiles, and proves the result.
 *
 * Server, executor and worker are bundles of their own, since `deno bundle` does not follow `new Worker`, and since an
 * executor should not load what only the server needs. Embedded files are loaded into the memory of every process, so
 * the assets lie outside of what Deno embeds, where there is room for that: in ELF files. What compiles is the Deno that the
 * runtime belongs to (scripts/runtime.ts).
 */

import { fileURLToPath } from "node:url";
import { v8Flags } from "../src/executor/server/spawn.ts";
import { bundle, BUNDLED_SOURCES } from "./bundle/mod.ts";
import { ABOUT, type AboutExecutable, PROGRAM_LICENCES } from "../src/program/about.ts";
import { PACK } from "../src/program/stored_assets.ts";
import { OPTIONAL_ASSET } from "../src/selftest/asset_hashes.ts";
import { VERSION } from "../src/version.ts";
import { MANIFEST } from "./assets/manifest.ts";
import { AssetsError, ensureAssets, type Manifest, type Wanted } from "./assets/mod.ts";
import { run } from "./assets/process.ts";
import { flagsOf } from "./flags.ts";
import { npmLicences, npmPackagesOf } from "./npm_packages.ts";
import { insertPack, writePack } from "./pack_assets.ts";
import { findRuntime, type Runtime } from "./runtime.ts";

const ROOT = new URL("../", import.meta.url);
const OUTPUT = new URL("dist/", ROOT);
const DIST = new URL("wasm/dist/", ROOT);
/** Whether the assets lie outside of what Deno embeds, on a target. */
const inserts = (target: string) => target.endsWith("-linux-gnu");
const PERMISSIONS = [
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
  "--allow-ffi",
];

const path = (name: string, base: URL) => fileURLToPath(new URL(name, base));

/** Paths of the assets by name; two are made here: what the executable will say of itself. */
async function assetPaths(
  directory: string,
  { files }: Manifest,
  { origin }: Runtime,
): Promise<Record<string, string>> {
  const about = `${directory}/${ABOUT}`;
  await Deno.writeTextFile(about, JSON.stringify({ runtime: origin } satisfies AboutExecutable));
  const licences = `${directory}/${PROGRAM_LICENCES}`;
  await Deno.writeTextFile(licences, await npmLicences(await npmPackagesOf(BUNDLED_SOURCES)));
  const names = [...Object.keys(files).filter((name) => !OPTIONAL_ASSET.test(name)), MANIFEST];
  const built = Object.fromEntries(names.map((name) => [name, path(name, DIST)]));
  return { ...built, [ABOUT]: about, [PROGRAM_LICENCES]: licences };
}

async function compile(
  directory: string,
  executable: string,
  target: string,
  { deno, env }: Runtime,
): Promise<void> {
  const files = [...Deno.readDirSync(directory)].map(({ name }) => name);
  const entries = files.filter((name) => name.endsWith(".js") && name !== "main.js").sort();
  const embedded = [...entries, ...inserts(target) ? [] : ["assets"]];
  const argv = [
    deno,
    "compile",
    "--quiet",
    "--no-config",
    "--no-check",
    "--no-code-cache", // it would be a file in /tmp that others can foresee, and makes no start faster
    "--no-prompt",
    "--unstable-worker-options",
    `--v8-flags=${v8Flags(await v8Of(deno))}`,
    ...PERMISSIONS,
    ...embedded.map((name) => `--include=${directory}/${name}`),
    ...target === Deno.build.target ? [] : [`--target=${target}`],
    `--output=${executable}`,
    `${directory}/main.js`,
  ];
  // An executable keeps for ever what it is compiled with, and its executors must not have an exporter of their own.
  await run("compiling wasmbox", { argv, env: { ...env, OTEL_DENO: "false" } });
}

/** The version of V8 in a Deno. */
async function v8Of(deno: string): Promise<string> {
  const { stdout } = await new Deno.Command(deno, { args: ["--version"] }).output();
  const version = /^v8 (\S+)/m.exec(new TextDecoder().decode(stdout))?.[1];
  if (version === undefined) throw new AssetsError(`${deno} does not tell its version`);
  return version;
}

/** @throws {AssetsError} if the executable does not work: so it is with a runtime of another Deno than the one that compiled. */
async function prove(executable: string, { origin }: Runtime): Promise<void> {
  const { stdout, stderr, success } = await new Deno.Command(executable, { args: ["doctor"] }).output();
  const [said, log] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (!success || !said?.startsWith(`wasmbox ${VERSION}\n`)) {
    throw new AssetsError(
      `the executable does not work; its runtime, which has to be of the Deno that compiles, is ${origin}`,
      `${said}\n${log}`,
    );
  }
  await proveListens(executable);
}

/** @throws {AssetsError} if it ends instead of listening. */
async function proveListens(executable: string): Promise<void> {
  const server = new Deno.Command(executable, {
    args: ["serve", "--http", "--port", "0"],
    env: { WASMBOX_CONFIG: "", WASMBOX_LOGGING_LEVEL: "info", WASMBOX_LOGGING_FORMAT: "text" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  let listens = false;
  for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (listens || !/listening on http/.test(said)) continue;
    listens = true;
    server.kill("SIGTERM"); // once: what it says of its end may arrive when it has ended
  }
  if (!listens) {
    throw new AssetsError("the executable does not serve HTTP", said);
  }
}

/**
 * Compiles the executable.
 *
 * @param executable Its path: whatever is there is replaced at once.
 * @param target What it is to run on; elsewhere than on this machine it can't be proved that it works.
 * @returns Its path.
 * @throws {NoRuntimeError} if there is nothing to compile with.
 * @throws {AssetsError} if another step fails. The old executable stays then.
 */
export async function compileExecutable(
  wanted: Wanted = {},
  executable = path("wasmbox", OUTPUT),
  target = Deno.build.target,
): Promise<string> {
  const started = performance.now();
  const manifest = await ensureAssets(wanted);
  const runtime = await findRuntime(target);
  await Deno.mkdir(OUTPUT, { recursive: true });
  const directory = await Deno.makeTempDir({ prefix: "wasmbox-compile-" });
  // On Windows the compiler insists on the ending.
  const fresh = `${executable.replace(/\.exe$/, "")}.new${executable.endsWith(".exe") ? ".exe" : ""}`;
  try {
    await bundle(directory);
    const assets = await assetPaths(directory, manifest, runtime);
    if (!inserts(target)) {
      await Deno.mkdir(`${directory}/assets`);
      await writePack(`${directory}/assets/${PACK}`, assets);
    }
    await compile(directory, fresh, target, runtime);
    if (inserts(target)) await insertPack(fresh, assets);
    if (target === Deno.build.target) await prove(fresh, runtime);
    await Deno.rename(fresh, executable);
  } finally {
    await Deno.remove(directory, { recursive: true });
    await Deno.remove(fresh).catch(() => {}); // gone where all went well
  }
  const { size } = await Deno.stat(executable);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(
    `compile: ${executable}, ${(size / 1e6).toFixed(0)} MB, runtime: ${runtime.origin} … ${seconds} s`,
  );
  return executable;
}

if (import.meta.main) {
  const science = !flagsOf("compile", ["--lean"]).has("--lean");
  try {
    await compileExecutable({ science, shell: true });
  } catch (error) {
    if (!(error instanceof AssetsError)) throw error;
    if (error.log) console.error(error.log);
    console.error(`compile: ${error.message}`);
    Deno.exit(1);
  }
}
