/** The index that pip would use on this machine, from its environment variables and configuration files. */

import { isAbsolute } from "../../config/paths.ts";

/** Where a process finds its own configuration. */
export interface Surroundings {
  env(name: string): string | undefined;
  /** The text of a file; undefined if it can't be read. */
  read(path: string): string | undefined;
}

export interface PipConfig {
  readonly indexUrl: string | undefined;
  /** The path of a file with certificates to trust. */
  readonly certificates: string | undefined;
}

/**
 * Reads them in pip's order: environment, the file named by PIP_CONFIG_FILE, the user's, the machine's. Relative paths in
 * files are ignored: they would lead into the working directory, which may be anyone's.
 *
 * @see https://pip.pypa.io/en/stable/topics/configuration/
 */
export function readPipConfig(surroundings: Surroundings): PipConfig {
  const files = configFiles(surroundings).map((path) => parseIni(surroundings.read(path) ?? ""));
  const variable = (name: string) => surroundings.env(`PIP_${name.toUpperCase().replaceAll("-", "_")}`);
  const inFiles = (name: string) =>
    files.map((file) => file.get(`install.${name}`) ?? file.get(`global.${name}`) ?? "");
  const first = (texts: readonly (string | undefined)[]) => texts.find((text) => !!text);
  return {
    indexUrl: first([variable("index-url"), ...inFiles("index-url")]),
    certificates: first([variable("cert"), ...inFiles("cert").filter(isAbsolute)]),
  };
}

function configFiles({ env }: Surroundings): string[] {
  const home = env("HOME");
  const named = env("PIP_CONFIG_FILE");
  if (named === "/dev/null") return [];
  const user = env("XDG_CONFIG_HOME") ?? (home && `${home}/.config`);
  const places = [user && `${user}/pip/pip.conf`, home && `${home}/.pip/pip.conf`, "/etc/pip.conf"];
  return [...named ? [named] : [], ...places.filter((path): path is string => !!path && isAbsolute(path))];
}

/** Values by `section.key`, read like Python's configparser does, as far as pip's files need it. */
function parseIni(text: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.slice(0, 100_000).split(/\r?\n/)) {
    const heading = /^\[([^\]]+)\]\s*$/.exec(line);
    const pair = /^([A-Za-z][\w.-]*)\s*[=:]\s*(.*?)\s*$/.exec(line);
    if (heading) section = heading[1] ?? "";
    else if (pair) values.set(`${section}.${pair[1]?.toLowerCase().replaceAll("_", "-")}`, pair[2] ?? "");
  }
  return values;
}
