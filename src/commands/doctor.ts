/** `wasmbox doctor`: is everything here, and does it work? */

import { ConfigError } from "../config/error.ts";
import type { Flags } from "../config/flags.ts";
import { loadConfiguration } from "../config/load.ts";
import { DEFAULT_LIMITS } from "../config/limits.ts";
import { Lookout } from "../executor/server/lookout.ts";
import { executorsShare } from "../executor/server/memory_guard.ts";
import { BUNDLED, STANDALONE } from "../program/entries.ts";
import { LANGUAGE_NAMES, traitsOf } from "../languages.ts";
import { checkAssets as checkHashes, readManifest } from "../selftest/asset_hashes.ts";
import { SessionTable } from "../session/table.ts";
import { VERSION } from "../version.ts";
import { runtimeOrigin } from "../program/about.ts";
import { lookAround, troublesOf } from "./surroundings.ts";

const PRINCIPAL = "doctor";

/** Prints what it finds to stdout. @param flags Those of `serve`. @returns True if everything works. */
export async function doctor(flags: Flags): Promise<boolean> {
  console.log(`wasmbox ${VERSION}`);
  console.log(`runtime: ${await runtime()}`);
  console.log(`Deno ${Deno.version.deno}, V8 ${Deno.version.v8}, ${Deno.build.target}`);
  await tellSurroundings(await tellMemory());
  const configured = await checkConfiguration(flags);
  return await checkAssets() && await checkLanguages() && configured;
}

async function tellSurroundings(machineBytes: number): Promise<void> {
  for (const { what, mend } of troublesOf(await lookAround(machineBytes))) {
    console.log(`WARNING: ${what}`);
    console.log(`  to mend it: ${mend}`);
  }
}

/** What a server would be started with. */
async function checkConfiguration(flags: Flags): Promise<boolean> {
  try {
    const { files, warnings } = await loadConfiguration(flags);
    console.log(`configuration: ${files.length > 0 ? files.join(", ") : "none, so that defaults hold"}: ok`);
    for (const warning of warnings) console.log(`WARNING: ${warning}`);
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.log("configuration: FAILED: it has mistakes, with which no server starts:");
    for (const line of error.message.split("\n")) console.log(`  ${line}`);
    return false;
  }
}

async function runtime(): Promise<string> {
  const path = Deno.execPath();
  if (STANDALONE) return `${await runtimeOrigin()}, compiled into ${path}`;
  return `Deno at ${path}, ${BUNDLED ? "with the bundles of a package" : "from source"}`;
}

/** What executors may hold by default, and whether the server sees what they do hold. @returns Memory that there is. */
async function tellMemory(): Promise<number> {
  await using lookout = Lookout.start();
  const machine = Math.min(Deno.systemMemoryInfo().total, await lookout?.machineBytes ?? Infinity);
  const seen = lookout?.alive ? "" : "; what they hold is known by their own word only";
  const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
  console.log(`memory: ${gib(machine)}, of which executors may hold ${gib(executorsShare(machine))}${seen}`);
  return machine;
}

async function checkAssets(): Promise<boolean> {
  try {
    const manifest = await readManifest();
    const checks = await checkHashes(manifest);
    const bad = checks.filter(({ ok }) => !ok).map(({ name, found }) =>
      `${name} ${found ? "differs" : "is missing"}`
    );
    const verdict = bad.length === 0 ? "ok" : `FAILED: ${bad.join(", ")}`;
    console.log(
      `assets: build ${manifest.build.slice(0, 12)}, ${checks.length} files by their SHA-256: ${verdict}`,
    );
    return bad.length === 0;
  } catch (error) {
    console.log(`assets: FAILED: ${error instanceof Error ? error.message : error}`);
    console.log(BUNDLED ? "Install wasmbox again." : 'Run "deno task assets" to build them.');
    return false;
  }
}

async function checkLanguages(): Promise<boolean> {
  await using sessions = new SessionTable({ limits: DEFAULT_LIMITS });
  let healthy = true;
  const start = performance.now();
  try {
    await sessions.warm(PRINCIPAL, "doctor");
  } catch (error) {
    console.log(`executor: FAILED: ${error instanceof Error ? error.message : error}`);
    console.log("  what it said itself is above, on stderr; the warnings here name the usual causes");
    return false;
  }
  console.log(`executor: ready after ${(performance.now() - start).toFixed(0)} ms, no permissions left: ok`);
  for (const language of LANGUAGE_NAMES) {
    const { doctor: line } = traitsOf(language);
    const session = await sessions.create(PRINCIPAL);
    for (const run of ["first", "warm"]) {
      const begun = performance.now();
      const outcome = await session.execute({
        language,
        code: line.code,
        timeoutMs: DEFAULT_LIMITS.timeoutMs,
        fuelBudget: null,
        onFailure: "keep",
      }).outcome;
      const works = "result" in line ? outcome.result === line.result : outcome.stdout === line.stdout;
      healthy &&= works;
      const verdict = works ? "ok" : `FAILED: ${outcome.error?.message ?? outcome.result ?? outcome.stdout}`;
      console.log(`${language}, ${run} run: ${(performance.now() - begun).toFixed(1)} ms: ${verdict}`);
    }
  }
  return healthy;
}
