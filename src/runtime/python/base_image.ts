/** The base image: a booted interpreter with the common modules imported, from which every session starts. */

import { ControlCell } from "../../control/cell.ts";
import { VirtualClock } from "../../control/guest_clock.ts";
import { seededRandom } from "../../control/random.ts";
import { createFileSystem, pythonLayer } from "../../fs/layout.ts";
import { HostCallError, type RuntimeHost } from "../runtime.ts";
import { PythonInstance } from "./instance.ts";

/** Enough for booting; the image's own memory is much smaller. */
const MEMORY_BYTES = 256 * 1024 * 1024;

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
] as const;

/** Warms what the first run of a session would otherwise have to do, and leaves the heap tidy. */
const WARM_UP = `
import ${MODULES.join(", ")}
try:
    1 / 0
except ZeroDivisionError:
    traceback.format_exc()
async def warm_up(): await asyncio.sleep(0)
asyncio.run(warm_up())
for name in set(globals()) - {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__", "name"}:
    del globals()[name]
del name
import gc
gc.collect()
gc.freeze()
del gc
`;

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
  const cell = ControlCell.allocate();
  const clock = new VirtualClock(cell);
  const messages: string[] = [];
  const host: RuntimeHost = {
    fs: createFileSystem({
      maxBytes: 100_000,
      maxInodes: 100,
      usr: pythonLayer(stdlibZip),
      now: () => clock.realtime(),
    }),
    cell,
    clock,
    random: seededRandom(1),
    env: {},
    memoryBytes: MEMORY_BYTES,
    write: (_stream, bytes) => void messages.push(new TextDecoder().decode(bytes)),
    hostCall: () => {
      throw new HostCallError("no host calls while an image is built");
    },
  };
  const instance = new PythonInstance(module, host);
  try {
    instance.boot();
    serve(instance, { environ: {} });
    for (const code of [WARM_UP, ""]) evaluate(instance, code);
    const image = instance.capture(new PythonInstance(module, host));
    return { image, modules: evaluate(instance, STDLIB_MODULES).slice(1, -1).split(",") };
  } catch (error) {
    throw new Error(`the base image could not be built: ${error}\n${messages.join("")}`, { cause: error });
  }
}

/** Runs code in a booted interpreter. @returns The `repr` of its last expression; empty if it has none. */
function evaluate(instance: PythonInstance, code: string): string {
  const { status, result } = serve(instance, { code, filename: "<base image>", resultLimit: 20_000 });
  if (status !== "completed") throw new Error(JSON.stringify({ status, code }));
  return result ?? "";
}

function serve(instance: PythonInstance, request: object): { status?: string; result?: string | null } {
  const reply = instance.request(JSON.stringify(request), 50_000);
  if (reply.kind !== "answer") throw new Error(JSON.stringify(reply));
  return JSON.parse(reply.json);
}
