/** The interpreters that have numpy and what stands on it, and which programs are run in them. */

import { FsError } from "../../fs/errors.ts";
import type { FileSystem } from "../../fs/file_system.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { projectOf, standsOnScience } from "../../python_imports.ts";
import { installedNeed, projectsNeed } from "./installed.ts";
import type { LargerBase, PythonBase } from "./state.ts";

/** All that can be imported in the interpreter of science and larger ones, as `_wasmbox_bundled.py` lists it. */
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

/** By the interpreter, what can be imported there and in larger ones alone. */
const MODULES: Readonly<Record<LargerBase, readonly string[]>> = {
  science: SCIENCE_MODULES,
  scipy: ["scipy"],
};

const OTHERS = String.raw`(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*`;
/** Statements that import them. */
const IMPORTS = {
  science: importing(MODULES.science, String.raw`|%matplotlib\b`),
  scipy: importing(MODULES.scipy),
};

function importing(modules: readonly string[], more = ""): RegExp {
  const one = `(?:${modules.join("|")})`;
  const statements = String.raw`from[ \t]+${one}\b|import[ \t]+${OTHERS}${one}\b${more}`;
  return new RegExp(String.raw`(?:^|[:;])[ \t]*(?:${statements})`, "m");
}

/** What makes objects that no session takes along to another interpreter: connections, applications. */
const IMPORTS_LASTING = importing([
  ...["dbm", "peewee", "shelve", "sqlalchemy", "sqlite3", "sqlmodel"],
  ...[
    "aiohttp",
    "bottle",
    "dash",
    "django",
    "falcon",
    "fastapi",
    "flask",
    "quart",
    "sanic",
    "starlette",
    "tornado",
  ],
]);

/** A parser that Beautiful Soup is asked for by name. Bounded: no fuel counts what a program's text makes of this. */
const NAMES_PARSER = /\bBeautifulSoup\b[^\n]{0,200}["']lxml/;

/** What networkx does by scipy, which it imports when it is asked for that. */
const OF_NETWORKX = [
  "pagerank",
  "hits",
  String.raw`\w*(?:adjacency|laplacian)_matrix`,
  String.raw`\w+_spectrum`,
  "(?:spectral|kamada_kawai)_layout",
  String.raw`\w+_centrality_numpy`,
  String.raw`\w+_scipy_sparse_array`,
  "algebraic_connectivity",
  "fiedler_vector",
  "resistance_distance",
];
/** The same of pandas and seaborn. */
const OF_FRAMES = [
  String
    .raw`\b(?:corr|interpolate)\([^)\n]{0,80}["'](?:kendall|spearman|spline|polynomial|pchip|akima|cubic|quadratic)`,
  String.raw`\bplot\.(?:kde|density)\(`,
  String.raw`\bkind[ \t]*=[ \t]*["'](?:kde|density)["']`,
  // In a list of kinds.
  String.raw`[([{,][ \t]*["']kde["'][ \t]*[\])},]`,
  String.raw`\bwin_type[ \t]*=`,
  String.raw`\bclustermap\(`,
];
const BY_SCIPY = new RegExp(
  [String.raw`\b(?:nx|networkx)\.(?:${OF_NETWORKX.join("|")})\b`, ...OF_FRAMES].join("|"),
);

/** The first parts of what a program imports; `runpy` is how modules are run by their names. */
const IMPORTED = /(?:^[ \t]*(?:import|from)[ \t]+|run_module\(["'])(\w+)/gm;
/** Of the program's own files, so many are looked into, and so deep; larger ones are not. */
const MAX_FILES = 200;
const MAX_DEPTH = 4;
const MAX_FILE_BYTES = 256 * 1024;

/**
 * The interpreter that a program needs, by the looks of it, of the modules that it has beside it, and of what is installed.
 *
 * @param there Those larger than the plain one, in their order: with none of them what it imports can't be had, either.
 */
export function baseFor(fs: FileSystem, code: string, there: readonly LargerBase[]): PythonBase {
  try {
    return there.toReversed().find((base) => wants(base, fs, code)) ?? "plain";
  } catch (error) {
    if (error instanceof FsError) return "plain"; // a directory that may not be read, or is gone
    throw error;
  }
}

/**
 * The interpreter for a session, which may need more later: also the one with numpy where a program makes what would keep
 * the session from going there then. Who opens a database often reads it by pandas afterwards. A session that begins goes
 * there for any library, as nothing has to be taken along yet.
 *
 * @param begins Whether it has no heap yet.
 */
export function baseForSession(
  fs: FileSystem,
  code: string,
  there: readonly LargerBase[],
  begins: boolean,
): PythonBase {
  const needed = baseFor(fs, code, there);
  if (needed !== "plain" || !there.includes("science")) return needed;
  return IMPORTS_LASTING.test(code) || begins && importsLibrary(code) ? "science" : "plain";
}

function importsLibrary(code: string): boolean {
  return [...code.matchAll(IMPORTED)].some(([, name]) => projectOf(name!) !== undefined);
}

/** Whether it imports a module of that interpreter. */
function wants(base: LargerBase, fs: FileSystem, code: string): boolean {
  if (IMPORTS[base].test(code)) return true;
  if (base === "science" && NAMES_PARSER.test(code)) return true;
  if (base === "scipy" && BY_SCIPY.test(code)) return true;
  const names = new Set([...code.matchAll(IMPORTED)].map((match) => match[1]!));
  if (names.size === 0) return false;
  if (base === "science" && [...names].some(standsOnScience)) return true;
  return ownModulesImport(base, fs, names) || installedNeed(fs, names, MODULES[base]);
}

/** What a program that imports some installed projects may be said to import too, so that it is run where they can be. */
export function beforeProjects(fs: FileSystem, projects: readonly string[]): string {
  const needed = (["science", "scipy"] as const).filter((base) => projectsNeed(fs, projects, MODULES[base]));
  return needed.map((base) => `import ${base === "science" ? "numpy" : "scipy"}`).join("\n");
}

function ownModulesImport(base: LargerBase, fs: FileSystem, names: ReadonlySet<string>): boolean {
  const own = fs.readdir(WORKING_DIRECTORY).some(({ name }) => names.has(name.replace(/\.py$/, "")));
  if (!own && !names.has("pytest")) return false;
  for (const text of sources(fs, WORKING_DIRECTORY)) if (IMPORTS[base].test(text)) return true;
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
 * @param there The interpreters that have them. @param stays Why its session could not go there; null if that was not tried.
 */
export function adviceOnScience(
  name: string,
  there: readonly LargerBase[],
  stays: string | null,
): string | undefined {
  if (!there.some((base) => MODULES[base].includes(name))) return undefined;
  const instead = "or use a new session.";
  return stays === null
    ? `It comes with an interpreter of its own, to which a session goes, with its variables, when a program imports ` +
      `it by a statement: run "import ${name}" first, ${instead}`
    : `It comes with an interpreter of its own, to which this session could not go, because of ${stays}. ` +
      `Delete what can't be taken along before you run this again, ${instead}`;
}
