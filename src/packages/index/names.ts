/** Names of projects and files according to the packaging specifications. */

import { PROJECT_NAME_MAX } from "../../host_calls/packages.ts";
import { normalized } from "../../project_name.ts";

export interface WheelName {
  /** Normalized. */
  readonly project: string;
  readonly version: string;
  /** For any system, and for Python 3. */
  readonly pure: boolean;
}

const WHEEL = /^([\w.]+)-([\w.!+]+)(?:-\d[\w.]*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/;

const SOURCE = /^([\w.-]+)-([\w.!+]+)\.(?:tar\.gz|zip|tar\.bz2)$/;

/** @returns The version of a source distribution of a project; undefined if the file is none. */
export function parseSourceName(filename: string, project: string): string | undefined {
  const match = filename.length <= PROJECT_NAME_MAX ? SOURCE.exec(filename) : null;
  return match && normalized(match[1] ?? "") === project ? match[2] : undefined;
}

/** @returns undefined if the file name is not that of a wheel. */
export function parseWheelName(filename: string): WheelName | undefined {
  const match = filename.length <= PROJECT_NAME_MAX ? WHEEL.exec(filename) : null;
  if (!match) return undefined;
  const [, project = "", version = "", python = "", abi = "", platform = ""] = match;
  const pure = abi === "none" && platform === "any" && python.split(".").some((tag) => /^(py|cp)3/.test(tag));
  return { project: normalized(project), version, pure };
}
