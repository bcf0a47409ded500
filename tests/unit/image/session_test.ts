import { entryKey, type ImageEntry, Section } from "../../../src/executor/wire/entry.ts";
import { inProcess, inWorker } from "./elsewhere.ts";
import { loadAssets, Session, type SessionOptions, StoredImage } from "./session.ts";
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { BaseUnavailable } from "../../../src/image/part.ts";

const assets = loadAssets();
const PAGE = 4096;

/** A session that goes on from `stored`. */
function restored(stored: StoredImage, options: SessionOptions = {}): Session {
  const session = new Session(assets, options);
  deepEqual(session.image.restore(stored.list()), []);
  return session;
}

const SETUP = `
import os
x = [1, {"two": 3}]
f = open("/app/a.txt", "w+")
f.write("hello world")
f.flush()
f.seek(6)
ghost = open("/tmp/ghost", "w+")
ghost.write("still here")
ghost.flush()
os.unlink("/tmp/ghost")
ghost.seek(6)
def gen():
    for i in range(100): yield i
g = gen()
next(g)
`;
const PROBE = `print(x, f.tell(), f.read(), ghost.read(), next(g), sorted(os.listdir("/app")))`;
const PROBED = "[1, {'two': 3}] 6 world here 1 ['a.txt']\n";

/** The state of both languages and of files, captured. */
async function captured(): Promise<{ session: Session; stored: StoredImage }> {
  const session = new Session(assets);
  const stored = new StoredImage();
  await session.python(SETUP);
  await session.javascript("globalThis.m = new Map([['k', 1]]); let y = 5; m.size");
  session.capture(stored);
  return { session, stored };
}

Deno.test("a session goes on in another session, in a Worker and in a process, and is not changed by that", async () => {
  const { session, stored } = await captured();
  const steps = [
    { language: "python", code: PROBE },
    { language: "javascript", code: "[m.get('k'), y++, y]" },
    { language: "python", code: "next(g), f.write('!'), f.close(), open('/app/a.txt').read()" },
  ] as const;
  const task = { image: stored.encode(), steps };
  const [worker, process] = await Promise.all([inWorker(assets, task), inProcess(task)]);
  deepEqual(worker.results, process.results);
  equal(JSON.parse(worker.results[0]!).stdout, PROBED);
  equal(JSON.parse(worker.results[1]!).result, "[ 1, 5, 6 ]");
  equal(JSON.parse(worker.results[2]!).result, "(2, 1, None, 'hello world!')");
  equal(await restored(stored).python(PROBE), PROBED);
  equal(await session.python(PROBE), PROBED);
});

for (
  const [language, name, code] of [
    ["python", "a loop", "while True: pass"],
    ["python", "a native loop that no interrupt reaches", "10 ** 10 ** 8"],
    ["javascript", "a loop", "for (;;);"],
    [
      "javascript",
      "a native loop that no interrupt reaches",
      "'a'.repeat(20_000_000).indexOf('a'.repeat(100_000) + 'b')",
    ],
  ] as const
) {
  Deno.test(`after ${name} in ${language} was aborted, variables and files are those of before it`, async () => {
    const { session } = await captured();
    const harm = {
      python:
        "x.append(1); f.seek(0); f.write('spoiled'); os.remove('/app/a.txt'); open('/app/new', 'w'); next(g); ghost.close()",
      javascript: "m.clear(); y = 0; require('fs').writeFileSync('/app/new', 'x');",
    }[language];
    const print = { python: "\nprint('go', flush=True)\n", javascript: "console.log('go');" }[language];
    const ran = await session.aborted(language, harm + print + code);
    deepEqual([ran.status, ran.heap], ["stopped", "discarded"]);
    session.image.rollback();
    equal(await session.python(PROBE), PROBED);
    equal(await session.javascript("[m.get('k'), y]"), "[ 1, 5 ]");
  });
}

Deno.test("a failed execution that kept its heap leaves no trace after a rollback", async () => {
  const { session } = await captured();
  for (let i = 0; i < 3; i++) {
    const ran = await session.run("python", "x.clear(); f.close(); ghost.close(); os.mkdir('/app/d'); 1 / 0");
    deepEqual([ran.status, ran.heap], ["failed", "kept"]);
    session.image.rollback();
  }
  equal(await session.python(PROBE), PROBED);
});

Deno.test("what was captured after a rollback, and after a discarded heap without one, is the state of then", async () => {
  const { session, stored } = await captured();
  await session.aborted("python", "print(1, flush=True)\nwhile True: pass");
  session.image.rollback();
  await session.python("x = 'after rollback'");
  session.capture(stored);
  equal(await restored(stored).python("x, ghost.read()"), "('after rollback', 'here')");

  await session.aborted("python", "print(1, flush=True)\nwhile True: pass");
  session.capture(stored);
  ok(stored.list().every(({ section }) => section !== Section.pythonPage && section !== Section.pythonState));
  equal(await restored(stored).python("'x' in globals()"), "False");
  equal(await restored(stored).javascript("y"), "5");
  await session.python("x = 'fresh'");
  session.capture(stored);
  equal(await restored(stored).python("x, 'g' in globals()"), "('fresh', False)");
});

Deno.test("a session without a capture goes back to the beginning", async () => {
  const session = new Session(assets);
  await session.python("x = 1; open('/app/a', 'w').close()");
  await session.javascript("globalThis.y = 1");
  session.image.rollback();
  equal(await session.python("import os; 'x' in globals(), os.listdir('/app')"), "(False, [])");
  equal(await session.javascript("typeof y"), "'undefined'");
});

Deno.test("heaps that grew, and a smaller one after them, are captured as they are", async () => {
  const { session, stored } = await captured();
  await session.python("big = [str(i) * 10 for i in range(300_000)]");
  await session.javascript("globalThis.big = Array.from({ length: 300_000 }, (_, i) => ({ i }))");
  session.capture(stored);
  const grown = stored.bytes;
  ok(grown > 30e6, `${grown} bytes`);
  const other = restored(stored);
  equal(await other.python("big[-1], len(big)"), `('${"299999".repeat(10)}', 300000)`);
  equal(await other.javascript("[big.length, big.at(-1).i]"), "[ 300000, 299999 ]");

  for (const language of ["python", "javascript"] as const) session.runtimes[language].discard();
  await session.python("x = 2");
  await session.javascript("var z = 3");
  session.capture(stored);
  ok(stored.bytes < grown / 10, `${stored.bytes} bytes`);
  const small = restored(stored);
  equal(await small.python("x, 'big' in globals()"), "(2, False)");
  equal(await small.javascript("[z, typeof big]"), "[ 3, 'undefined' ]");
});

Deno.test("a capture after x = 1 is small, and one after nothing has no page", async () => {
  const { session, stored } = await captured();
  await session.python("x = 0");
  session.capture(stored);
  await session.python("x = 1");
  const pages = session.capture(stored).filter(({ section }) => section === Section.pythonPage);
  ok(pages.length > 0 && pages.length < 200, `${pages.length} pages`);
  deepEqual(session.capture(stored).map(({ section }) => section), [Section.entropy]);
});

Deno.test("a new session's programs change few pages of what all sessions start from", async () => {
  const session = new Session(assets);
  const stored = new StoredImage();
  const changed: number[] = [];
  for (const code of ["x = 1", "print(1 + 1)", "x = [2] * 10"]) {
    await session.python(code);
    changed.push(session.capture(stored).filter(({ section }) => section === Section.pythonPage).length);
  }
  const [first, ...rest] = changed;
  ok(first! < 90 && rest.every((pages) => pages < 70), `${changed} pages`);
});

Deno.test("an image that would exceed its bound is not captured, and a rollback goes to the last one that was", async () => {
  const session = new Session(assets, { imageBytes: 8 << 20 });
  const stored = new StoredImage();
  await session.python("x = 'small'; open('/app/a', 'w').close()");
  session.capture(stored);
  const bytes = stored.bytes;
  await session.python("x = 'big' * 5_000_000; open('/app/b', 'w').write('y' * 100)");
  const capture = session.image.capture();
  equal(capture.kind, "too_big");
  ok(capture.imageBytes > 8 << 20);
  session.image.rollback();
  equal(await session.python("import os; x, os.listdir('/app')"), "('small', ['a'])");
  await session.python("y = open('/app/c', 'wb').write(bytes(9_000_000))");
  equal(session.image.capture().kind, "too_big");
  await session.python("os.truncate('/app/c', 10)");
  session.capture(stored);
  ok(stored.bytes < bytes + 1e6);
  equal(await restored(stored).python("x, os.path.getsize('/app/c')"), "('small', 10)");
});

Deno.test("time does not run backwards where a session goes on, and a seeded one goes on with its sequence", async () => {
  const session = new Session(assets, { seed: 5 });
  const stored = new StoredImage();
  await session.python("import time, os; time.sleep(1000); before = time.monotonic(); drawn = os.urandom(4)");
  session.capture(stored);
  const probe = "time.monotonic() - before, time.monotonic() > 1000, os.urandom(8).hex(), time.time_ns()";
  const expected = await session.python(probe);
  const other = restored(stored, { seed: 5 });
  other.execution = 1; // part of what the program sees
  equal(await other.python(probe), expected);
  session.image.rollback();
  session.execution = 1;
  equal(await session.python(probe), expected);

  const real = new Session(assets);
  const late = new StoredImage();
  await real.python("import time; before = time.monotonic()");
  await real.javascript("globalThis.before = performance.now()");
  real.capture(late);
  const { results } = await inWorker(assets, {
    image: late.encode(),
    steps: [
      { language: "python", code: "0 <= time.monotonic() - before < 60" },
      { language: "javascript", code: "performance.now() - before >= 0" },
    ],
  });
  deepEqual(results.map((each) => JSON.parse(each).result), ["True", "true"]);
});

Deno.test("modules of JavaScript are loaded again where they changed, also after moving", async () => {
  const session = new Session(assets);
  const stored = new StoredImage();
  session.fs.writeFile(
    "/app/m.mjs",
    new TextEncoder().encode("export const n = 1; globalThis.loads = (globalThis.loads ?? 0) + 1;"),
  );
  session.fs.writeFile("/app/user.mjs", new TextEncoder().encode("export { n } from './m.mjs';"));
  await session.javascript("(await import('./user.mjs')).n");
  session.capture(stored);
  const other = restored(stored);
  equal(await other.javascript("[(await import('./user.mjs')).n, loads]"), "[ 1, 1 ]");
  other.fs.writeFile("/app/m.mjs", new TextEncoder().encode("export const n = 22; loads++;"));
  equal(await other.javascript("[(await import('./user.mjs')).n, loads]"), "[ 22, 2 ]");
  other.capture(stored);
  equal(await restored(stored).javascript("[(await import('./user.mjs')).n, loads]"), "[ 22, 2 ]");
});

// What a hostile or damaged image can do.

/** An image with entries of one section replaced. */
function altered(
  stored: StoredImage,
  section: number,
  change: (entry: ImageEntry, index: number) => ImageEntry | undefined,
): ImageEntry[] {
  let index = 0;
  return stored.list().flatMap((entry) => {
    if (entry.section !== section) return [entry];
    return change(entry, index++) ?? [];
  });
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const { stored } = await captured();
const pythonState = JSON.parse(
  new TextDecoder().decode(stored.list().find(({ section }) => section === Section.pythonState)!.bytes!),
);
const javascriptState = JSON.parse(
  new TextDecoder().decode(stored.list().find(({ section }) => section === Section.javascriptState)!.bytes!),
);
const python = (bytes: Uint8Array) => altered(stored, Section.pythonState, (entry) => ({ ...entry, bytes }));
const pythonWith = (state: object, more = {}) =>
  python(json({ ...pythonState, state: { ...pythonState.state, ...state }, ...more }));
const javascriptWith = (state: object, more = {}) =>
  altered(stored, Section.javascriptState, (entry) => ({
    ...entry,
    bytes: json({ ...javascriptState, state: { ...javascriptState.state, ...state }, ...more }),
  }));
const rows = pythonState.state.descriptors as { fd: number }[];

/** Which part is spoiled, and how. */
const attacks: Record<string, readonly [part: string, entries: () => ImageEntry[]]> = {
  "an unknown section": [
    "unknown",
    () => [...stored.list(), { section: 99, a: 0, b: 0, bytes: new Uint8Array(1) }],
  ],
  "a deleted entry": [
    "files",
    () => [...stored.list(), { section: Section.chunk, a: 99, b: 0, bytes: null }],
  ],
  "no state of its heap": ["python", () => altered(stored, Section.pythonState, () => undefined)],
  "a state that is not JSON": ["python", () => python(new Uint8Array([0xff, 0x7b]))],
  "a state that is null": ["python", () => python(json(null))],
  "the second half of a state": [
    "python",
    () => altered(stored, Section.pythonState, (entry) => ({ ...entry, b: 1 })),
  ],
  "a heap of 4 GiB": ["python", () => pythonWith({}, { wasmPages: 65_536 })],
  "a heap of -1 pages": ["python", () => pythonWith({}, { wasmPages: -1 })],
  "a heap that is smaller than its pages": ["python", () => pythonWith({}, { wasmPages: 10 })],
  "a heap that is smaller than its module's": [
    "python",
    () => pythonWith({}, { wasmPages: 1 }).filter(({ section }) => section !== Section.pythonPage),
  ],
  "a stack pointer outside": ["python", () => pythonWith({ stackPointer: 2 ** 31 })],
  "a stack pointer that is text": ["python", () => pythonWith({ stackPointer: "0" })],
  "a descriptor twice": ["python", () => pythonWith({ descriptors: [...rows, rows[0]] })],
  "a descriptor -1": ["python", () => pythonWith({ descriptors: [{ ...rows[0], fd: -1 }] })],
  "a descriptor 1e9": ["python", () => pythonWith({ descriptors: [{ ...rows[0], fd: 1e9 }] })],
  "a descriptor of another kind": [
    "python",
    () => pythonWith({ descriptors: [{ ...rows[0], kind: "socket" }] }),
  ],
  "a page beyond its heap": ["python", () => [
    ...stored.list(),
    { section: Section.pythonPage, a: 2 ** 20, b: 0, bytes: new Uint8Array(PAGE) },
  ]],
  "a page far beyond its heap": ["python", () => [
    ...stored.list(),
    { section: Section.pythonPage, a: 2 ** 52, b: 0, bytes: new Uint8Array(PAGE) },
  ]],
  "a page twice": ["python", () => {
    const page = stored.list().find(({ section }) => section === Section.pythonPage)!;
    return [...stored.list(), page];
  }],
  "a page that is cut": ["python", () =>
    altered(
      stored,
      Section.pythonPage,
      (entry, index) => index === 3 ? { ...entry, bytes: entry.bytes!.subarray(1) } : entry,
    )],
  "a page with a second number": [
    "python",
    () => altered(stored, Section.pythonPage, (entry) => ({ ...entry, b: 1 })),
  ],
  "JavaScript's heap without hooks": ["javascript", () => javascriptWith({ hooks: {} })],
  "JavaScript's heap of other host functions": [
    "javascript",
    () => javascriptWith({ engine: { ...javascriptState.state.engine, functions: ["write"] } }),
  ],
  "a module that imports one which is not there": [
    "javascript",
    () => javascriptWith({ modules: { loaded: [["/app/a", 1, "x", [7]]], unresolvedCount: 0 } }),
  ],
  "an address beyond 4 GiB": [
    "javascript",
    () => javascriptWith({ engine: { ...javascriptState.state.engine, runtime: 2 ** 40 } }),
  ],
  "a runtime outside of memory": [
    "javascript",
    () => javascriptWith({ engine: { ...javascriptState.state.engine, runtime: 2 ** 32 - 4 } }),
  ],
  "an invalid clock": [
    "clock",
    () => altered(stored, Section.entropy, (entry) => ({ ...entry, bytes: json({}) })),
  ],
  "a clock of a thousand digits": [
    "clock",
    () =>
      altered(stored, Section.entropy, (entry) => ({ ...entry, bytes: json({ elapsed: "9".repeat(1000) }) })),
  ],
};

/** What is left of each part, as the languages see it. */
async function survivors(session: Session): Promise<Record<string, boolean>> {
  const python = await session.run("python", "import os\nprint(x, next(g), os.path.exists('/app/a.txt'))");
  const javascript = await session.run("javascript", "[m.get('k'), y].join()");
  return {
    files: session.fs.exists("/app/a.txt"),
    python: /^\[1, \{'two': 3\}\] 1 (True|False)\n$/.test(python.stdout),
    javascript: javascript.status === "completed" && javascript.result === "'1,5'",
  };
}

for (const [name, [part, entries]] of Object.entries(attacks)) {
  Deno.test(`of an image that has ${name} only that part is lost, and the next capture is whole again`, async () => {
    const image = new StoredImage();
    for (const entry of entries()) image.entries.set(entryKey(entry), entry);
    const session = new Session(assets);
    const losses = session.image.restore(entries());
    deepEqual(losses.map(({ part, whole }) => [part, whole]), [[part, true]]);
    deepEqual(await survivors(session), {
      files: part !== "files",
      python: part !== "python",
      javascript: part !== "javascript",
    });
    session.capture(image);
    const again = new Session(assets);
    deepEqual(again.image.restore(image.list()), []);
    equal(again.fs.exists("/app/a.txt"), part !== "files");
  });
}

Deno.test("after the files were lost, what a heap has open is stale, and never another file", async () => {
  const spoiled = altered(stored, Section.inode, (entry) => ({ ...entry, bytes: json({}) }));
  const session = new Session(assets);
  deepEqual(session.image.restore(spoiled).map(({ part }) => part), ["files"]);
  for (let i = 0; i < 50; i++) session.fs.writeFile(`/app/new${i}`, new TextEncoder().encode("not yours"));
  const ran = await session.run("python", "f.seek(0); f.read()");
  deepEqual([ran.status, ran.status === "failed" && ran.error.type], ["failed", "OSError"]);
  equal(await session.python("open('/app/new7').read()"), "'not yours'");
});

Deno.test("a heap is not restored where it exceeds the memory that it may have", async () => {
  const session = new Session(assets);
  const big = new StoredImage();
  await session.python("b = bytearray(40_000_000)");
  session.capture(big);
  const small = new Session(assets, { memoryBytes: 32 << 20 });
  deepEqual(small.image.restore(big.list()), [
    { part: "python", whole: true, reason: "the heap exceeds its bound" },
  ]);
  equal(await small.python("'b' in globals()"), "False");
  equal(await restored(big, { memoryBytes: 96 << 20 }).python("len(b)"), "40000000");
});

Deno.test("a heap is not given up where what it started from can't be read: the session does not go on at all", async () => {
  const { stored } = await captured();
  const unreadable = () => {
    throw new BaseUnavailable("javascript.memory could not be read");
  };
  const { image } = new Session(assets, { javascript: { engine: unreadable, libraries: () => undefined } });
  throws(() => image.restore(stored.list()), BaseUnavailable);
});

Deno.test("heaps of noise end their runs, not their Worker", async () => {
  let state = 99;
  const noise = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  for (
    const [section, language] of [[Section.pythonPage, "python"], [
      Section.javascriptPage,
      "javascript",
    ]] as const
  ) {
    for (const share of [2, 10, 40]) {
      const entries = altered(
        stored,
        section,
        (entry, index) => index % share === 0 ? { ...entry, bytes: entry.bytes!.map(noise) } : entry,
      );
      const session = new Session(assets);
      if (session.image.restore(entries).length > 0) continue;
      // A damaged heap may loop: metering ends it as it would any other program.
      const request = {
        code: "1 + 1",
        filename: "<execution 1>",
        resultMaxBytes: 100,
        fuelBudget: 20_000_000,
      };
      const outcome = await session.runtimes[language].execute(request);
      ok(
        ["completed", "failed", "crashed", "out_of_memory", "out_of_fuel"].includes(outcome.status),
        outcome.status,
      );
      session.runtimes[language].discard();
      equal(await session[language]("1 + 1"), "2");
    }
  }
});

Deno.test("heaps that another build's interpreters made are left out, with the reason; files go on", async () => {
  const { stored } = await captured();
  const session = new Session(assets);
  const reason = "another build of wasmbox made them";
  deepEqual(session.image.restore(stored.list(), { python: reason }), [{
    part: "python",
    whole: true,
    reason,
  }]);
  equal(
    await session.python("import os; print(sorted(os.listdir('/app')), 'x' in globals())"),
    "['a.txt'] False\n",
  );
  equal(await session.javascript("[m.get('k'), y]"), "[ 1, 5 ]");
  session.capture(stored); // what was left out leaves the stored image too
  const again = restored(stored);
  equal(await again.python("print('x' in globals())"), "False\n");
});
