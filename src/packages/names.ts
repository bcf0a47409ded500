/** Names of projects and files according to the packaging specifications. */

/** The longest name of a project or file. */
export const NAME_MAX = 200;

/** @see https://packaging.python.org/en/latest/specifications/name-normalization/ */
export function normalized(name: string): string {
  return name.replaceAll(/[-_.]+/g, "-").toLowerCase();
}

/** Whether a name is normalized, and so has no characters with a meaning in URLs or file names. */
export function isNormalized(name: string): boolean {
  return name.length <= NAME_MAX && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
}

export interface WheelName {
  /** Normalized. */
  readonly project: string;
  readonly version: string;
  /** For any system, and for Python 3. */
  readonly pure: boolean;
}

const WHEEL = /^([\w.]+)-([\w.!+]+)(?:-\d[\w.]*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/;

/** @returns undefined if the file name is not that of a wheel. */
export function parseWheelName(filename: string): WheelName | undefined {
  const match = filename.length <= NAME_MAX ? WHEEL.exec(filename) : null;
  if (!match) return undefined;
  const [, project = "", version = "", python = "", abi = "", platform = ""] = match;
  const pure = abi === "none" && platform === "any" && python.split(".").some((tag) => /^(py|cp)3/.test(tag));
  return { project: normalized(project), version, pure };
}
