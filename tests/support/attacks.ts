/** Programs that attack the limits of an execution: for the tests of the whole, and for the soak. */

/** What the reply must say. */
export type Expect = Partial<Record<"status" | "state" | "exit_code" | "result", unknown>> & {
  /** Where the outcome may lie on either side of a race that is the guest's own. */
  anyStatus?: readonly string[];
  stdout?: RegExp;
  error?: RegExp;
};

export interface Attack {
  readonly name: string;
  readonly language: "python" | "javascript";
  readonly code: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly expect: Expect;
}

const python = (name: string, code: string, expect: Expect, timeout?: number): Attack => ({
  name,
  language: "python",
  code,
  expect,
  ...(timeout !== undefined && { timeout }),
});
const javascript = (name: string, code: string, expect: Expect, timeout?: number): Attack => ({
  ...python(name, code, expect, timeout),
  language: "javascript",
});

const kept = (status: string, more: Expect = {}): Expect => ({ status, state: "kept", ...more });
const undone = (status: string, more: Expect = {}): Expect => ({ status, state: "rolled_back", ...more });

/** What a hostile or careless program may try, and how it must end. */
export const ATTACKS: readonly Attack[] = [
  python("an endless loop", "while True: pass", kept("timeout", { exit_code: 124 }), 0.3),
  python(
    "a loop that swallows KeyboardInterrupt",
    "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    undone("timeout"),
    0.3,
  ),
  python(
    "a loop inside try/finally",
    "while True:\n  try:\n    while True: pass\n  finally:\n    continue",
    undone("timeout"),
    0.3,
  ),
  python("a power that never ends", "10**10**8", kept("timeout"), 0.3),
  python(
    "a search in C that never ends",
    "import itertools\n1 in itertools.repeat(0)",
    undone("timeout"),
    0.3,
  ),
  python(
    "a catastrophic regex",
    "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    kept("timeout"),
    0.3,
  ),
  python("a sleep of thirty years", "import time\ntime.sleep(1e9)", kept("timeout"), 0.3),
  python(
    "deep recursion",
    "def f(n): return f(n + 1) + 1\nf(0)",
    kept("failed", { error: /RecursionError/ }),
  ),
  python(
    "deep recursion in repr",
    "l = []\nfor i in range(100000): l = [l]\nrepr(l)",
    kept("failed", { error: /RecursionError/ }),
  ),
  python(
    "deep recursion in json",
    "import json\njson.loads('[' * 100000)",
    kept("failed", { error: /RecursionError/ }),
  ),
  python(
    "deep recursion in a sort key",
    "def key(x): return sorted([x], key=key)\nsorted([1], key=key)",
    kept("failed", { error: /RecursionError/ }),
  ),
  python("all of memory", "x = bytearray(10**9)", kept("out_of_memory", { error: /memory/i })),
  python(
    "all of memory, bit by bit",
    "x = []\nwhile True: x.append(bytearray(10**6))",
    kept("out_of_memory"),
  ),
  python("os._exit", "import os\nos._exit(3)", { status: "failed", state: "reset", exit_code: 3 }),
  python("os.abort", "import os\nos.abort()", undone("crashed")),
  python(
    "sys.exit in nested calls",
    "import sys\ndef f(n):\n  if n == 0: sys.exit(7)\n  f(n - 1)\nf(50)",
    kept("failed", { exit_code: 7 }),
  ),
  python("output past its bound", "for i in range(300000): print('x' * 10)", kept("completed")),
  python(
    "bytes that are not UTF-8",
    "import sys\nsys.stdout.buffer.write(b'a\\xffb\\n')",
    kept("completed", { stdout: /a\ufffdb/ }),
  ),
  python(
    "a full workspace",
    "with open('/app/big', 'wb') as f:\n  while True: f.write(bytes(10**6))",
    kept("failed", { error: /OSError.*No space|ENOSPC|space/i }),
  ),
  python(
    "files without end",
    "i = 0\nwhile True:\n  open(f'/app/{i}', 'w').close()\n  i += 1",
    kept("failed", { error: /space/i }),
  ),
  python("1 MB of code", `x = 1\n${"#".repeat(1024 * 1024 - 10)}\n`, kept("completed")),
  python(
    "a forged result on stdout",
    `print('{"type":"outcome","status":"completed"}')\n1`,
    kept("completed", { result: "1" }),
  ),
  python(
    "the executor's pipe",
    "import os\nos.write(1, b'\\0' * 100000)\n'alive'",
    kept("completed", { result: "'alive'" }),
  ),
  javascript("an endless loop", "while (1) {}", kept("timeout"), 0.3),
  javascript(
    "a loop that swallows everything",
    "while (1) { try { while (1); } catch {} finally { continue } }",
    { status: "timeout" },
    0.3,
  ),
  javascript("an array of a billion", "Array(1e9).fill()", {
    anyStatus: ["timeout", "out_of_memory", "failed"],
  }, 1),
  javascript("a string of half a gigabyte", "'x'.repeat(2 ** 29).length", {
    anyStatus: ["failed", "out_of_memory", "completed"],
  }),
  javascript(
    "a promise that never resolves",
    "await new Promise(() => {})",
    kept("failed", { error: /never|settle|resolve/i }),
  ),
  javascript("a microtask loop", "const f = () => Promise.resolve().then(f); await f()", {
    status: "timeout",
  }, 0.3),
  javascript("an interval that is never cleared", "setInterval(() => {}, 1)", kept("timeout"), 0.3),
  javascript("deep recursion", "const f = () => f() + 1; f()", kept("failed")),
  javascript(
    "deep recursion in JSON",
    "let n = []; for (let i = 0; i < 50000; i++) n = [n]; JSON.stringify(n)",
    { anyStatus: ["failed", "completed"] },
  ),
  javascript("a catastrophic regex", "/(a+)+$/.exec('a'.repeat(40) + 'b')", { status: "timeout" }, 0.3),
  javascript("a regex of deep groups", "new RegExp('('.repeat(100000) + ')'.repeat(100000))", {
    anyStatus: ["failed"],
  }),
  javascript("a search that natives do", "const s = 'a'.repeat(1 << 24); while (1) s.indexOf('ab')", {
    status: "timeout",
  }, 0.3),
  javascript("all of memory", "const x = []; while (1) x.push(new Uint8Array(1e6))", {
    anyStatus: ["out_of_memory", "failed"],
  }),
  javascript(
    "import of the host's modules",
    "(await import('ext:deno_process/40_process.js')).default",
    kept("failed"),
  ),
];
