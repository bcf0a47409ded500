/** The stages of JavaScript: its bundled libraries, and its base image. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LIBRARIES, type Library } from "../../src/runtime/javascript/libraries.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { readModule, withRuntime, writeMemory } from "./image_making.ts";
import { collectLicences } from "./npm_licences.ts";
import { repository } from "./paths.ts";
import { run } from "./process.ts";
import { INPUTS } from "./recipe.ts";
import { obtainStage } from "./stage.ts";
import { STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

const ENTRIES = new URL("../../src/runtime/javascript/libraries/", import.meta.url);

/** Globals that libraries use after they have been evaluated. */
const KEPT = [
  "Array ArrayBuffer BigInt Boolean DataView Date Error JSON Map Math Number Object Promise Proxy RangeError Reflect RegExp",
  "Set String Symbol SyntaxError TypeError URIError Uint8Array Uint16Array Uint32Array WeakMap WeakSet",
  "TextDecoder TextEncoder URL URLSearchParams atob btoa console queueMicrotask structuredClone",
  "setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate",
].join(" ").replaceAll(" ", ", ");

/** Texts by the names of libraries: those of the image and the others. */
type Texts = Readonly<Record<Library["load"], Readonly<Record<string, string>>>>;

/** `libraries.json`: {@link Texts}; `lazy.json`: those that are loaded at their first use. */
export async function bundleLibraries(store: StageStore): Promise<Stage> {
  const digest = digestOf(await digestFiles(repository, INPUTS.libraries));
  return await obtainStage(store, STEPS.javascriptLibraries, digest, async (target) => {
    const texts = await bundleTexts();
    await Deno.writeTextFile(join(target, "libraries.json"), JSON.stringify(texts));
    await Deno.writeTextFile(join(target, "lazy.json"), JSON.stringify(texts["first use"]));
    await collectLicences(Object.values(LIBRARIES).map(({ entry }) => pathOf(entry)), target);
  });
}

/** Bundles all libraries. @throws {AssetsError} */
export async function bundleTexts(): Promise<Texts> {
  const texts: Record<Library["load"], Record<string, string>> = {
    "image": {},
    "first use": {},
    "own image": {},
  };
  const directory = await Deno.makeTempDir({ prefix: "wasmbox-libraries-" });
  try {
    for (const [name, { entry, load }] of Object.entries(LIBRARIES)) {
      texts[load][name] = await bundle(entry, join(directory, `${name}.js`));
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
  return texts;
}

const CONFIG = join(repository, "deno.json");
const pathOf = (entry: string) => fileURLToPath(new URL(entry, ENTRIES));

/** A script whose value is what the entry exports. */
async function bundle(entry: string, output: string): Promise<string> {
  const argv = [
    Deno.execPath(),
    "bundle",
    "--quiet",
    "--minify",
    // Names of classes and functions are shown to programs.
    "--keep-names",
    // What packages require of Node is the libraries' own.
    "--external=process/",
    "--external=abort-controller",
    "--platform=browser",
    "--format=cjs",
    `--config=${CONFIG}`,
    `--output=${output}`,
    pathOf(entry),
  ];
  await run(`bundling ${entry}`, { argv });
  const code = await Deno.readTextFile(output);
  // A program's own `const URL` stands in the place of the global: libraries keep what was there before it.
  return `(() => { const { ${KEPT} } = globalThis; return (() => {
"use strict"; const module = { exports: {} }; const { exports } = module; ${code}
return module.exports; })(); })()`;
}

/**
 * `javascript.memory`: the heap that programs start from, of exactly this `quickjs.wasm`; `javascript.json`: what that does
 * not say; `javascript-NAME.image`: what a library with an image of its own has over it.
 */
export async function buildJavaScriptImage(
  store: StageStore,
  quickjs: Stage,
  libraries: Stage,
): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.javascript);
  const digest = digestOf({ quickjs: quickjs.digest, libraries: libraries.digest, ...files });
  return await obtainStage(store, STEPS.javascriptImage, digest, async (target) => {
    const module = await readModule(quickjs, "quickjs.wasm");
    const texts: Texts = JSON.parse(await Deno.readTextFile(join(libraries.directory, "libraries.json")));
    const { image, state, overlays } = await withRuntime(
      "JavaScript",
      ({ buildBaseImage, buildOverlay }) => {
        const base = buildBaseImage(module, texts.image);
        const overlays = Object.entries(texts["own image"]).map((library) =>
          [library[0], buildOverlay(module, texts.image, base, library)] as const
        );
        return { ...base, overlays };
      },
    );
    const heap = await writeMemory(target, "javascript.memory", image);
    await Deno.writeTextFile(join(target, "javascript.json"), JSON.stringify({ heap, state }));
    for (const [name, overlay] of overlays) {
      await Deno.writeFile(join(target, `javascript-${name}.image`), overlay);
    }
  });
}
