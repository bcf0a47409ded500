/** The interpreter that has numpy and what stands on it, and which programs are run in it. */

import { FsError } from "../../fs/errors.ts";
import type { FileSystem } from "../../fs/file_system.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { standsOnScience } from "../../python_imports.ts";
import { installedNeed, projectsNeed } from "./installed.ts";

/** All that can be imported there alone, as `_wasmbox_bundled.py` lists it. */
export const SCIENCE_MODULES: readonly string[] = [
  "PIL",
  "annotated_types",
  "contourpy",
  "cramjam",
  "cycler",
  "docx",
  "fastparquet",
  "fontTools",
  "fsspec",
  "jiter",
  "kiwisolver",
  "lxml",
  "matplotlib",
  "mpl_toolkits",
  "numpy",
  "orjson",
  "pandas",
  "pptx",
  "pydantic",
  "pydantic_core",
  "pylab",
  "pyparsing",
  "regex",
  "rpds",
  "seaborn",
  "typing_inspection",
];

const ONE = `(?:${SCIENCE_MODULES.join("|")})`;
const OTHERS = String.raw`(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*`;
const IMPORTS = new RegExp(
  String.raw`(?:^|[:;])[ \t]*(?:from[ \t]+${ONE}\b|import[ \t]+${OTHERS}${ONE}\b|%matplotlib\b)`,
  "m",
);

/** A parser that Beautiful Soup is asked for by name. Bounded: no fuel counts what a program's text makes of this. */
const NAMES_PARSER = /\bBeautifulSoup\b[^\n]{0,200}["']lxml/;

/** The first parts of what a program imports; `runpy` is how modules are run by their names. */
const IMPORTED = /(?:^[ \t]*(?:import|from)[ \t]+|run_module\(["'])(\w+)/gm;
/** Of the program's own files, so many are looked into, and so deep; larger ones are not. */
const MAX_FILES = 200;
const MAX_DEPTH = 4;
const MAX_FILE_BYTES = 256 * 1024;

/**
 * Whether a program, by the looks of it, of the modules that it has beside it, or of what is installed, imports a module
 * of that interpreter.
 */
export function wantsScience(fs: FileSystem, code: string): boolean {
  try {
    if (IMPORTS.test(code) || NAMES_PARSER.test(code)) return true;
    const names = new Set([...code.matchAll(IMPORTED)].map((match) => match[1]!));
    if (names.size === 0) return false;
    if ([...names].some(standsOnScience)) return true;
    return ownModulesImport(fs, names) || installedNeed(fs, names, SCIENCE_MODULES);
  } catch (error) {
    if (error instanceof FsError) return false; // a directory that may not be read, or is gone
    throw error;
  }
}

/** What a program that imports some installed projects may be said to import too, so that it is run where they can be. */
export function beforeProjects(fs: FileSystem, projects: readonly string[]): string {
  return projectsNeed(fs, projects, SCIENCE_MODULES) ? "import numpy" : "";
}

function ownModulesImport(fs: FileSystem, names: ReadonlySet<string>): boolean {
  const own = fs.readdir(WORKING_DIRECTORY).some(({ name }) => names.has(name.replace(/\.py$/, "")));
  if (!own && !names.has("pytest")) return false;
  for (const text of sources(fs, WORKING_DIRECTORY)) if (IMPORTS.test(text)) return true;
  return false;
}

/** Python's files below a directory. */
function* sources(fs: FileSystem, root: string): Generator<string> {
  const directories = [{ path: root, depth: 0 }];
  let left = MAX_FILES;
  for (let next = directories.pop(); next; next = directories.pop()) {
    for (const { name, type } of fs.readdir(next.path)) {
      if (left-- <= 0) return;
      const path = `${next.path}/${name}`;
      if (
        type === "directory" && next.depth < MAX_DEPTH && !/^\.|^site-packages$|^node_modules$/.test(name)
      ) {
        directories.push({ path, depth: next.depth + 1 });
      }
      if (type !== "file" || !name.endsWith(".py") || fs.stat(path).size > MAX_FILE_BYTES) continue;
      yield new TextDecoder().decode(fs.readFile(path));
    }
  }
}

/**
 * What is said to a program of another interpreter that wants one of those; undefined if it is none of them.
 *
 * @param stays Why its session could not go there; null if that was not tried.
 */
export function adviceOnScience(name: string, stays: string | null): string | undefined {
  if (!SCIENCE_MODULES.includes(name)) return undefined;
  const instead = "or use a new session.";
  return stays === null
    ? `It comes with an interpreter of its own, to which a session goes, with its variables, when a program imports ` +
      `it by a statement: run "import ${name}" first, ${instead}`
    : `It comes with an interpreter of its own, to which this session could not go, because of ${stays}. ` +
      `Delete what can't be taken along before you run this again, ${instead}`;
}
