/** Recursion in Python through C code, which takes of V8's stack: it ends in an error, and never costs the session its heap. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

/** Of functions with a cache. CPython of its own allows 3,300. Deno from source gives Workers half of what executables do. */
const CACHED = UNDER_TEST === "executable" ? 2600 : 1300;

/** What calls itself through C code, for ever. */
const BOTTOMLESS = {
  "functions with a cache": "@functools.cache\ndef f(n): return f(n + 1)\nf(0)",
  "keys of a sort": "def f(n): return sorted([n], key=lambda n: f(n + 1))\nf(0)",
  "representations": "class A:\n    def __repr__(self): return repr(A())\nrepr(A())",
  "comparisons": "class A:\n    def __lt__(self, other): return A() < other\nA() < 1",
  "attributes": "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().x",
  "what sub replaces": "def f(_): return re.sub('a', f, 'a')\nf(0)",
  "what reduce adds up": "def f(*_): return functools.reduce(f, [1, 2])\nf()",
  "what json calls": "def f(_): return json.loads('{}', object_hook=f)\nf(0)",
  "metaclasses": "class M(type):\n    def __new__(*a): return M('A', (), {})\nM('A', (), {})",
  "code": "def f(): exec('f()')\nf()",
  "groups of exceptions": "e = ValueError()\nfor _ in range(10**4): e = ExceptionGroup('g', [e])\nrepr(e)",
  "lists to JSON": "x = []\nfor _ in range(10**5): x = [x]\njson.dumps(x)",
  "lists to bytes": "x = []\nfor _ in range(10**5): x = [x]\npickle.dumps(x)",
};

Deno.test(`[${UNDER_TEST}] recursion through C code ends in an error, and the session keeps its heap`, async (t) => {
  await using server = await TestServer.start();
  const session = { session_id: "deep" };
  await server.python("import functools, json, pickle, re, sys\nsys.setrecursionlimit(10**6)", session);
  for (const [kind, code] of Object.entries(BOTTOMLESS)) {
    await t.step(kind, async () => {
      await server.python(`kept = ${JSON.stringify(kind)}`, session);
      const reply = await server.python(code, session);
      assert.equal(reply.error?.type, "RecursionError", JSON.stringify(reply));
      assert.equal((await server.python("kept", session)).result, `'${kind}'`);
    });
  }
});

Deno.test(`[${UNDER_TEST}] a function with a cache may call itself ${CACHED} times, in a program of the shell as well`, async () => {
  await using server = await TestServer.start();
  const program = `import functools, sys
@functools.lru_cache(maxsize=None)
def total(n): return n and n + total(n - 1)
print(total(900))
sys.setrecursionlimit(10**5)
total.cache_clear()
print(total(${CACHED}))`;
  const wanted = [900, CACHED].map((n) => `${n * (n + 1) / 2}\n`).join("");
  const reply = await server.python(program);
  assert.equal(reply.stdout, wanted, JSON.stringify(reply));
  const command = `python3 - <<'END'\n${program}\nEND`;
  const { structured } = await server.call("execute_command", { command });
  assert.equal(structured["stdout"], wanted);
});
