/** Finds and reads the policy a server starts with. */

import { DEFAULT_POLICY, type Policy } from "./limits.ts";
import { ConfigError, parsePolicy } from "./policy.ts";

const FILE = "policy.toml";

/**
 * The policy of the file that was named, or else the first of: WASMBOX_POLICY, `./config/policy.toml`, the user's and the
 * system's configuration directory; the built-in defaults if there is none. Files are not merged.
 *
 * @param named A path given on the command line.
 * @throws {ConfigError} for a file with mistakes, or one that can't be read.
 */
export async function loadPolicy(named?: string): Promise<Policy> {
  const required = named ?? (Deno.env.get("WASMBOX_POLICY") || undefined);
  for (const path of required === undefined ? candidates() : [required]) {
    const text = await read(path, required !== undefined);
    if (text !== undefined) return parsePolicy(text, path);
  }
  return DEFAULT_POLICY;
}

/** Where a policy is looked for, first to last. */
function candidates(): string[] {
  const get = (name: string) => Deno.env.get(name) || undefined;
  const home = get("HOME");
  const user = {
    windows: get("APPDATA"),
    darwin: home && `${home}/Library/Application Support`,
    linux: get("XDG_CONFIG_HOME") ?? (home && `${home}/.config`),
  };
  const system = { windows: get("PROGRAMDATA"), darwin: "/Library/Application Support", linux: "/etc" };
  const os = Deno.build.os === "windows" || Deno.build.os === "darwin" ? Deno.build.os : "linux";
  const directories = [user[os], system[os]].filter((directory) => directory !== undefined);
  return [`config/${FILE}`, ...directories.map((directory) => `${directory}/wasmbox/${FILE}`)];
}

async function read(path: string, required: boolean): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
    if (absent && !required) return undefined;
    throw new ConfigError(`${path}: can't be read: ${error instanceof Error ? error.message : error}`);
  }
}
