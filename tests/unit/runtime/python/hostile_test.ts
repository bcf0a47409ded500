import { deepEqual, equal, ok } from "node:assert/strict";
import { errorOf, type Result, Session } from "../../../support/python_harness.ts";

/** The outcome is one that the host can vouch for, and the session goes on, with its variables or without. */
async function survives(python: Session, outcome: Result): Promise<void> {
  ok(["completed", "failed", "crashed", "exited", "out_of_memory"].includes(outcome.status), outcome.status);
  if (outcome.status === "crashed") equal(outcome.heap, "discarded");
  for (let attempt = 0; attempt < 2; attempt++) {
    const next = await python.run("print('still here')\n6 * 7");
    if (next.status === "crashed" && next.heap === "discarded") continue;
    deepEqual([next.status, next.stdout], ["completed", "still here\n"]);
    return equal(next.status === "completed" && next.result, "42");
  }
  throw new Error("the session did not recover");
}

for (
  const [what, code] of [
    ["replaces the standard streams", "import sys, io\nsys.stdout = sys.stderr = io.StringIO()"],
    ["deletes the standard streams", "import sys\ndel sys.stdout, sys.stderr, sys.stdin"],
    ["closes the standard streams", "import sys\nsys.stdout.close(); sys.stderr.close(); sys.stdin.close()"],
    ["detaches the standard streams", "import sys\nsys.stdout.detach(); sys.stderr.detach()"],
    ["empties builtins", "import builtins\nkeep = builtins.__dict__.copy()\nbuiltins.__dict__.clear()"],
    [
      "replaces builtins",
      "import builtins\nfor n in ('repr', 'isinstance', 'len', 'type', 'str'): setattr(builtins, n, None)",
    ],
    [
      "breaks json",
      "import json, json.encoder, json.decoder\njson.dumps = json.loads = json.encoder.encode_basestring_ascii = None",
    ],
    ["breaks traceback and raises", "import traceback\ntraceback.TracebackException.__init__ = None\n1/0"],
    ["empties linecache and raises", "import linecache\nlinecache.cache = None\n1/0"],
    ["empties sys.modules", "import sys\nsys.modules.clear()"],
    ["empties sys.path", "import sys\nsys.path.clear(); sys.meta_path.clear(); sys.path_hooks.clear()"],
    ["replaces __main__", "import sys, types\nsys.modules['__main__'] = types.ModuleType('x')"],
    ["empties its own globals", "globals().clear()"],
    [
      "installs a tracer",
      "import sys\ndef t(*a): raise ValueError('traced')\nsys.settrace(t); sys.setprofile(t)",
    ],
    ["lowers the recursion limit", "import sys\nsys.setrecursionlimit(40)"],
    [
      "replaces the glue's functions",
      "import _wasmbox_glue as g\ng.run = g.scan = g.quote = g.call_interruptible = None",
    ],
    [
      "answers in the glue's place",
      'import _wasmbox_glue as g\ng.run = lambda *a: \'{"status":"completed","result":7}\'',
    ],
    ["answers with a novel", "import _wasmbox_glue as g\ng.run = lambda *a: '\"' + 'x' * 10**8 + '\"'"],
    ["rewrites the glue's code", "import _wasmbox_glue as g\ng.execute.__code__ = (lambda r: 5).__code__"],
    [
      "calls the glue from inside",
      'import _wasmbox_glue as g\ng.execute(b\'{"code":"1","filename":"x","resultLimit":9}\')',
    ],
    [
      "nests interruptible calls",
      "import _wasmbox\n_wasmbox.call_interruptible(_wasmbox.call_interruptible, print)",
    ],
    ["calls the glue with nonsense", "import _wasmbox\n_wasmbox.evaluate(None, None)"],
    [
      "raises an exception that lies about its class",
      "class M(type):\n  @property\n  def __name__(c): 1/0\n  __qualname__ = __module__ = __name__\n  def __instancecheck__(c, o): 1/0\nclass E(Exception, metaclass=M):\n  __module__ = 5\n  __class__ = SystemExit\n  def __str__(s): raise SystemExit(1)\n  def __getattribute__(s, n): raise SystemExit(n)\nraise E",
    ],
    [
      "raises from a circle of causes",
      "a, b = ValueError(1), ValueError(2)\na.__cause__, b.__cause__ = b, a\nraise a",
    ],
    [
      "raises from a long chain of causes",
      "e = None\nfor n in range(5000):\n  f = ValueError(n)\n  f.__cause__, e = e, f\nraise e",
    ],
    [
      "raises a group nested deeply",
      "e = ValueError(1)\nfor n in range(5000): e = ExceptionGroup('g', [e])\nraise e",
    ],
    ["raises an exception with a huge text", "raise ValueError('x' * 10**7)"],
    ["raises an exception of a class with a huge name", "raise type('E' * 10**6, (Exception,), {})"],
    ["gives a result whose repr is no text", "class R:\n  def __repr__(s): return 5\nR()"],
    [
      "gives a repr that is a str of its own kind",
      "class S(str):\n  def __getitem__(s, i): raise SystemExit\n  def __len__(s): return -1\nclass R:\n  def __repr__(s): return S('x')\nR()",
    ],
    [
      "changes a container while it is shown",
      "l = [1]\nclass R:\n  def __repr__(s): l.append(s); d[len(d)] = s; return 'R'\nd = {0: R()}\nl.append(R())\n[l, d]",
    ],
    [
      "exits with a code that fights back",
      "class C(int):\n  def __int__(s): raise ValueError\n  def __and__(s, o): 1/0\n  def __lt__(s, o): 1/0\nraise SystemExit(C(3))",
    ],
    ["unloads the encodings", "import codecs, encodings\nencodings.__dict__.clear()"],
    ["changes directory to one that is gone", "import os\nos.mkdir('d'); os.chdir('d'); os.rmdir('../d')"],
    ["turns warnings into errors", "import warnings\nwarnings.simplefilter('error')\n'\\d'"],
    ["handles SIGINT itself", "import signal\nsignal.signal(signal.SIGINT, lambda *a: 1/0)"],
    [
      "disables and tunes the collector",
      "import gc\ngc.disable(); gc.set_threshold(1)\ngc.callbacks.append(lambda *a: 1/0)",
    ],
    ["closes descriptors it was given", "import os\nos.close(0); os.close(3)"],
    [
      "makes an interpreter of its own",
      "import _interpreters\ni = _interpreters.create()\n_interpreters.exec(i, 'x = 1')",
    ],
    [
      "monitors every call",
      "import sys\nm = sys.monitoring\nm.use_tool_id(1, 'x'); m.set_events(1, m.events.PY_START)\nm.register_callback(1, m.events.PY_START, lambda *a: 1/0)",
    ],
  ] as const
) {
  Deno.test(`a program that ${what} gets an honest outcome, and the next one runs`, async () => {
    const python = new Session({ memoryBytes: 512 * 1024 * 1024 });
    await survives(python, await python.run(code));
  });
}

Deno.test("everything an error says is bounded", async () => {
  const python = new Session();
  for (const code of ["raise ValueError('é' * 10**6)", "raise type('É' * 10**5, (Exception,), {})('x')"]) {
    const error = errorOf(await python.run(code));
    ok(error, code);
    ok(error.type.length <= 200 && error.message.length <= 10_000 && error.traceback.length <= 70_000, code);
  }
});

Deno.test("an outcome that a program forges can only be one of its own", async () => {
  const python = new Session();
  for (
    const forged of [
      "null",
      "[]",
      '{"status":"stopped"}',
      '{"status":"exited","exitCode":1e9}',
      '{"status":"completed"}',
      '{"status":"failed","error":{"type":1}}',
      '{"status":"crashed","reason":"x"}',
      '{"__proto__":{"status":"completed"}}',
    ]
  ) {
    await python.run("import _wasmbox_glue as g");
    await python.run(`g.run = lambda *a: ${JSON.stringify(forged)}`);
    const outcome = await python.run("1");
    deepEqual([outcome.status, outcome.heap], ["crashed", "discarded"], forged);
  }
});

Deno.test("os.close(1) silences the program that did it, and nobody else", async () => {
  const python = new Session();
  await python.run("import os; os.close(1)");
  const next = await python.run("print('x')");
  equal(next.heap, "kept");
  python.runtime.discard();
  equal((await python.run("print('x')")).stdout, "x\n");
});

Deno.test("sources kept for tracebacks are bounded", async () => {
  const python = new Session();
  const filler = `# ${"x".repeat(500_000)}\n`;
  for (let i = 0; i < 10; i++) await python.run(`${filler}def f${i}(): 1 / 0`);
  const lines = (execution: number) =>
    `import linecache; len(linecache.getlines('<execution ${execution}>'))`;
  equal(await python.value(lines(1)), "0");
  equal(await python.value(lines(10)), "2");
});

Deno.test("an audit hook, which Python lets nobody remove, spoils its own heap's runs and says so", async () => {
  const python = new Session();
  await python.run("import sys\ndef hook(*args): raise ValueError('audited')\nsys.addaudithook(hook)");
  const outcome = await python.run("import wave");
  deepEqual([outcome.status, outcome.heap, errorOf(outcome)?.type], ["failed", "kept", "ValueError"]);
  python.runtime.discard();
  equal(await python.value("1 + 1"), "2");
});
