/**
 * What `deno compile` needs: the runtime that it puts into an executable (`denort`), and a Deno of the same version.
 *
 * In this order: the runtime that DENORT_BIN names; the official one of this Deno, which `deno compile` downloads by
 * itself and keeps; where that can't be reached, the one of scripts/runtime_wheels.ts.
 */

import { join } from "node:path";
import { AssetsError } from "./assets/errors.ts";
import { runtimeOfWheels } from "./runtime_wheels.ts";

/** A runtime, and how `deno compile` is called with it. */
export interface Runtime {
  /** Where it comes from, for people. */
  readonly origin: string;
  /** Path of the Deno that compiles. */
  readonly deno: string;
  readonly env: Readonly<Record<string, string>>;
}

/** There is no way to an executable here; the message says why, and what to do. */
export class NoRuntimeError extends AssetsError {
  override name = "NoRuntimeError";
}

/** How long an answer of where the official runtime is kept may take. */
const ANSWER_MS = 5_000;
/** How long its 40 MB may take, once there was an answer. */
const DOWNLOAD_MS = 600_000;

/**
 * The runtime to compile with; it is downloaded first if it is not there.
 *
 * @param target What it is to run on; of other machines than this one there is the official one, or none.
 * @throws {NoRuntimeError} if none can be had.
 */
export async function findRuntime(target = Deno.build.target): Promise<Runtime> {
  const deno = Deno.execPath();
  const official = { origin: `the official one of Deno ${Deno.version.deno}`, deno, env: {} };
  if (target !== Deno.build.target) {
    const fault = await officialFault(target);
    if (fault === undefined) return official;
    throw new NoRuntimeError(`its runtime can't be downloaded: ${fault}`);
  }
  const given = Deno.env.get("DENORT_BIN");
  if (given) return { origin: `given by DENORT_BIN (${given})`, deno, env: { DENORT_BIN: given } };
  const fault = await officialFault();
  if (fault === undefined) return official;
  try {
    return await runtimeOfWheels();
  } catch (error) {
    if (!(error instanceof AssetsError)) throw error;
    const own = `Deno ${Deno.version.deno}`;
    throw new NoRuntimeError(
      [
        "there is nothing that `deno compile` could make an executable of:",
        `  the runtime of ${own} can't be downloaded: ${fault};`,
        `  nor can an older one, from Python's index: ${error.message}.`,
        "Let this machine reach one of the two (HTTPS_PROXY, PIP_INDEX_URL and the like are heeded),",
        `or let DENORT_BIN name the file "denort" of ${own} for ${Deno.build.target}, which is among its releases.`,
      ].join("\n"),
      error.log,
    );
  }
}

/**
 * Lets `deno compile` try, with an empty program: it fetches what it lacks.
 *
 * It can wait for minutes where a firewall drops what it sends. So as soon as it says what it downloads, we ask there
 * too, with a deadline of our own.
 *
 * @returns Why the official runtime can't be had; undefined if it can.
 */
async function officialFault(target = Deno.build.target): Promise<string | undefined> {
  const directory = await Deno.makeTempDir({ prefix: "wasmbox-runtime-" });
  try {
    const source = join(directory, "empty.js");
    await Deno.writeTextFile(source, "");
    const output = `--output=${join(directory, "empty")}`;
    const stop = new AbortController();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["compile", "--no-config", "--no-check", `--target=${target}`, output, source],
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(DOWNLOAD_MS)]),
    }).spawn();
    let said = "";
    let silence: string | undefined;
    let asked: Promise<void> | undefined;
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      const url = /^Download (https?:\S+)\n/m.exec(said)?.[1];
      if (url !== undefined) {
        asked ??= answers(url).then((fault) => {
          silence = fault;
          if (fault !== undefined) stop.abort();
        });
      }
    }
    const { success } = await child.status;
    await asked;
    return success ? undefined : silence ?? reasonIn(said);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** @returns Why there is no answer of any kind from where `url` is; undefined if there is one. */
async function answers(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(ANSWER_MS) });
    await response.body?.cancel();
    return undefined;
  } catch {
    return `no answer from ${url}`;
  }
}

/** The innermost cause in a report of Deno's, which has them numbered, the outermost first. */
function reasonIn(report: string): string {
  const [before = ""] = report.split("\nStack backtrace");
  const lines = before.split("\n").map((line) => line.replace(/^\s*(\d+:|error:)?\s*/, "")).filter(Boolean);
  return lines.at(-1) ?? "`deno compile` said nothing";
}
