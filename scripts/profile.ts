/**
 * `deno task profile`: makes anew the profile that CPython is compiled by, in some ten minutes. It is an input of the
 * build, and so is committed.
 */

import { join } from "node:path";
import { AssetsError } from "./assets/errors.ts";
import { chooseBuildRoot } from "./assets/find_build_root.ts";
import { withCache } from "./assets/mod.ts";
import { repository } from "./assets/paths.ts";
import { PROFILE } from "./assets/recipe.ts";
import { Workbench } from "./assets/workbench.ts";

const target = join(repository, PROFILE);

try {
  await withCache(async (store) => {
    const root = await (await chooseBuildRoot()).obtain(store);
    await Workbench.use(root, async (bench) => {
      const script = `${bench.inside}/recipe/profile/instrument.sh`;
      console.error("profile: building CPython for this machine, and training it");
      await bench.perform("profiling CPython", ["bash", script], { SOURCES: root.sources });
      await Deno.copyFile(join(bench.outside, "work", "out", "python.proftext.xz"), target);
    });
  });
  console.error(`profile: ${PROFILE}, ${((await Deno.stat(target)).size / 1e3).toFixed(0)} kB`);
} catch (error) {
  if (!(error instanceof AssetsError)) throw error;
  if (error.log) console.error(error.log);
  console.error(`profile: ${error.message}`);
  Deno.exit(1);
}
