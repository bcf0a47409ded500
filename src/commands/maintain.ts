/** Commands that look after an installation. */

import { PROGRAM_LICENCES } from "../program/about.ts";
import { readAsset } from "../program/stored_assets.ts";

export { config } from "./config.ts";
export { doctor } from "./doctor.ts";
export { install } from "./install/mod.ts";
export { completions } from "../command_line/completions.ts";
export { manual } from "../command_line/manual.ts";
export { selftest } from "../selftest/mod.ts";

/** Prints the licences of all that is embedded. */
export async function licenses(): Promise<void> {
  await print(await readAsset("THIRD_PARTY_LICENSES.txt"));
  try {
    const own = await readAsset(PROGRAM_LICENCES);
    await print(new TextEncoder().encode("\nSoftware in the program itself:\n\n"));
    await print(own);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // from source it is not embedded
  }
}

async function print(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
}
