/** Which registry npm would use on this machine: its environment variables and configuration files. */

import type { Surroundings } from "./pip_config.ts";

export interface NpmConfig {
  readonly registry: string | undefined;
  /** Path of a file with certificates to trust. */
  readonly certificates: string | undefined;
  /** The value of an Authorization header for a registry; undefined if none is configured for it. */
  authorization(registry: URL): string | undefined;
}

/**
 * In npm's order: environment, the user's file, the machine's. A project's own file is not looked at: a server has none.
 *
 * @see https://docs.npmjs.com/cli/v11/configuring-npm/npmrc
 */
export function readNpmConfig(surroundings: Surroundings): NpmConfig {
  const files = configFiles(surroundings)
    .map((path) => parseNpmrc(surroundings.read(path) ?? "", surroundings));
  const value = (name: string) => {
    const variable = name.replaceAll("-", "_");
    const inEnvironment = [`npm_config_${variable}`, `NPM_CONFIG_${variable.toUpperCase()}`]
      .map((name) => surroundings.env(name));
    return [...inEnvironment, ...files.map((file) => file.get(name))].find((text) => !!text);
  };
  return {
    registry: value("registry"),
    certificates: value("cafile"),
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
    env("npm_config_userconfig") ?? env("NPM_CONFIG_USERCONFIG") ?? (home && `${home}/.npmrc`),
    env("npm_config_globalconfig") ?? env("NPM_CONFIG_GLOBALCONFIG"),
    "/usr/local/etc/npmrc",
    "/usr/etc/npmrc",
    "/etc/npmrc",
  ].filter((path): path is string => !!path);
}

/** `key=value`, with `${NAME}` standing for variables of the environment. */
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
