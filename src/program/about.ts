/** What an executable says of itself: told to it when it was compiled. */

import * as z from "zod/mini";
import { readAsset } from "./stored_assets.ts";

/** Name of the licences of the libraries in the bundles themselves: an asset of executables and packages. */
export const PROGRAM_LICENCES = "PROGRAM_LICENSES.txt";

/** Name of the asset, which only executables have. */
export const ABOUT = "executable.json";

const aboutExecutable = z.object({
  /** Where its runtime comes from, for people. */
  runtime: z.string(),
});

export type AboutExecutable = z.infer<typeof aboutExecutable>;

/** Where the runtime of this executable comes from, in words; says so if that can't be read. */
export async function runtimeOrigin(): Promise<string> {
  try {
    const text = new TextDecoder().decode(await readAsset(ABOUT));
    return aboutExecutable.parse(JSON.parse(text)).runtime;
  } catch {
    return "of unknown origin"; // the check of the assets, which comes next, says what is wrong with them
  }
}
