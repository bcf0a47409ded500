/** Finds and reads the configuration files. */

import { ConfigError } from "./error.ts";
import type { Environment } from "./environment.ts";
import type { Flags } from "./flags.ts";

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Where a file may be. */
interface Place {
  readonly path: string;
  /** Someone named it, so it must be there. */
  readonly required: boolean;
}

const MCP = "mcp.toml";
const POLICY = "policy.toml";

/**
 * Each file at the first place where there is one: a path that was named (`--config`, `--policy`, WASMBOX_CONFIG,
 * WASMBOX_POLICY), or else `./config`, the user's and the system's configuration directory. Files are not merged. A
 * directory named as configuration is where both files are, and the only place.
 *
 * @throws {ConfigError} if a file that was named is not there, or one can't be read.
 */
export async function findFiles(
  flags: Flags,
  env: Environment,
): Promise<{ mcp: ConfigFile | undefined; policy: ConfigFile | undefined }> {
  const config = named(flags["config"]) ?? named(env["WASMBOX_CONFIG"]);
  const directory = config !== undefined && await isDirectory(config)
    ? config.replace(/(?<=.)[/\\]+$/, "")
    : undefined;
  const policy = named(flags["policy"]) ??
    (directory !== undefined && flags["config"] !== undefined ? undefined : named(env["WASMBOX_POLICY"]));
  const found = {
    mcp: await firstOf(places(MCP, directory, directory === undefined ? config : undefined, env)),
    policy: await firstOf(places(POLICY, directory, policy, env)),
  };
  if (directory !== undefined && !found.mcp && !found.policy) {
    throw new ConfigError(`${directory}: there is neither ${MCP} nor ${POLICY} in it`);
  }
  return found;
}

function named(path: string | boolean | undefined): string | undefined {
  return typeof path === "string" && path !== "" ? path : undefined;
}

function places(
  name: string,
  directory: string | undefined,
  named: string | undefined,
  env: Environment,
): Place[] {
  if (named !== undefined) return [{ path: named, required: true }];
  const paths = directory === undefined ? searched(name, env) : [`${directory}/${name}`];
  return paths.map((path) => ({ path, required: false }));
}

/** Where a file is looked for if nobody says where it is, first to last. */
function searched(name: string, env: Environment): string[] {
  const home = env["HOME"];
  const user = {
    windows: env["APPDATA"],
    darwin: home && `${home}/Library/Application Support`,
    linux: env["XDG_CONFIG_HOME"] || (home && `${home}/.config`),
  };
  const system = { windows: env["PROGRAMDATA"], darwin: "/Library/Application Support", linux: "/etc" };
  const os = Deno.build.os === "windows" || Deno.build.os === "darwin" ? Deno.build.os : "linux";
  const directories = [user[os], system[os]].filter((directory) => directory);
  return [`config/${name}`, ...directories.map((directory) => `${directory}/wasmbox/${name}`)];
}

async function firstOf(places: readonly Place[]): Promise<ConfigFile | undefined> {
  for (const { path, required } of places) {
    const text = await readText(path, required);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** @throws {ConfigError} if it can't be read; where it need not be there, only if it is. */
export async function readText(path: string, required: true): Promise<string>;
export async function readText(path: string, required: boolean): Promise<string | undefined>;
export async function readText(path: string, required: boolean): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
    if (absent && !required) return undefined;
    throw new ConfigError(`${path}: can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false; // reading it will tell why
  }
}
