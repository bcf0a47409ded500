/** `wasmbox config`: checks the configuration and tells what holds. */

import { describe, effectiveValues } from "../config/describe.ts";
import { ConfigError } from "../config/error.ts";
import type { Flags } from "../config/flags.ts";
import { loadConfiguration } from "../config/load.ts";

/** @param flags Those of `serve`, and `json`. @returns The exit code: 2 if there are mistakes, which stderr tells. */
export async function config(flags: Flags): Promise<number> {
  try {
    const configuration = await loadConfiguration(flags);
    const { files, warnings } = configuration;
    const values = Object.fromEntries(
      effectiveValues(configuration).map(({ path, ...rest }) => [path, rest]),
    );
    console.log(
      flags["json"] ? JSON.stringify({ files, warnings, values }, null, 2) : describe(configuration),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 2;
  }
}
