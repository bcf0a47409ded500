/**
 * `deno task release [--lean]`: what is published, in `dist/release`: a package for npm, a wheel for PyPI, and their
 * checksums. Both hold the same bundles and assets, and name Deno as what they depend on: so they run wherever that does.
 */

import { AssetsError, ensureAssets } from "./assets/mod.ts";
import { flagsOf } from "./flags.ts";
import { packNpm } from "./release/npm.ts";
import { inRoot, stageProgram } from "./release/program.ts";
import { packWheel } from "./release/wheel.ts";

const OUTPUT = inRoot("dist/release");

async function release(science: boolean): Promise<void> {
  const manifest = await ensureAssets({ science, shell: true });
  await Deno.remove(OUTPUT, { recursive: true }).catch(() => {}); // of an earlier one
  await Deno.mkdir(OUTPUT, { recursive: true });
  const staged = await Deno.makeTempDir({ prefix: "wasmbox-release-" });
  try {
    await stageProgram(`${staged}/program`, manifest);
    const paths = [await packWheel(`${staged}/program`, OUTPUT), await packNpm(staged, OUTPUT)];
    const sums: string[] = [];
    for (const path of paths) {
      const bytes = await Deno.readFile(path);
      const name = path.slice(path.lastIndexOf("/") + 1);
      sums.push(`${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}  ${name}\n`);
      console.error(`release: dist/release/${name}, ${(bytes.length / 1e6).toFixed(0)} MB`);
    }
    await Deno.writeTextFile(`${OUTPUT}/SHA256SUMS`, sums.join(""));
  } finally {
    await Deno.remove(staged, { recursive: true });
  }
}

try {
  await release(!flagsOf("release", ["--lean"]).has("--lean"));
} catch (error) {
  if (!(error instanceof AssetsError)) throw error;
  if (error.log) console.error(error.log);
  console.error(`release: ${error.message}`);
  Deno.exit(1);
}
