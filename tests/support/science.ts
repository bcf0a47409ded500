/** Whether the assets were built with numpy and what stands on it, as they are without `--lean`. */
export function hasScience(): boolean {
  const manifest = new URL("../../wasm/dist/manifest.json", import.meta.url);
  return "science" in JSON.parse(Deno.readTextFileSync(manifest));
}
