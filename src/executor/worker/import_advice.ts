/** What is said of a Python module that was not found, at the end of the error's message. */

import { closest } from "../../closest.ts";
import { adviceOnNative, asSentence } from "../../package_alternatives.ts";
import { normalized } from "../../project_name.ts";
import {
  formerModule,
  importNames,
  insteadOf,
  isNative,
  namesBelow,
  projectOf,
} from "../../python_imports.ts";
import type { PackagesMode } from "../wire/to_executor.ts";

/**
 * @param name The first part of what was imported.
 * @param standard The modules of the standard library.
 * @param science Whether there is an interpreter with numpy and what stands on it.
 * @param failure Why its package could not be installed, if that was tried.
 */
export function adviceOn(
  name: string,
  standard: readonly string[],
  mode: PackagesMode,
  science: boolean,
  failure: string | undefined,
): string {
  const former = formerModule(name);
  if (former !== undefined) return former;
  const project = projectOf(name);
  if (project && isNative(project, science)) {
    const what = project.name === name ? "It has" : `It is ${project.name}, which has`;
    return `${what} ${adviceOnNative(normalized(project.name), science)}`;
  }
  if (project) {
    const instead = insteadOf(project, science);
    const rest = instead === undefined ? "" : ` ${asSentence(instead)}`;
    if (mode === "off") {
      return `It is the package ${project.name}, which is not bundled, and this server installs none: list_packages has what is there.${rest}`;
    }
    return failure === undefined
      ? `It is the package ${project.name}: install_package gets it, or pip install ${project.name} in the shell.`
      : `Its package ${project.name} could not be installed: ${failure}.${rest}`;
  }
  const below = namesBelow(name);
  if (below.length > 0 && mode !== "off") {
    const packages = below.map((each) => `${projectOf(each)?.name} for ${each}`);
    return `Several packages share that name; install_package gets them: ${packages.join(", ")}.`;
  }
  if (standard.includes(name)) {
    return "It is a module of the standard library that does not work in WebAssembly, and is left out.";
  }
  const meant = closest(name, [...standard, ...importNames()], name.length <= 4 ? 1 : 2);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return mode === "off"
    ? "There is no such file in /app and no such bundled package, and this server installs none: list_packages has what is there."
    : "There is no such file in /app and no such bundled package; if it is one of the index, install_package gets it by the name that it has there.";
}
