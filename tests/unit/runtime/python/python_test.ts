import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { HostCallError } from "../../../../src/host_calls/bridge.ts";
import { compile, errorOf, Session } from "../../../support/python_harness.ts";

Deno.test("variables, functions and imports live on between runs", async () => {
  const python = new Session();
  await python.run("import math\nx = 41\ndef up(n): return n + 1");
  equal(await python.value("up(x) + math.floor(0.5)"), "42");
});

Deno.test("two sessions of one module share nothing", async () => {
  const [one, two] = [new Session(), new Session()];
  await one.run("import json\njson.secret = 1");
  equal(await two.value("import json\nhasattr(json, 'secret')"), "False");
});

Deno.test("the value of a trailing expression is the result, whatever stands before it", async () => {
  const python = new Session();
  equal(await python.value("x = 1\nif x:\n    y = 2\nx + y"), "3");
  equal(await python.value("'just a string'"), "'just a string'");
  equal(await python.value("x = 1"), null);
  equal(await python.value("None"), null);
  equal(await python.value("print(end='')"), null);
  equal(await python.value(""), null);
  equal(await python.value("# only a comment"), null);
  equal(await python.value("1; 2; 3"), "3");
  equal(await python.value("sorted(n for n in globals() if not n.startswith('_'))"), "['x', 'y']");
});

Deno.test("a warning that one program had comes in the next one too, and once in each", async () => {
  const python = new Session();
  const warn = "import warnings\nfor _ in range(3):\n    warnings.warn('old')";
  for (let run = 0; run < 3; run++) {
    const { stderr } = await python.run(warn);
    equal(stderr.split("UserWarning: old").length - 1, 1, stderr);
  }
  await python.run("warnings.simplefilter('ignore')");
  equal((await python.run(warn)).stderr, "");
});

Deno.test("results look as the interpreter's own repr", async () => {
  const python = new Session();
  for (
    const expression of [
      "[]",
      "[1, (2,), (3, 4), {5: [6]}, {7}, set(), frozenset(), frozenset({8}), b'9', 'é\\n\"', 1.0, 1j]",
      "{'a': {'b': {}}, None: ...}",
      "__import__('collections').OrderedDict(a=1)",
      "__import__('collections').defaultdict(list, {1: [2]})",
      "(lambda a: (a.append(a), a.append((a,)), a)[2])([])",
      "(lambda d: (d.update(d=d), d)[1])({})",
      "type('T', (list,), {'__repr__': lambda s: 'T!'})([1])",
    ]
  ) {
    equal(await python.value(expression), (await python.run(`print(repr(${expression}), end="")`)).stdout);
  }
});

Deno.test("a huge result is cut to the bound without being made", async () => {
  const python = new Session({ memoryBytes: 128 * 1024 * 1024 });
  for (const code of ["'é' * 10_000_000", "list(range(2_000_000))", "[['x' * 10**6] * 1000] * 10**6"]) {
    const outcome = await python.run(code, { resultMaxBytes: 1000 });
    ok(outcome.status === "completed" && outcome.result !== null, outcome.status);
    ok(outcome.result.endsWith("…"));
    const bytes = new TextEncoder().encode(outcome.result).length;
    ok(bytes <= 1000 && bytes > 990, `${bytes} bytes`);
  }
});

Deno.test("a result of exactly the bound is not cut", async () => {
  const outcome = await new Session().run("'é' * 49", { resultMaxBytes: 100 });
  equal(outcome.status === "completed" && outcome.result, `'${"é".repeat(49)}'`);
});

Deno.test("output comes as it is printed, line by line", async () => {
  const python = new Session();
  const seen: string[] = [];
  python.onOutput = (text) => seen.push(text);
  await python.run("import sys\nprint('one')\nprint('two', end='')\nprint('err', file=sys.stderr)");
  ok(seen.includes("one\n"));
  equal(seen.at(-1), "one\ntwo");
});

Deno.test("text that UTF-8 can't say is told escaped on stderr and as a result", async () => {
  const outcome = await new Session().run("import sys\nprint('\\udc80', file=sys.stderr)\n'\\udfff'");
  equal(outcome.stderr, "\\udc80\n");
  equal(outcome.status === "completed" && outcome.result, "'\\udfff'");
});

Deno.test("a program has the arguments, environment, directory and input of a script", async () => {
  const python = new Session({ env: { HOME: "/app", GREETING: "grüß dich" } });
  equal(await python.value("import sys, os; sys.argv"), "['/app/__main__.py']");
  equal(await python.value("dict(os.environ)"), "{'HOME': '/app', 'GREETING': 'grüß dich'}");
  equal(await python.value("os.getcwd(), sys.path[0], __name__"), "('/app', '/app', '__main__')");
  match(errorOf(await python.run("input('? ')"))?.traceback ?? "", /EOFError: no input: .*\n$/);
  match(await python.value("sys.version") ?? "", /^'3\.13\./);
});

Deno.test("modules of the working directory are found, also when written a moment ago by someone else", async () => {
  const python = new Session();
  await python.run("try: import helper\nexcept ImportError: pass");
  python.fs.writeFile("/app/helper.py", new TextEncoder().encode("value = 7\n"));
  equal(await python.value("import helper; helper.value"), "7");
});

Deno.test("modules of the program's own take the place of the library's of their names where they are imported", async () => {
  const session = new Session();
  const write = (path: string, text: string) =>
    session.fs.writeFile(`/app/${path}`, new TextEncoder().encode(text));
  equal(await session.value("import statistics, queue\nstatistics.mean([1, 2])"), "1.5");
  session.fs.mkdir("/app/statistics");
  write("statistics/__init__.py", "from statistics.means import mean");
  write("statistics/means.py", "def mean(values): return 'own'");
  write("bisect.py", "own = True");
  write("heapq.py", "own = True");
  write("uses.py", "def later():\n    import heapq\n    return heapq.own");
  equal(
    await session.value("import statistics, uses\nstatistics.mean([1, 2]), uses.later()"),
    "('own', True)",
  );
  const library = "import sys\nhasattr(sys.modules['bisect'], 'bisect_left')";
  equal(await session.value(`class A: bisect = 1\nA.bisect\n${library}`), "True");
  equal(await session.value("import bisect\nbisect.own"), "True");
  equal(
    await session.value("import queue, json, random\nqueue.Queue, json.dumps(1)[0]"),
    "(<class 'queue.Queue'>, '1')",
  );
  equal(await session.value("import sys\nsys.path = None\nimport bisect\nbisect.own"), "True");
});

Deno.test("files and sqlite databases of the session are read and written", async () => {
  const python = new Session();
  await python.run(`
import sqlite3
with open("a.txt", "w") as f: f.write("grüße")
db = sqlite3.connect("data.db")
db.execute("create table t(a, b)")
db.executemany("insert into t values (?, ?)", [(n, n * n) for n in range(100)])
db.commit()
`);
  equal(new TextDecoder().decode(python.fs.readFile("/app/a.txt")), "grüße");
  equal(await python.value("db.execute('select sum(b) from t').fetchone()[0]"), "328350");
  equal(await python.value("open('/app/a.txt').read()"), "'grüße'");
});

Deno.test("sessions differ in their random numbers, and so does a heap that was thrown away", async () => {
  const [one, two] = [new Session(), new Session()];
  const code = "import random, uuid; (random.random(), uuid.uuid4(), __import__('secrets').token_hex())";
  const values = [await one.value(code), await two.value(code)];
  await one.run("import os; os._exit(0)");
  values.push(await one.value(code));
  equal(new Set(values).size, 3);
});

Deno.test("a host call gives bytes, and its refusal is an OSError", async () => {
  const python = new Session({
    hostCall: (operation, json, bytes = new Uint8Array(0)) =>
      operation === "echo" ? { json, bytes } : new HostCallError(`no operation '${operation}' — sorry`),
  });
  const call = (operation: string) => `import _wasmbox; _wasmbox.host_call(${operation}, b'{"a": 1}')`;
  equal(await python.value(call("'echo'")), `(b'{"a": 1}', b'')`);
  const beside =
    "_wasmbox.host_call('echo', b'1', memoryview(b'x\\0y' * 100_000)) == (b'1', b'x\\0y' * 100_000)";
  equal(await python.value(beside), "True");
  const error = errorOf(await python.run(call("'other'")));
  equal(error?.type, "OSError");
  equal(error?.message, "no operation 'other' — sorry");
});

Deno.test("fuel and memory are told; the unmetered module works the same without fuel", async () => {
  const metered = await new Session().run("sum(range(100000))");
  ok(metered.fuelConsumed > 100000);
  ok(metered.memoryBytes > 1_000_000);
  const plain = await new Session({ module: compile("python.unmetered.wasm") }).run("sum(range(100000))");
  equal(plain.fuelConsumed, 0);
  deepEqual([plain.status === "completed" && plain.result], ["4999950000"]);
});

Deno.test("the same program uses the same fuel in every session", async () => {
  const code = "d = {}\nfor n in range(1000): d[str(n)] = n * n\nlen(repr(d))";
  const used = [];
  for (let i = 0; i < 3; i++) used.push((await new Session().run(code)).fuelConsumed);
  equal(new Set(used).size, 1, `${used}`);
});

Deno.test("discard() closes open files and the next run has a fresh heap", async () => {
  const python = new Session();
  await python.run("import os\nf = open('big', 'wb')\nf.write(bytes(10**6)); f.flush(); os.unlink('big')");
  const held = python.fs.usage.bytes;
  notEqual(python.runtime.memoryBytes(), 0);
  python.runtime.discard();
  equal(python.runtime.memoryBytes(), 0);
  ok(python.fs.usage.bytes <= held - 10 ** 6);
  equal(errorOf(await python.run("f"))?.type, "NameError");
});
