/** Finds and reads the configuration files. */

import { ConfigError } from "./error.ts";
import type { Environment } from "./environment.ts";
import type { Flags } from "./flags.ts";
import { isAbsolute } from "./paths.ts";
import { assertTrusted } from "./trusted_file.ts";

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** A place where a file may be. */
interface Place {
  readonly path: string;
  /** It was named explicitly, so it must exist. */
  readonly required: boolean;
}

const MCP = "mcp.toml";
const POLICY = "policy.toml";

/**
 * Finds each file in the first of these places that has it: a path that was named (`--config`, `--policy`,
 * WASMBOX_CONFIG, WASMBOX_POLICY), or else the user's and then the system's configuration directory. Files are not
 * merged. If a directory is named as configuration, it is the only place where either file is looked for.
 *
 * The working directory is not searched: clients start servers in whatever folder is open, even a stranger's repository.
 *
 * @throws {ConfigError} if a file that was named does not exist, or one can't be read, or others can change it.
 */
export async function findFiles(
  flags: Flags,
  env: Environment,
): Promise<{ mcp: ConfigFile | undefined; policy: ConfigFile | undefined }> {
  for (const flag of ["config", "policy"]) {
    // Who wrote it means a file: without it other rules would hold than theirs.
    if (flags[flag] === "") throw new ConfigError(`command line: --${flag} = "" is invalid: must be a path`);
  }
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
    throw new ConfigError(`${directory}: contains neither ${MCP} nor ${POLICY}`);
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

/** Where a file is looked for if its path was not named, first to last. */
function searched(name: string, env: Environment): string[] {
  const home = env["HOME"];
  const below = (directory: string) => home && `${home}/${directory}`;
  const places = {
    // Any user can create directories in the place that Windows has for all users, so only the user's own is searched.
    windows: [env["APPDATA"]],
    darwin: [below("Library/Application Support"), "/Library/Application Support"],
    linux: [usable(env["XDG_CONFIG_HOME"]) ?? below(".config"), "/etc"],
  };
  const os = Deno.build.os === "windows" || Deno.build.os === "darwin" ? Deno.build.os : "linux";
  return places[os].flatMap((directory) => usable(directory) ?? [])
    .map((directory) => `${directory}/wasmbox/${name}`);
}

/** A relative path would lead into the working directory. */
function usable(directory: string | undefined): string | undefined {
  return directory !== undefined && isAbsolute(directory) ? directory : undefined;
}

async function firstOf(places: readonly Place[]): Promise<ConfigFile | undefined> {
  for (const { path, required } of places) {
    const text = await readText(path, required);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/**
 * @param required Whether it must exist; else the result is undefined if it does not.
 * @throws {ConfigError} if it can't be read, or others can change it.
 */
export async function readText(path: string, required: true): Promise<string>;
export async function readText(path: string, required: boolean): Promise<string | undefined>;
export async function readText(path: string, required: boolean): Promise<string | undefined> {
  try {
    assertTrusted(path);
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
    if (absent && !required) return undefined;
    throw new ConfigError(`${path}: can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false; // reading it will say why
  }
}
