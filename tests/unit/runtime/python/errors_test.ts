import { deepEqual, equal, match, ok } from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";

async function traceback(python: Session, code: string): Promise<string | undefined> {
  const outcome = await python.run(code);
  equal(outcome.heap, "kept");
  return errorOf(outcome)?.traceback;
}

Deno.test("a traceback is the interpreter's, with the program's own lines and no frames of ours", async () => {
  const python = new Session();
  await python.run("def f(n):\n    return 1 / n");
  equal(
    await traceback(python, "x = [f(0)]"),
    `Traceback (most recent call last):
  File "<execution 2>", line 1, in <module>
    x = [f(0)]
         ~^^^
  File "<execution 1>", line 2, in f
    return 1 / n
           ~~^~~
ZeroDivisionError: division by zero
`,
  );
});

Deno.test("the trailing expression is underlined as any other", async () => {
  equal(
    await traceback(new Session(), "x = 0\n1 + (2 / x)"),
    `Traceback (most recent call last):
  File "<execution 1>", line 2, in <module>
    1 + (2 / x)
         ~~^~~
ZeroDivisionError: division by zero
`,
  );
});

Deno.test("an error below a top-level await shows no event loop", async () => {
  equal(
    await traceback(new Session(), "async def f(): raise KeyError('k')\nawait f()"),
    `Traceback (most recent call last):
  File "<execution 1>", line 2, in <module>
    await f()
  File "<execution 1>", line 1, in f
    async def f(): raise KeyError('k')
                   ^^^^^^^^^^^^^^^^^^^
KeyError: 'k'
`,
  );
});

Deno.test("a syntax error shows its line", async () => {
  const outcome = await new Session().run("ok = 1\nx = = 2");
  deepEqual(errorOf(outcome), {
    type: "SyntaxError",
    message: "invalid syntax (<execution 1>, line 2)",
    traceback: `  File "<execution 1>", line 2
    x = = 2
        ^
SyntaxError: invalid syntax
`,
  });
});

Deno.test("chained and grouped exceptions are printed in full", async () => {
  const python = new Session();
  match(
    await traceback(python, "try:\n    {}[1]\nexcept KeyError as e:\n    raise ValueError('bad') from e") ??
      "",
    /^Traceback[^]*KeyError: 1\n\nThe above exception was the direct cause[^]*ValueError: bad\n$/,
  );
  match(
    await traceback(python, "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])") ?? "",
    /ExceptionGroup: two \(2 sub-exceptions\)[^]*ValueError: 1[^]*TypeError: 2/,
  );
});

Deno.test("the type carries its module, as tracebacks print it", async () => {
  const python = new Session();
  equal(errorOf(await python.run("import json; json.loads('{')"))?.type, "json.decoder.JSONDecodeError");
  equal(errorOf(await python.run("class Mine(Exception): pass\nraise Mine(1)"))?.type, "Mine");
});

Deno.test("code that is no text for a compiler is a clear error", async () => {
  const python = new Session();
  match(
    await traceback(python, "x = 1\0") ?? "",
    /SyntaxError: source code string cannot contain null bytes\n$/,
  );
  match(
    await traceback(python, "x = '\ud800'") ?? "",
    /UnicodeEncodeError: 'utf-8' codec can't encode.*\\ud800/,
  );
  match(await traceback(python, "yield 1") ?? "", /SyntaxError: 'yield' outside function/);
});

Deno.test("a megabyte of code runs", async () => {
  equal(await new Session().value(`x = 0\n${`x += 1  # ${"-".repeat(90)}\n`.repeat(10_000)}x`), "10000");
});

Deno.test("SystemExit is an exit code, however deep it was raised", async () => {
  const python = new Session();
  for (
    const [code, exitCode, stderr] of [
      ["import sys; sys.exit()", 0, ""],
      ["sys.exit(3)", 3, ""],
      ["sys.exit(-1)", 255, ""],
      ["sys.exit(10**30)", 255, ""],
      ["sys.exit(True)", 1, ""],
      ["sys.exit('no such thing')", 1, "no such thing\n"],
      ["raise SystemExit({})", 1, "{}\n"],
      ["exit(4)", 4, ""],
      ["def f(n): sys.exit(5) if n == 0 else f(n - 1)\nf(50)", 5, ""],
      ["import asyncio\nasync def f(): sys.exit(6)\nawait f()", 6, ""],
      ["class R:\n  def __repr__(self): sys.exit(7)\nR()", 7, ""],
    ] as const
  ) {
    const outcome = await python.run(code);
    deepEqual([outcome.status, outcome.heap, outcome.stderr], ["exited", "kept", stderr], code);
    equal(outcome.status === "exited" && outcome.exitCode, exitCode, code);
  }
  equal(await python.value("input.__name__"), "'input'");
});

Deno.test("os._exit ends the heap, not the session", async () => {
  const python = new Session();
  const outcome = await python.run("import os\nprint('out')\nos._exit(9)");
  deepEqual([outcome.status, outcome.heap, outcome.stdout], ["exited", "discarded", "out\n"]);
  equal(outcome.status === "exited" && outcome.exitCode, 9);
  equal(await python.value("1 + 1"), "2");
});

Deno.test("os.abort is a crash that says so", async () => {
  const python = new Session();
  const outcome = await python.run("import os; os.abort()");
  deepEqual([outcome.status, outcome.heap], ["crashed", "discarded"]);
  equal(outcome.status === "crashed" && outcome.reason, "the interpreter aborted");
  equal(await python.value("1 + 1"), "2");
});

Deno.test("recursion without end is a RecursionError, in Python and in C, and keeps the heap", async () => {
  const python = new Session();
  await python.run("kept = 1\nimport sys, json\nnested = []\nfor _ in range(100000): nested = [nested]");
  for (
    const code of [
      "def r(): r()\nr()",
      "repr(nested)",
      "nested",
      "json.dumps(nested)",
      "json.loads('[' * 100000)",
      "nested == [nested]",
      "def key(x): return sorted([1, 2], key=key)\nkey(1)",
      "eval('+'.join('1' * 100000))",
      "class A:\n  def __getattr__(self, n): return getattr(self, n + 'x')\nA().a",
      "sys.setrecursionlimit(10**6)\nclass C:\n  def __call__(self): return self()\nC()()",
      "class L:\n  def __eq__(self, o): return [self] == [o]\nL() == L()",
      "e = ValueError()\nfor _ in range(10000): e = ExceptionGroup('', [e])\ne.split(TypeError)",
      "class M(type):\n  def __instancecheck__(c, o): return isinstance(o, c.k)\nk = int\n" +
      "for _ in range(5000):\n  c = M('C', (), {}); c.k = k; k = c\nisinstance(1, k)",
    ]
  ) {
    const outcome = await python.run(code);
    deepEqual(
      [outcome.status, outcome.heap, errorOf(outcome)?.type],
      ["failed", "kept", "RecursionError"],
      code,
    );
  }
  equal(await python.value("kept"), "1");
});

Deno.test("source nested too deeply is the program's error, not a lack of memory", async () => {
  const outcome = await new Session().run(`${"-".repeat(100_000)}1`);
  deepEqual([outcome.status, errorOf(outcome)?.type], ["failed", "MemoryError"]);
});

Deno.test("a traceback of a hundred thousand frames is short", async () => {
  const code = "import sys; sys.setrecursionlimit(10**6)\n" +
    "def f(n): return g(n)\ndef g(n): return f(n - 1) if n else 1 / 0\nf(50000)";
  const text = await traceback(new Session(), code) ?? "";
  ok(text.length < 70_000, `${text.length} characters`);
  match(text, /^Traceback[^]*ZeroDivisionError: division by zero\n$/);
});

Deno.test("memory that runs out is a MemoryError that keeps the heap, usable to free some", async () => {
  const python = new Session({ memoryBytes: 64 * 1024 * 1024 });
  await python.run("kept = 1");
  for (
    const code of ["x = bytearray(10**9)", "a = []\nwhile True: a.append([])", "s = 'x'\nwhile True: s += s"]
  ) {
    const outcome = await python.run(code);
    deepEqual([outcome.status, outcome.heap], ["out_of_memory", "kept"], code);
    equal(errorOf(outcome)?.type, "MemoryError");
    ok(outcome.memoryBytes <= 64 * 1024 * 1024);
  }
  equal(await python.value("kept, len(a) > 1000"), "(1, True)");
  await python.run("del a, s");
  equal(await python.value("len(bytearray(10**7))"), "10000000");
});

Deno.test("a program that takes every byte leaves a session that can free them, or a fresh one", async () => {
  const python = new Session({ memoryBytes: 64 * 1024 * 1024 });
  const hoard = `
hoard = globals().get("hoard", [])
size = 1 << 22
while size:
    try:
        while True: hoard.append(bytearray(size))
    except MemoryError: size >>= 1
`;
  const outcome = await python.run(hoard);
  equal(outcome.heap, "kept");
  equal(await python.value("1 + 1"), "2");
  equal(await python.value("del hoard\nlen(bytearray(10**7))"), "10000000");
  for (let attempt = 0; attempt < 5; attempt++) await python.run(hoard);
  for (let attempt = 0; attempt < 2; attempt++) {
    const next = await python.run("1 + 1");
    if (next.status === "completed") return;
    deepEqual([next.status, next.heap], ["out_of_memory", "discarded"]);
  }
  throw new Error("the session did not recover");
});

Deno.test("code that needs more memory than there is to compile keeps the heap", async () => {
  const python = new Session({ memoryBytes: 64 * 1024 * 1024 });
  await python.run("kept = 1");
  const outcome = await python.run("kept += 1\n".repeat(100_000));
  deepEqual([outcome.status, outcome.heap], ["out_of_memory", "kept"]);
  equal(await python.value("kept"), "1");
});

Deno.test("what is no text can't be printed, and is told on stderr with escapes", async () => {
  const python = new Session();
  equal(errorOf(await python.run("print('\\ud800')"))?.type, "UnicodeEncodeError");
  const outcome = await python.run("import sys\nsys.stdout.close()\nprint('\\ud800', file=sys.stderr)");
  equal(outcome.stderr, "\\ud800\n");
  equal(errorOf(await python.run("print('\\ud800')"))?.type, "UnicodeEncodeError");
});

Deno.test("a picture that can't be saved as AVIF says what can", async () => {
  const outcome = await new Session().run('raise ValueError("unknown file extension: .avif")');
  match(errorOf(outcome)?.message ?? "", /no AVIF here: use .webp/);
});

Deno.test("sys.tracebacklimit leaves the last frames of a traceback", async () => {
  const python = new Session();
  const fails = "def f(): 1 / 0\ndef g(): f()\n";
  const { traceback } = errorOf(await python.run(`import sys\nsys.tracebacklimit = 1\n${fails}g()`)) ?? {};
  match(traceback ?? "", /^Traceback[^]*, in f\n[^]*ZeroDivisionError/);
  ok(!traceback?.includes("in g"));
  equal(
    errorOf(await python.run("sys.tracebacklimit = 0\ng()"))?.traceback,
    "ZeroDivisionError: division by zero\n",
  );
});
