/** The registry that npm would use on this machine, from its environment variables and configuration files. */

import { isAbsolute } from "../../config/paths.ts";
import type { Surroundings } from "./pip_config.ts";

export interface NpmConfig {
  readonly registry: string | undefined;
  /** The path of a file with certificates to trust. */
  readonly certificates: string | undefined;
  /** The value of an Authorization header for a registry; undefined if it has no credentials. */
  authorization(registry: URL): string | undefined;
}

/**
 * Reads them in npm's order: environment, the user's file, the machine's. The file of a project is not read: it would be that
 * of the working directory, which may be anyone's. For the same reason relative paths in files are ignored.
 *
 * @see https://docs.npmjs.com/cli/v11/configuring-npm/npmrc
 */
export function readNpmConfig(surroundings: Surroundings): NpmConfig {
  const files = configFiles(surroundings)
    .map((path) => parseNpmrc(surroundings.read(path) ?? "", surroundings));
  const variables = (name: string) =>
    [`npm_config_${name}`, `NPM_CONFIG_${name.toUpperCase()}`].map((name) => surroundings.env(name));
  const inFiles = (name: string) => files.map((file) => file.get(name) ?? "");
  const first = (texts: readonly (string | undefined)[]) => texts.find((text) => !!text);
  return {
    registry: first([...variables("registry"), ...inFiles("registry")]),
    certificates: first([...variables("cafile"), ...inFiles("cafile").filter(isAbsolute)]),
    authorization(registry) {
      // Credentials belong to the registry, or to a directory above it.
      for (let place = `//${registry.host}${registry.pathname}`; place.length > 2;) {
        const of = (key: string) => files.map((file) => file.get(`${place}:${key}`)).find((text) => !!text);
        const [token, basic] = [of("_authToken"), of("_auth")];
        if (token !== undefined) return `Bearer ${token}`;
        if (basic !== undefined) return `Basic ${basic}`;
        place = place.endsWith("/") ? place.slice(0, -1) : place.slice(0, place.lastIndexOf("/") + 1);
      }
      return undefined;
    },
  };
}

function configFiles({ env }: Surroundings): string[] {
  const home = env("HOME");
  return [
    env("npm_config_userconfig") ?? env("NPM_CONFIG_USERCONFIG") ??
      (home && isAbsolute(home) ? `${home}/.npmrc` : undefined),
    env("npm_config_globalconfig") ?? env("NPM_CONFIG_GLOBALCONFIG"),
    "/usr/local/etc/npmrc",
    "/usr/etc/npmrc",
    "/etc/npmrc",
  ].filter((path): path is string => !!path);
}

/** Lines `key=value`, in which `${NAME}` stands for an environment variable. */
function parseNpmrc(text: string, { env }: Surroundings): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.slice(0, 100_000).split(/\r?\n/)) {
    const pair = /^\s*([^\s;#=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (!pair) continue;
    const value = pair[2]!.replace(/^(["'])(.*)\1$/, "$2");
    values.set(pair[1]!, value.replaceAll(/\$\{(\w+)\}/g, (all, name) => env(name) ?? all));
  }
  return values;
}
