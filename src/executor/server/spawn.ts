/** Starting an executor process: this program again, with nothing of this process's environment. */

import type { Limits } from "../../config/limits.ts";
import { hostStackKib } from "../../host_stack.ts";
import { assetsDirectory, BUNDLED, COPY_MEMORY, entry, STANDALONE } from "../../program/entries.ts";

/**
 * V8's flags for guests. Deep recursion must end as an error of the guest's language: V8's own limit has to be reached
 * before the thread's stack ends. It has to leave room for wasm that V8 has not optimised yet, whose frames are twice as
 * large (try a change with `--liftoff-only` too). A program that runs beside others has a stack of its own, of that size too:
 * V8 gives it no larger one.
 *
 * The heap of one isolate is bounded well below the machine's memory: what a guest makes the host hold must end in that
 * isolate. `max-semi-space-size` and `no-short-builtin-calls` save memory of every Worker, 1 and 2 MB each: its
 * JavaScript makes little garbage, and needs no mapping of V8's builtins beside its own code.
 *
 * A new session's Worker has not to collect for it, which took a quarter of its time: what is outside of V8's heap, as
 * guests' memories are, may be eight times as much as after the last collection (1.3 by default, 1.1 from V8 15 on). What
 * is not given back without that is counted (`src/garbage.ts`). (`min-semi-space-size` would save some more, but then
 * V8 14.5 keeps 60 KB of each session that has gone.)
 *
 * Each thread collects its own heap. A task that waits for V8's C++ heap to be swept by another one posts itself again at
 * once, and the event loop of Deno before 2.9 goes on to the next thing when no task is left: on a busy machine, never.
 *
 * JavaScript is optimised by the thread that runs it. One of V8's own that needs memory for that waits until the Worker
 * that it works for collects garbage, which one does not do that waits for messages: on two processors V8 has one such
 * thread, and without it nothing in the process is optimised any more, WebAssembly neither.
 *
 * An interpreter's loop is optimised for what it has seen. When something else comes V8 drops that code and begins anew,
 * ten times by default, each of which costs a program tens of milliseconds of an executor's first second.
 *
 * `expose-gc` is for `src/garbage.ts`, which takes it before any guest comes.
 */
const FLAGS = [
  "--disallow-code-generation-from-strings",
  "--max-old-space-size=2048",
  "--max-semi-space-size=4",
  "--external-memory-max-growing-factor=8",
  "--no-short-builtin-calls",
  "--single-threaded-gc",
  "--expose-gc",
  "--no-concurrent-recompilation",
  "--wasm-deopts-per-function-limit=1",
];
/**
 * Before V8 15. Functions of a module are checked when they are first called, instead of all of them before the first: a
 * fifth of the time for modules of which no session calls most. And garbage is collected where memory is taken, not piece
 * by piece between messages: a Worker's is little, but each guest's memory counts as such, and a new session would wait
 * 15 ms for the end of a collection that its neighbour's end began. Nor do those memories alone have it collected, which
 * takes every third new session 25 ms; for what then is collected too seldom there is `garbage.ts`.
 */
const FLAGS_BEFORE_15 = [
  "--wasm-lazy-validation",
  "--no-incremental-marking",
  "--external-memory-accounted-in-global-limit",
];

/** @param v8 The version of V8 that gets them, `14.5.201.2`. */
export function v8Flags(v8: string): string {
  const stack = hostStackKib(v8);
  return [
    `--stack-size=${stack}`,
    `--wasm-stack-switching-stack-size=${stack}`,
    ...FLAGS,
    ...parseInt(v8) < 15 ? FLAGS_BEFORE_15 : [],
  ].join(",");
}

/** Of a Worker's thread, by RUST_MIN_STACK, in Deno 2.6, where 2 MiB are the default. In 2.9 they have 4 MiB, whatever it says. */
const THREAD_STACK_BYTES = 10 * 1024 * 1024;

/**
 * Most arenas of the C library's heap (mallopt(3), `M_ARENA_MAX`), so that the thread of each Worker has its own. With
 * glibc's eight for each processor many threads share the lock of one, and where hundreds compute its holder is mostly not
 * running: threads wait for seconds.
 */
const MALLOC_ARENAS = 4096;

/** The file that a file URL names. (`node:url` would be loaded into every process for that alone.) */
function path(url: URL): string {
  return decodeURIComponent(url.pathname);
}

export type SpawnLimits = Pick<Limits, "shareMemory">;

/** Starts an executor. It loads its assets at once and waits on stdin for a secret and then frames. */
export function spawnExecutor(limits: SpawnLimits = { shareMemory: true }): Deno.ChildProcess {
  leaveRemovedDirectory();
  return command(limits).spawn();
}

/** Where the working directory is gone, Deno before 2.9 starts no process, wherever that one is to run. */
function leaveRemovedDirectory(): void {
  try {
    Deno.cwd();
  } catch {
    Deno.chdir("/");
  }
}

function command({ shareMemory }: SpawnLimits): Deno.Command {
  const shared: Deno.CommandOptions = {
    cwd: "/", // the server's own may be anyone's folder
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  };
  const env: Record<string, string> = {
    RUST_MIN_STACK: String(THREAD_STACK_BYTES),
    MALLOC_ARENA_MAX: String(MALLOC_ARENAS),
    NO_COLOR: "1",
  };
  const own = shareMemory ? [] : [COPY_MEMORY];
  if (STANDALONE) return new Deno.Command(Deno.execPath(), { ...shared, env, args: ["executor", ...own] });
  for (const name of ["HOME", "DENO_DIR", "XDG_CACHE_HOME"]) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  const config = new URL("../../../deno.json", import.meta.url);
  const main = entry("executor");
  // Of bundles each by itself: the assets lie below their directory, and are given up before.
  const modules = BUNDLED
    ? [main, entry("worker")]
    : [new URL("../../", import.meta.url), new URL("./", main), config];
  const readable = [...modules, assetsDirectory()].map(path);
  const args = [
    "run",
    "--quiet",
    "--no-prompt",
    "--cached-only",
    ...BUNDLED ? ["--no-config", "--unstable-worker-options"] : [`--config=${path(config)}`],
    `--v8-flags=${v8Flags(Deno.version.v8)}`,
    ...shareMemory ? ["--allow-ffi"] : [], // for some functions of libc (src/image/copy_on_write.ts)
    `--allow-read=${readable.join(",")}`, // given up before the first guest, as far as source allows
    main.href,
    ...own,
  ];
  return new Deno.Command(Deno.execPath(), { ...shared, env, args });
}
