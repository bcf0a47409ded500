/**
 * `deno task release [--lean] [--without-scipy]`: what is published, in `dist/release`: a package for npm and a wheel for
 * PyPI, which hold the same bundles and assets, and name Deno as what they depend on, so that they run wherever that does;
 * the executable for each system whose runtime can be had, and this machine's as a package for Debian; what all of it is
 * made of and by; checksums.
 */

import { VERSION } from "../src/version.ts";
import { AssetsError, ensureAssets, type Manifest, type Wanted } from "./assets/mod.ts";
import { tryRun } from "./assets/process.ts";
import { compileExecutable } from "./compile.ts";
import { flagsOf } from "./flags.ts";
import { packDeb } from "./release/deb.ts";
import { packNpm } from "./release/npm.ts";
import { inRoot, stageProgram } from "./release/program.ts";
import { NoRuntimeError } from "./runtime.ts";
import { sbomOf } from "./release/sbom.ts";
import { packWheel } from "./release/wheel.ts";

const OUTPUT = inRoot("dist/release");
/** What Deno compiles for. */
const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

async function release(wanted: Wanted): Promise<void> {
  const manifest = await ensureAssets(wanted);
  await Deno.remove(OUTPUT, { recursive: true }).catch(() => {}); // of an earlier one
  await Deno.mkdir(OUTPUT, { recursive: true });
  const staged = await Deno.makeTempDir({ prefix: "wasmbox-release-" });
  try {
    await stageProgram(`${staged}/program`, manifest);
    await packWheel(`${staged}/program`, OUTPUT);
    await packNpm(staged, OUTPUT);
    for (const target of TARGETS) await packExecutable(wanted, target);
    await Deno.writeTextFile(`${OUTPUT}/sbom.cdx.json`, await sbomOf(manifest));
    await Deno.writeTextFile(`${OUTPUT}/provenance.json`, await provenanceOf(manifest));
    await sum();
  } finally {
    await Deno.remove(staged, { recursive: true });
  }
}

/** Where there is nothing to compile it with, or to pack it, the release goes without, and says so. */
async function packExecutable(wanted: Wanted, target: string): Promise<void> {
  const ending = target.includes("windows") ? ".exe" : "";
  try {
    const executable = await compileExecutable(
      wanted,
      `${OUTPUT}/wasmbox-${VERSION}-${target}${ending}`,
      target,
    );
    if (target !== Deno.build.target || Deno.build.os !== "linux") return;
    if (await tryRun(["dpkg-deb", "--version"]) !== undefined) await packDeb(executable, OUTPUT);
    else console.error("release: without a package for Debian: there is no dpkg-deb here");
  } catch (error) {
    if (!(error instanceof NoRuntimeError)) throw error;
    console.error(`release: without an executable for ${target}: ${error.message}`);
  }
}

/** What it was made from and by. Nobody has signed it. */
async function provenanceOf({ recipe, build, versions }: Manifest): Promise<string> {
  const git = async (...args: string[]) => {
    const { success, stdout } = await new Deno.Command("git", { args, cwd: inRoot(".") }).output()
      .catch(() => ({ success: false, stdout: new Uint8Array() }));
    return success ? new TextDecoder().decode(stdout).trim() : null;
  };
  const [commit, changes] = [await git("rev-parse", "HEAD"), await git("status", "--porcelain")];
  const facts = {
    version: VERSION,
    /** Null outside of a checkout; `clean` says whether it was that commit and nothing else. */
    commit,
    clean: commit === null ? null : changes === "",
    deno: Deno.version.deno,
    assets: { recipe, build, versions },
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

/** The checksums of all files. */
async function sum(): Promise<void> {
  const sums: string[] = [];
  const names = Array.from(Deno.readDirSync(OUTPUT), ({ name }) => name).sort();
  for (const name of names) {
    const bytes = await Deno.readFile(`${OUTPUT}/${name}`);
    sums.push(`${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}  ${name}\n`);
    console.error(`release: dist/release/${name}, ${(bytes.length / 1e6).toFixed(1)} MB`);
  }
  await Deno.writeTextFile(`${OUTPUT}/SHA256SUMS`, sums.join(""));
}

try {
  const flags = flagsOf("release", ["--lean", "--without-scipy"]);
  const science = !flags.has("--lean");
  await release({ science, scipy: science && !flags.has("--without-scipy"), shell: true });
} catch (error) {
  if (!(error instanceof AssetsError)) throw error;
  if (error.log) console.error(error.log);
  console.error(`release: ${error.message}`);
  Deno.exit(1);
}
