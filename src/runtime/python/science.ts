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
  scipy: ["scipy", "sklearn"],
};
/** Others that are there too, for which no installed package has to go there: they can be installed anywhere. */
const ALSO: Readonly<Record<LargerBase, readonly string[]>> = { science: [], scipy: ["joblib"] };

const OTHERS = String.raw`(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*`;
/** Where a statement begins; and where one does in a text that a program has in quotes. */
const BEGINS = "(?:^|[:;])";
const BEGINS_QUOTED = String.raw`(?:["']|\\n)`;
/** Statements that import them. */
const IMPORTS = {
  science: importing(MODULES.science, BEGINS, String.raw`|%matplotlib\b`),
  scipy: importing([...MODULES.scipy, ...ALSO.scipy], BEGINS),
};
/** Such statements in texts: they count where a program writes a file or runs a text. */
const QUOTED = {
  science: importing(MODULES.science, BEGINS_QUOTED),
  scipy: importing(MODULES.scipy, BEGINS_QUOTED),
};
const WRITES_OR_RUNS =
  /\b(?:exec|eval|compile|write\w*|Timer|timeit|_run_module_as_main)[ \t]*\(|\bfile[ \t]*=/;
/** What imports modules by names that it has as values, with any mention of them: in a list, in a table. */
const LOOKS_UP =
  /\b(?:import_module|importorskip|find_spec|find_loader|LazyLoader)\b|\b__import__\b(?![ \t]*\([ \t]*["'])/;
const MENTIONS = { science: mentioning(MODULES.science), scipy: mentioning(MODULES.scipy) };

function importing(modules: readonly string[], begins: string, more = ""): RegExp {
  const one = `(?:${modules.join("|")})`;
  const statements = String.raw`from[ \t]+${one}\b|import[ \t]+${OTHERS}${one}\b${more}`;
  return new RegExp(String.raw`${begins}[ \t]*(?:${statements})`, "m");
}

function mentioning(modules: readonly string[]): RegExp {
  return new RegExp(String.raw`\b(?:${modules.join("|")})\b`);
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
], BEGINS);

/** A parser that Beautiful Soup is asked for by name; pictures in tables. Bounded: no fuel counts what a program's text makes of this. */
const BY_SCIENCE = /\bBeautifulSoup\b[^\n]{0,200}["']lxml|\bopenpyxl\.drawing\.image\b/;

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

/** Statements that import, whatever it is. Bounded, as above. */
const STATEMENTS = /(?:^|[:;])[ \t]*(?:from[ \t]+(\w+)|import[ \t]+(\w[^\n;#]{0,1000}))/gm;
/** What else names a module. `-m` of `python3` is a call of these, too. */
const NAMED =
  /\b(?:\w{0,40}run_module\w{0,40}|import_module|importorskip|find_spec|__import__)[ \t]*\([ \t]*["'](?!_wasmbox)(\w+)/g;
/** Modules that run a program's own files, which they are told by their names or find by themselves. */
const RUNNERS = new Set([
  ...[
    "__main__",
    "cProfile",
    "coverage",
    "doctest",
    "nose2",
    "pdb",
    "profile",
    "pytest",
    "trace",
    "unittest",
  ],
  // Servers and task queues: `uvicorn main:app`, `flask --app main run`.
  ..."celery fastapi flask gunicorn hypercorn quart uvicorn waitress".split(" "),
]);
const RUNS_FILES = /\b(?:exec|run_path|spec_from_file_location|SourceFileLoader)[ \t]*\(|^[ \t]*%run\b/m;
/** Where programs have files of their own. */
const OWN_PLACES = [WORKING_DIRECTORY, "/tmp"];
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
  return there.toReversed().find((base) => wants(base, fs, code)) ?? "plain";
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
  return [...importedIn(code)].some((name) => projectOf(name) !== undefined);
}

/** The first parts of what a program imports. */
function importedIn(code: string): ReadonlySet<string> {
  const names = new Set([...code.matchAll(NAMED)].map((match) => match[1]!));
  for (const [, from, list] of code.matchAll(STATEMENTS)) {
    for (const one of (from ?? list!).split(",")) names.add(/\w*/.exec(one.trimStart())![0]);
  }
  return names;
}

/** Whether it imports a module of that interpreter. */
function wants(base: LargerBase, fs: FileSystem, code: string): boolean {
  const names = importedIn(code);
  if (asks(base, code, names)) return true;
  try {
    const own = ownTexts(fs, code, names);
    const ownNames = own.map(importedIn);
    if (own.some((text, index) => asks(base, text, ownNames[index]!))) return true;
    const all = new Set([...names, ...ownNames.flatMap((each) => [...each])]);
    return all.size > 0 && installedNeed(fs, all, MODULES[base]);
  } catch (error) {
    if (error instanceof FsError) return false; // a directory that may not be read, or is gone
    throw error;
  }
}

/** Whether a text asks for that interpreter, whatever else is there. */
function asks(base: LargerBase, text: string, names: ReadonlySet<string>): boolean {
  if (IMPORTS[base].test(text) || QUOTED[base].test(text) && WRITES_OR_RUNS.test(text)) return true;
  if ([...MODULES[base], ...ALSO[base]].some((name) => names.has(name))) return true;
  if (MENTIONS[base].test(text) && LOOKS_UP.test(text)) return true;
  if (base === "scipy") return BY_SCIPY.test(text);
  return BY_SCIENCE.test(text) || [...names].some(standsOnScience);
}

/** What a program that imports some installed projects may be said to import too, so that it is run where they can be. */
export function beforeProjects(fs: FileSystem, projects: readonly string[]): string {
  const needed = (["science", "scipy"] as const).filter((base) => projectsNeed(fs, projects, MODULES[base]));
  return needed.map((base) => `import ${base === "science" ? "numpy" : "scipy"}`).join("\n");
}

/** What is in the program's own modules, if it imports any of them. */
function ownTexts(fs: FileSystem, code: string, names: ReadonlySet<string>): readonly string[] {
  const runsAny = RUNS_FILES.test(code) || [...names].some((name) => RUNNERS.has(name));
  if (names.size === 0 && !runsAny) return [];
  return OWN_PLACES.flatMap((place) => {
    const paths = sources(fs, place);
    const isNamed = (path: string) => path.split("/").some((part) => names.has(part.replace(/\.py$/, "")));
    if (!runsAny && !paths.some((path) => isNamed(path.slice(place.length)))) return [];
    return paths.map((path) => new TextDecoder().decode(fs.readFile(path)));
  });
}

/** Python's files below a directory. */
function sources(fs: FileSystem, root: string): readonly string[] {
  const found: string[] = [];
  const directories = [{ path: root, depth: 0 }];
  let left = MAX_FILES;
  for (let next = directories.pop(); next; next = directories.pop()) {
    if (!fs.exists(next.path)) continue;
    for (const { name, type } of fs.readdir(next.path)) {
      if (left-- <= 0) return found;
      const path = `${next.path}/${name}`;
      if (
        type === "directory" && next.depth < MAX_DEPTH && !/^\.|^site-packages$|^node_modules$/.test(name)
      ) {
        directories.push({ path, depth: next.depth + 1 });
      }
      if (type !== "file" || !name.endsWith(".py") || fs.stat(path).size > MAX_FILE_BYTES) continue;
      found.push(path);
    }
  }
  return found;
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
