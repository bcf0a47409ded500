/** What the assets were built with. */

const manifest: object = JSON.parse(
  Deno.readTextFileSync(new URL("../../wasm/dist/manifest.json", import.meta.url)),
);

/** Whether that is numpy and what stands on it, as it is without `--lean`. */
export function hasScience(): boolean {
  return "science" in manifest;
}

/** Whether that is scipy, as it is with `--scipy`. */
export function hasScipy(): boolean {
  return "scipy" in manifest;
}
