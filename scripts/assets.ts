/**
 * `deno task assets`: builds what the server embeds, if it is not there; with --lean, without numpy and what stands on it;
 * with --scipy, with scipy too.
 */

import { AssetsError, ensureAssets } from "./assets/mod.ts";
import { flagsOf } from "./flags.ts";

const flags = flagsOf("assets", ["--lean", "--scipy"]);
const science = !flags.has("--lean");
try {
  const { build, files } = await ensureAssets({
    science,
    ...flags.has("--scipy") && { scipy: true },
    shell: true,
  });
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  console.error(`assets: ready, ${(bytes / 1e6).toFixed(1)} MB, build ${build.slice(0, 12)}`);
} catch (error) {
  if (!(error instanceof AssetsError)) throw error;
  if (error.log) console.error(error.log);
  console.error(`assets: ${error.message}`);
  Deno.exit(1);
}
