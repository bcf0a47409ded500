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

/**
 * Boots an interpreter and makes its image. The same inputs give the same bytes.
 *
 * @param module Our CPython, metered or not: the image is good for this module only.
 * @throws {BootError} with what the interpreter printed if it does not start.
 */
export function buildBaseImage(module: WebAssembly.Module, stdlibZip: Uint8Array): Uint8Array<ArrayBuffer> {
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
    warmUp(instance);
  } catch (error) {
    throw new Error(`the base image could not be built: ${error}\n${messages.join("")}`, { cause: error });
  }
  return instance.capture(new PythonInstance(module, host));
}

function warmUp(instance: PythonInstance): void {
  const requests = [
    { environ: {} },
    ...[WARM_UP, ""].map((code) => ({ code, filename: "<base image>", resultLimit: 100 })),
  ];
  for (const request of requests) {
    const reply = instance.request(JSON.stringify(request), 10_000);
    if (reply.kind !== "answer" || reply.json.includes("error")) throw new Error(JSON.stringify(reply));
  }
}
