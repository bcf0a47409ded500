import config from "../deno.json" with { type: "json" };

/** The version of wasmbox, as in deno.json. */
export const VERSION: string = config.version;
