/** The stage of the page for people: its script, its style and its documents, each compressed. */

import { join } from "node:path";
import { digestFiles, digestOf } from "./digest.ts";
import { collectLicences } from "./npm_licences.ts";
import { repository } from "./paths.ts";
import { run } from "./process.ts";
import { INPUTS } from "./recipe.ts";
import { obtainStage } from "./stage.ts";
import { STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

const SOURCES = join(repository, "page");
const ENTRY = join(SOURCES, "main.tsx");
const COPIED = ["page.css", "page.html", "display.html"] as const;

/** The files of the stage that are assets. */
export const PAGE_FILES: readonly string[] = ["page.js", ...COPIED].map((name) => `${name}.gz`);

export async function buildPage(store: StageStore): Promise<Stage> {
  const digest = digestOf(await digestFiles(repository, INPUTS.page));
  return await obtainStage(store, STEPS.page, digest, async (target) => {
    await bundleScript(join(target, "page.js"));
    for (const name of COPIED) await Deno.copyFile(join(SOURCES, name), join(target, name));
    for (const name of ["page.js", ...COPIED]) await compress(join(target, name));
    await collectLicences([ENTRY], target);
  });
}

async function bundleScript(output: string): Promise<void> {
  const argv = [
    Deno.execPath(),
    "bundle",
    "--quiet",
    "--minify",
    "--platform=browser",
    `--config=${join(repository, "deno.json")}`,
    `--output=${output}`,
    ENTRY,
  ];
  await run(`bundling ${ENTRY}`, { argv });
}

/** Replaces a file by a compressed one. */
async function compress(path: string): Promise<void> {
  const packed = new Blob([await Deno.readFile(path)]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(`${path}.gz`, packed);
  await Deno.remove(path);
}
