/** Which index pip would use on this machine: its environment variables and configuration files. */

/** Where a process finds its configuration. */
export interface Surroundings {
  env(name: string): string | undefined;
  /** The text of a file; undefined if there is none that can be read. */
  read(path: string): string | undefined;
}

export interface PipConfig {
  readonly indexUrl: string | undefined;
  /** Path of a file with certificates to trust. */
  readonly certificates: string | undefined;
}

/**
 * In pip's order: environment, the file of PIP_CONFIG_FILE, the user's, the machine's.
 *
 * @see https://pip.pypa.io/en/stable/topics/configuration/
 */
export function readPipConfig(surroundings: Surroundings): PipConfig {
  const files = configFiles(surroundings).map((path) => parseIni(surroundings.read(path) ?? ""));
  const value = (name: string) => {
    const variable = surroundings.env(`PIP_${name.toUpperCase().replaceAll("-", "_")}`);
    const inFiles = files.map((file) => file.get(`install.${name}`) ?? file.get(`global.${name}`));
    return [variable, ...inFiles].find((text) => text !== undefined && text !== "");
  };
  return { indexUrl: value("index-url"), certificates: value("cert") };
}

function configFiles({ env }: Surroundings): string[] {
  const home = env("HOME");
  const named = env("PIP_CONFIG_FILE");
  if (named === "/dev/null") return [];
  const user = env("XDG_CONFIG_HOME") ?? (home && `${home}/.config`);
  return [
    named,
    user && `${user}/pip/pip.conf`,
    home && `${home}/.pip/pip.conf`,
    "/etc/pip.conf",
  ].filter((path): path is string => path !== undefined && path !== "");
}

/** `section.key` → value, as Python's configparser reads it, as far as pip's files go. */
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
