/** The stages of QuickJS: its sources, and the module before it is metered. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { repository } from "./paths.ts";
import { FETCH_INDEX, INPUTS } from "./recipe.ts";
import { indexUrl } from "./science.ts";
import { STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { makeStage } from "./workbench.ts";

const FOLDER = "wasm/quickjs";

/**
 * `quickjs.wasm`, and `licences/`.
 *
 * @param defaultIndex Where Python's packages come from, of which one has the sources, unless this system's pip is told
 *   otherwise.
 */
export async function buildQuickJS(
  store: StageStore,
  root: BuildRoot,
  defaultIndex: string,
): Promise<Stage> {
  const sources = await downloadSources(store, root, defaultIndex);
  const digest = digestOf({
    ...root.versions,
    sources: sources.digest,
    ...await digestFiles(repository, INPUTS.quickjs),
  });
  return await makeStage(store, root, STEPS.quickjsBuild, digest, async (bench) => {
    await bench.place(sources.directory, "sources");
    await bench.place(join(repository, FOLDER), "engine");
    await bench.perform("building QuickJS", ["bash", `${bench.inside}/engine/build.sh`], {
      SOURCES: `${bench.inside}/sources`,
      ENGINE: `${bench.inside}/engine`,
    });
  });
}

async function downloadSources(store: StageStore, root: BuildRoot, defaultIndex: string): Promise<Stage> {
  const digest = digestOf(await digestFiles(repository, [`${FOLDER}/sources.json`, FETCH_INDEX]));
  return await makeStage(store, root, STEPS.quickjsDownload, digest, async (bench) => {
    await bench.place(join(repository, FETCH_INDEX), "fetch_index.py");
    await bench.place(join(repository, FOLDER, "sources.json"), "sources.json");
    const argv = ["fetch_index.py", "sources.json", "work/out"].map((name) => `${bench.inside}/${name}`);
    await bench.perform("downloading QuickJS", ["python3.13", ...argv], {
      INDEX_URL: await indexUrl(defaultIndex),
    });
  });
}
