/** `wasmbox selftest`: attacks a server of its own with everything we know of, and checks the assets. */

import { STANDALONE } from "../program/entries.ts";
import { VERSION } from "../version.ts";
import { checkAssets, readManifest } from "./asset_hashes.ts";
import type { Attack } from "./attack.ts";
import { ATTACKS } from "./attacks/mod.ts";
import { Canaries } from "./canaries.ts";
import type { Command } from "./client.ts";
import { Lane, type Verdict } from "./lane.ts";
import { asJson, asText, passed } from "./report.ts";
import { TemporaryDirectory } from "./temporary_directory.ts";
import { MappedVolumes } from "./volumes.ts";

/** Servers attacked side by side. */
const LANES = 2;
/** Less to fill than by default, which takes most of the time. */
const POLICY =
  "memory_bytes = 134_217_728\nworkspace_bytes = 67_108_864\nexecutor_watchdog_seconds = 60\nexecutor_start_seconds = 60\n";
const SERVER_PERMISSIONS = ["--allow-read", "--allow-env", "--allow-run", "--allow-sys"];

/** Prints the report to stdout, progress to stderr. @returns True if nothing got through. */
export async function selftest({ json = false }: { readonly json?: boolean } = {}): Promise<boolean> {
  const started = performance.now();
  const manifest = await readManifest();
  const attacks = await attackAll(ATTACKS);
  const report = {
    versions: {
      wasmbox: VERSION,
      deno: Deno.version.deno,
      v8: Deno.version.v8,
      build: manifest.build,
      ...manifest.versions,
    },
    attacks,
    assets: await checkAssets(manifest),
    seconds: (performance.now() - started) / 1000,
  };
  await print(json ? asJson(report) : asText(report));
  return passed(report);
}

/** Carries out `attacks` on servers of their own. @returns Verdicts in the order of the attacks. */
export async function attackAll(attacks: readonly Attack[]): Promise<Verdict[]> {
  await using ground = await TemporaryDirectory.make();
  const verdicts: Verdict[] = [];
  const queue = attacks.entries();
  let done = 0;
  const work = async () => {
    await using lane = await prepare(ground.path);
    for (const [at, attack] of queue) {
      const verdict = verdicts[at] = await lane.attack(attack);
      const state = verdict.ok ? "ok" : "FAILED";
      console.error(`selftest: ${++done}/${attacks.length} ${verdict.family}: ${verdict.name}: ${state}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return verdicts;
}

/** @param ground Where everything is planted that a server must leave alone, and its configuration. */
async function prepare(ground: string): Promise<Lane> {
  const canaries = await Canaries.plant(ground);
  const volumes = await MappedVolumes.plant(ground, canaries);
  const configuration = await Deno.makeTempDir({ dir: ground, prefix: "configuration-" });
  await Deno.writeTextFile(`${configuration}/policy.toml`, POLICY);
  await Deno.writeTextFile(`${configuration}/mcp.toml`, volumes.configuration);
  const command = serverCommand(volumes.writable, {
    SELFTEST_CANARY: canaries.environmentSecret,
    WASMBOX_LOGGING_LEVEL: "warning",
    WASMBOX_CONFIG: configuration, // not the operator's: the attacks expect the defaults
  });
  return new Lane(command, canaries, volumes);
}

/**
 * How this program is started as a stdio server.
 *
 * @param writable Directories that it may write to.
 */
function serverCommand(writable: readonly string[], env: Readonly<Record<string, string>>): Command {
  if (STANDALONE) return { command: Deno.execPath(), args: ["serve", "--stdio"], env };
  const path = (relative: string) => decodeURIComponent(new URL(relative, import.meta.url).pathname);
  const config = `--config=${path("../../deno.json")}`;
  const args = [
    "run",
    "--quiet",
    "--no-prompt",
    config,
    ...SERVER_PERMISSIONS,
    `--allow-write=${writable.join()}`,
    path("../../main.ts"),
    "serve",
    "--stdio", // whatever the configuration says
  ];
  return { command: Deno.execPath(), args, env };
}

async function print(text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await Deno.stdout.write(bytes));
}
