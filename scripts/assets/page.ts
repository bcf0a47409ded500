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

const SOURCES = join(repository, "src/page");
const PAGE = join(SOURCES, "main.tsx");
const RESULT_APP = join(SOURCES, "result_app.tsx");
const COPIED = ["page.css", "page.html", "display.html"] as const;
const FILES = ["page.js", "result.html", ...COPIED] as const;

/** The files of the stage that are assets. */
export const PAGE_FILES: readonly string[] = FILES.map((name) => `${name}.gz`);

export async function buildPage(store: StageStore): Promise<Stage> {
  const digest = digestOf(await digestFiles(repository, INPUTS.page));
  return await obtainStage(store, STEPS.page, digest, async (target) => {
    await bundleScript(PAGE, join(target, "page.js"));
    await makeResultApp(target);
    for (const name of COPIED) await Deno.copyFile(join(SOURCES, name), join(target, name));
    for (const name of FILES) await compress(join(target, name));
    await collectLicences([PAGE, RESULT_APP], target);
  });
}

/** A document that is whole in itself: clients that show it have nothing else of it. */
async function makeResultApp(target: string): Promise<void> {
  const bundled = join(target, "result_app.js");
  await bundleScript(RESULT_APP, bundled);
  const script = (await Deno.readTextFile(bundled)).replaceAll("</script", "<\\/script");
  const style = await Deno.readTextFile(join(SOURCES, "page.css"));
  const html = await Deno.readTextFile(join(SOURCES, "result.html"));
  const whole = html.replace("STYLE", () => style).replace("SCRIPT", () => script);
  await Deno.writeTextFile(join(target, "result.html"), whole);
  await Deno.remove(bundled);
}

async function bundleScript(entry: string, output: string): Promise<void> {
  const argv = [
    Deno.execPath(),
    "bundle",
    "--quiet",
    "--minify",
    "--platform=browser",
    `--config=${join(repository, "deno.json")}`,
    `--output=${output}`,
    entry,
  ];
  await run(`bundling ${entry}`, { argv });
}

/** Replaces a file by a compressed one. */
async function compress(path: string): Promise<void> {
  const packed = new Blob([await Deno.readFile(path)]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(`${path}.gz`, packed);
  await Deno.remove(path);
}
