/** Commands that look after an installation. */

import { readAsset } from "../program/stored_assets.ts";

export { config } from "./config.ts";
export { doctor } from "./doctor.ts";
export { install } from "./install/mod.ts";
export { completions } from "../command_line/completions.ts";
export { manual } from "../command_line/manual.ts";
export { selftest } from "../selftest/mod.ts";

/** Prints the licences of all that is embedded. */
export async function licenses(): Promise<void> {
  await Deno.stdout.write(await readAsset("THIRD_PARTY_LICENSES.txt"));
}
