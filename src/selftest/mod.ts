/** `wasmbox selftest`: attacks a server of its own with everything we know of, and checks the assets. */

import { BUNDLED, STANDALONE } from "../program/entries.ts";
import { VERSION } from "../version.ts";
import { checkAssets, readManifest } from "./asset_hashes.ts";
import type { Attack } from "./attack.ts";
import { ATTACKS } from "./attacks/mod.ts";
import { Canaries } from "./canaries.ts";
import type { Command } from "./client.ts";
import { CONFIGURATION, ENVIRONMENT, FrontDoor } from "./front_door.ts";
import { HttpLane } from "./http_lane.ts";
import { Lane } from "./lane.ts";
import { asJson, asText, passed } from "./report.ts";
import { TemporaryDirectory } from "./temporary_directory.ts";
import type { Verdict } from "./verdict.ts";
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
  const hasScience = "python-science.wasm" in manifest.files;
  const attacks = await attackAll(ATTACKS.filter(({ family }) => family !== "science" || hasScience));
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
  let done = 0;
  const judged = (at: number, verdict: Verdict) => {
    verdicts[at] = verdict;
    const state = verdict.ok ? "ok" : "FAILED";
    console.error(`selftest: ${++done}/${attacks.length} ${verdict.family}: ${verdict.name}: ${state}`);
  };
  const inSessions = attacks.entries().filter((entry) => entry[1].kind !== "http");
  const work = async () => {
    await using lane = await prepare(ground.path);
    for (const [at, attack] of inSessions) if (attack.kind !== "http") judged(at, await lane.attack(attack));
  };
  // Beside the others, as most of its time is the server's, who waits for those that say nothing.
  const knock = async () => {
    await using lane = new HttpLane(() => prepareHttp(ground.path));
    for (const [at, attack] of attacks.entries()) {
      if (attack.kind === "http") judged(at, await lane.attack(attack));
    }
  };
  await Promise.all([knock(), ...Array.from({ length: LANES }, work)]);
  return verdicts;
}

/** @param ground Where everything is planted that a server must leave alone, and its configuration. */
async function prepare(ground: string): Promise<Lane> {
  const canaries = await Canaries.plant(ground);
  const volumes = await MappedVolumes.plant(ground, canaries);
  const configuration = await Deno.makeTempDir({ dir: ground, prefix: "configuration-" });
  await Deno.writeTextFile(`${configuration}/policy.toml`, POLICY);
  await Deno.writeTextFile(`${configuration}/mcp.toml`, volumes.configuration);
  const command = serverCommand("stdio", volumes.writable, {
    SELFTEST_CANARY: canaries.environmentSecret,
    WASMBOX_LOGGING_LEVEL: "warning",
    WASMBOX_CONFIG: configuration, // not the operator's: the attacks expect the defaults
  });
  return new Lane(command, canaries, volumes);
}

/** As {@link prepare}, on HTTP. */
async function prepareHttp(ground: string): Promise<FrontDoor> {
  const canaries = await Canaries.plant(ground);
  const own = await Deno.makeTempDir({ dir: ground, prefix: "http-" });
  await Deno.writeTextFile(`${own}/policy.toml`, POLICY);
  await Deno.writeTextFile(`${own}/mcp.toml`, CONFIGURATION);
  const command = serverCommand("http", [own], {
    ...ENVIRONMENT,
    SELFTEST_CANARY: canaries.environmentSecret,
    TMPDIR: own, // where its own socket lies
    WASMBOX_CONFIG: own,
  });
  return await FrontDoor.open(command, canaries);
}

/**
 * How this program is started as a server.
 *
 * @param writable Directories that it may write to.
 */
function serverCommand(
  transport: "stdio" | "http",
  writable: readonly string[],
  env: Readonly<Record<string, string>>,
): Command {
  const serve = ["serve", `--${transport}`]; // whatever the configuration says
  if (STANDALONE) return { command: Deno.execPath(), args: serve, env };
  const path = (relative: string) => decodeURIComponent(new URL(relative, import.meta.url).pathname);
  const [main, ...options] = BUNDLED
    ? [path("./main.js"), "--no-config", "--unstable-worker-options"]
    : [path("../../main.ts"), `--config=${path("../../deno.json")}`];
  const args = [
    "run",
    "--quiet",
    "--no-prompt",
    ...options,
    ...SERVER_PERMISSIONS,
    ...transport === "http" ? ["--allow-net"] : [],
    `--allow-write=${writable.join()}`,
    main,
    ...serve,
  ];
  return { command: Deno.execPath(), args, env };
}

async function print(text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await Deno.stdout.write(bytes));
}
