/** The base image: a booted interpreter with the common modules imported, from which every session starts. */

import type { LayerFile, LayerNode } from "../../fs/layer.ts";
import { pythonLayer, type PythonPackages } from "../../fs/layout.ts";
import type { BaseHeap } from "../../image/base_heap.ts";
import { atImageBench } from "../image_bench.ts";
import type { RuntimeHost } from "../runtime.ts";
import { PythonInstance } from "./instance.ts";
import type { LargerBase } from "./state.ts";

/** Enough for booting; the image's own memory is much smaller. */
const MEMORY_BYTES = 512 * 1024 * 1024;

/** Imported by most programs: what is here costs a page or two per module in every session, and no time. */
const MODULES = [
  "abc",
  "argparse",
  "ast",
  "asyncio",
  "base64",
  "bisect",
  "calendar",
  "cmath",
  "collections",
  "collections.abc",
  "contextlib",
  "copy",
  "csv",
  "dataclasses",
  "datetime",
  "decimal",
  "enum",
  "errno",
  "fractions",
  "functools",
  "glob",
  "hashlib",
  "heapq",
  "importlib",
  "inspect",
  "io",
  "itertools",
  "json",
  "keyword",
  "linecache",
  "locale",
  "logging",
  "math",
  "numbers",
  "operator",
  "os",
  "pathlib",
  "pickle",
  "pprint",
  "queue",
  "random",
  "re",
  "secrets",
  "shutil",
  "signal",
  "sqlite3",
  "statistics",
  "string",
  "struct",
  "sys",
  "tempfile",
  "textwrap",
  "threading",
  "time",
  "timeit",
  "traceback",
  "types",
  "typing",
  "unicodedata",
  "urllib.parse",
  "uuid",
  "warnings",
  "weakref",
  "zlib",
  "zoneinfo",
] as const;

/** What all that make an image end with. */
const TIDY = `import gc
gc.collect()
gc.freeze()
del gc
`;

/**
 * Run so often that CPython has specialised the code that every call goes through: else each session would do that
 * anew, in pages of its own.
 */
const FIRST_PROGRAMS = [
  "x = 1",
  "print(1 + 1)",
  "1 + 1",
  "def f(x): return x\nf([1])",
  "import json\nprint({'a': 1})",
  "1 / 0",
];
const ROUNDS = 24;
/** Such as sessions have. */
const ENVIRONMENT = { HOME: "/app", LANG: "C.UTF-8", PATH: "/usr/bin:/bin", USER: "user" };

const FORGET = `
import _wasmbox_results
_wasmbox_results.forget(globals())
del x, f, json, _wasmbox_results
${TIDY}`;

/** Warms what the first run of a session would otherwise have to do, and leaves the heap tidy. */
const WARM_UP = `
import ${MODULES.join(", ")}
try:
    1 / 0
except ZeroDivisionError:
    traceback.format_exc()
async def warm_up(): await asyncio.sleep(0)
asyncio.run(warm_up())
for name in set(globals()) - {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__", "__file__", "name"}:
    del globals()[name]
del name
${TIDY}`;

/** The modules of the standard library that can be imported: some lack what they stand on, some are left out. */
const STDLIB_MODULES = `
import sys
def importable(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True
",".join(sorted(name for name in sys.stdlib_module_names if name[0] != "_" and importable(name)))
`;

const LOAD_PIP = `
import sys
sys.path.remove("/app")
import _wasmbox_pip
_wasmbox_pip.load()
del sys
${TIDY}`;

/**
 * A first plot does what each would have to do again. Fonts that are open have files, which an image can't hold;
 * randomness comes anew with each session.
 */
const LOAD_SCIENCE = `
def load():
    import gc, io, os, shutil, sys
    os.environ["MPLCONFIGDIR"] = "/tmp/matplotlib"
    import matplotlib, matplotlib.font_manager, matplotlib.pyplot, numpy, pandas, pandas.plotting, PIL.Image, PIL.PngImagePlugin
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": pandas.to_datetime(["2020", "2021"])})
    frame.describe(), frame.groupby("b").a.sum(), frame.to_html(), repr(frame), frame.merge(frame, on="a")
    pandas.read_csv(io.StringIO(frame.to_csv()))
    matplotlib.pyplot.plot([1, 2])
    matplotlib.pyplot.title("a")
    matplotlib.pyplot.savefig(io.BytesIO())
    matplotlib.pyplot.close("all")
    matplotlib.font_manager._get_font.cache_clear()
    for object in gc.get_objects():
        if hasattr(type(object), "cache_clear") and getattr(object, "__module__", "").startswith("matplotlib"):
            object.cache_clear()
    del os.environ["MPLCONFIGDIR"], frame, object
    shutil.rmtree("/tmp/matplotlib", ignore_errors=True)
load()
del load
${TIDY}`;

/** What takes a second or two to import. Zips stay open where `numpy.testing`, which it imports, has looked for numpy's version. */
const LOAD_SCIPY = `
def load():
    import importlib.metadata
    import scipy.cluster.hierarchy, scipy.cluster.vq, scipy.fft, scipy.integrate, scipy.interpolate, scipy.io, scipy.linalg
    import scipy.ndimage, scipy.optimize, scipy.signal, scipy.sparse.csgraph, scipy.sparse.linalg, scipy.spatial
    import scipy.special, scipy.stats
    import joblib, sklearn.cluster, sklearn.compose, sklearn.decomposition, sklearn.ensemble, sklearn.feature_extraction.text
    import sklearn.impute, sklearn.linear_model, sklearn.metrics, sklearn.model_selection, sklearn.naive_bayes
    import sklearn.neighbors, sklearn.pipeline, sklearn.preprocessing, sklearn.svm, sklearn.tree
    import numpy.testing._private.utils
    numpy.testing._private.utils.np_dist = None
    importlib.metadata.FastPath.__new__.cache_clear()
load()
del load
${TIDY}`;

const LOAD = { science: [LOAD_SCIENCE], scipy: [LOAD_SCIENCE, LOAD_SCIPY] } as const;

/** What a build makes of an interpreter. */
export interface BaseImage {
  readonly image: Uint8Array<ArrayBuffer>;
  /** Names of the standard library's modules, sorted. */
  readonly modules: readonly string[];
}

/**
 * Boots an interpreter and makes its image. The same inputs give the same bytes.
 *
 * @param module Our CPython, metered or not: the image is good for this module only.
 * @throws {BootError} with what the interpreter printed if it does not start.
 */
export function buildBaseImage(module: WebAssembly.Module, stdlibZip: Uint8Array): BaseImage {
  return atBench(pythonLayer({ bytes: stdlibZip }), (host) => {
    const instance = new PythonInstance(module, host);
    instance.boot();
    serve(instance, { environ: {} });
    settle(instance, [WARM_UP]);
    const image = instance.capture(new PythonInstance(module, host));
    return { image, modules: evaluate(instance, STDLIB_MODULES).slice(1, -1).split(",") };
  });
}

/**
 * Makes the image of an interpreter that has pip imported, to be restored over the base image.
 *
 * @param packages As sessions have them: what pip does not find in one place it has looked for in all.
 */
export function buildPipImage(
  module: WebAssembly.Module,
  base: BaseHeap,
  stdlibZip: Uint8Array,
  packages: PythonPackages,
): Uint8Array<ArrayBuffer> {
  return atBench(pythonLayer({ bytes: stdlibZip }, packages), (host) => {
    const instance = new PythonInstance(module, host);
    instance.restore(base);
    serve(instance, { environ: {} });
    for (const code of [LOAD_PIP, ""]) evaluate(instance, code);
    instance.settle();
    return instance.captureOver(base);
  });
}

/**
 * Boots an interpreter that has more packages, imports them and makes its image.
 *
 * @param module That interpreter. @param files As {@link pythonLayer} takes them.
 */
export function buildLargerImage(
  base: LargerBase,
  module: WebAssembly.Module,
  stdlibZip: Uint8Array,
  packages: PythonPackages,
  files: Readonly<Record<string, LayerFile>>,
): Uint8Array<ArrayBuffer> {
  return atBench(pythonLayer({ bytes: stdlibZip }, packages, files), (host) => {
    const instance = new PythonInstance(module, host);
    instance.boot();
    serve(instance, { environ: {} });
    settle(instance, [WARM_UP, ...LOAD[base]]);
    return instance.capture(new PythonInstance(module, host));
  });
}

function atBench<Made>(usr: Record<string, LayerNode>, work: (host: RuntimeHost) => Made): Made {
  return atImageBench({ memoryBytes: MEMORY_BYTES, usr }, work);
}

/** Leaves in an instance what sessions shall find there, and nothing that they would write to without need. */
function settle(instance: PythonInstance, preparation: readonly string[]): void {
  for (const code of preparation) evaluate(instance, code);
  for (let round = 0; round < ROUNDS; round++) {
    serve(instance, { environ: ENVIRONMENT });
    for (const code of FIRST_PROGRAMS) serve(instance, requestFor(code));
  }
  serve(instance, { environ: {} });
  for (const code of [FORGET, ""]) evaluate(instance, code);
  instance.settle();
}

/** Runs code in a booted interpreter. @returns The `repr` of its last expression; empty if it has none. */
function evaluate(instance: PythonInstance, code: string): string {
  const { status, result, error } = serve(instance, requestFor(code));
  if (status !== "completed") throw new Error(error?.traceback ?? `${status}: ${code}`);
  return result ?? "";
}

const requestFor = (code: string) => ({ code, filename: "<base image>", resultLimit: 20_000 });

interface Answer {
  readonly status?: string;
  readonly result?: string | null;
  readonly error?: { readonly traceback?: string } | null;
}

function serve(instance: PythonInstance, request: object): Answer {
  const reply = instance.request(JSON.stringify(request), 50_000);
  if (reply.kind !== "answer") throw new Error(JSON.stringify(reply));
  return JSON.parse(reply.answer);
}
