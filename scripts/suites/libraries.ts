/** The libraries whose own tests are run, and the files of those. */

export interface Library {
  readonly name: string;
  /** What is imported of it. */
  readonly module: string;
  /** What else its tests want to find, and which is in an interpreter of its own. */
  readonly beside?: string;
  /** Below the directory of all. */
  readonly tests: string;
  /** What a session has to install before. */
  readonly requirements: readonly string[];
  /** Where the full names of its tests begin, below the directory of all; absent if they have none. */
  readonly root?: string;
  /** Where its tests want to be run, below the directory of all; a new directory if absent. */
  readonly directory?: string;
  /** Further arguments of pytest's. */
  readonly options?: readonly string[];
  /** Left out are tests that have this parameter. */
  readonly without?: string;
  /** Of its files, those that are run; all if absent. */
  readonly only?: RegExp;
  /** Files of one directory share a Python as long as they are of this many bytes together; one file each if absent. */
  readonly batchBytes?: number;
}

export const LIBRARIES: readonly Library[] = [
  { name: "attrs", module: "attr", tests: "attrs/tests", requirements: ["hypothesis", "cloudpickle"] },
  { name: "click", module: "click", tests: "click/tests", requirements: ["click==8.5.1"] },
  { name: "jinja2", module: "jinja2", tests: "jinja2/tests", requirements: ["trio"] },
  { name: "pytest", module: "pytest", tests: "pytest/testing", requirements: ["hypothesis"] },
  { name: "requests", module: "requests", tests: "requests/tests", requirements: ["pytest-mock"] },
  { name: "rich", module: "rich", tests: "rich/tests", requirements: ["attrs"] },
  { name: "sympy (core)", module: "sympy", tests: "sympy/tests", requirements: [] },
];

/** The last version that is in Python alone. */
const HYPOTHESIS = "hypothesis==6.130.0";
const QUICK = ["-m", "not slow"];
/** What reads nothing from elsewhere; the others take hours. */
const OF_PANDAS =
  /^(apply|arithmetic|frame|groupby|indexes|indexing|io\/(excel|formats|json|parser)|io\/test_|libs|resample|reshape|scalar|series|strings|tools|tslibs|window)/;

export const SCIENCE: readonly Library[] = [
  {
    name: "numpy",
    module: "numpy",
    root: "numpy",
    tests: "numpy/numpy",
    requirements: [HYPOTHESIS],
    options: QUICK,
    // Not what tests an extension module of tests.
    only: /^(?!_core\/tests\/test_simd)/,
    batchBytes: 100_000,
  },
  {
    name: "pandas",
    module: "pandas",
    beside: "scipy",
    root: "pandas",
    tests: "pandas/pandas/tests",
    requirements: [HYPOTHESIS],
    options: ["-m", "not slow and not network and not db and not single_cpu"],
    only: OF_PANDAS,
    batchBytes: 100_000,
  },
  {
    name: "Pillow",
    module: "PIL",
    tests: "pillow/Tests",
    directory: "pillow",
    requirements: [],
    // Not its fuzzer, which reads each of its pictures in all ways.
    only: /^[^/]+$/,
    batchBytes: 50_000,
  },
  {
    name: "matplotlib",
    module: "matplotlib",
    tests: "matplotlib/lib",
    requirements: [],
    root: "matplotlib/lib",
    // Of images with text, which is another version of FreeType's.
    without: "extension",
    batchBytes: 100_000,
  },
  {
    name: "scipy",
    module: "scipy",
    root: "scipy",
    tests: "scipy/scipy",
    requirements: [HYPOTHESIS],
    options: ["-m", "not slow and not xslow"],
    batchBytes: 100_000,
  },
  {
    name: "scikit-learn",
    module: "sklearn",
    root: "scikit_learn",
    tests: "scikit_learn/sklearn",
    requirements: [],
    // A thread that watches how long each takes can't be had.
    options: ["-p", "no:faulthandler"],
    batchBytes: 50_000,
  },
];

/** What pytest collects by itself, and those of its own which it collects since its configuration says so. */
const TEST_FILE = /(^|\/)test_[^/]*\.py$|_test\.py$|^python\/[^/_]*\.py$/;

/** The files of a library's tests, at any depth, as they are run together. @param suites The directory of all. */
export function batchesOf(suites: string, { tests, only = /^/, batchBytes = 0 }: Library): string[][] {
  const root = `${suites}/${tests}`;
  const batches: string[][] = [];
  let [directory, bytes] = ["", Infinity];
  for (const file of testFiles(root).filter((file) => only.test(file))) {
    const { size } = Deno.statSync(`${root}/${file}`);
    const own = file.slice(0, file.lastIndexOf("/") + 1);
    if (own !== directory || bytes + size > batchBytes) [directory, bytes] = [own, 0];
    if (bytes === 0) batches.push([]);
    batches.at(-1)!.push(file);
    bytes += size;
  }
  return batches;
}

function testFiles(directory: string, below = ""): string[] {
  return [...Deno.readDirSync(`${directory}/${below}`)].flatMap(({ name, isDirectory }) => {
    const path = `${below}${name}`;
    if (isDirectory) return testFiles(directory, `${path}/`);
    return TEST_FILE.test(path) ? [path] : [];
  }).sort();
}
