/** Depth without end: in the language, in its C code, in its parsers. */

import { ends, family, javascript, python, raises } from "../attack.ts";

const TOO_DEEP = raises(/RecursionError/);
const TOO_DEEP_TO_PARSE = raises(/RecursionError|MemoryError|SyntaxError/);
const ANY_END = ends("failed", "completed", "out_of_memory");

export const RECURSION = family("recursion", [
  python("a function", `def f(n): return f(n + 1) + 1\nf(0)`, TOO_DEEP),
  python(
    "a function, after the limit was lifted",
    `import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1) + 1\nf(0)`,
    ends("failed", "crashed", "out_of_memory"),
  ),
  python("the repr of nested lists", `x = []\nfor _ in range(10**5): x = [x]\nrepr(x)`, TOO_DEEP),
  python("a result of nested lists", `x = []\nfor _ in range(10**5): x = [x]\nx`, TOO_DEEP),
  python("JSON", `import json\njson.loads("[" * 10**5)`, TOO_DEEP),
  python("pickle", `import pickle\nx = []\nfor _ in range(10**5): x = [x]\npickle.dumps(x)`, TOO_DEEP),
  python("a deep copy", `import copy\nx = []\nfor _ in range(10**5): x = [x]\ncopy.deepcopy(x)`, TOO_DEEP),
  python("a sort key", `def key(x): return sorted([x], key=key)\nsorted([1], key=key)`, TOO_DEEP),
  python("the parser", `compile("(" * 10**5 + ")" * 10**5, "x", "eval")`, TOO_DEEP_TO_PARSE),
  python("the compiler", `compile("-" * 10**5 + "1", "x", "eval")`, TOO_DEEP_TO_PARSE),
  python(
    "a regular expression",
    `import re\nre.compile("(" * 10**4 + ")" * 10**4)`,
    raises(/RecursionError|OverflowError|error/i),
  ),
  python("freeing a long chain", `x = None\nfor _ in range(10**6): x = (x,)\ndel x\n0`, ends("completed")),
  python(
    "attribute look-up",
    `class A:\n  def __getattr__(self, name): return getattr(self, name + "x")\nA().x`,
    ends("failed", "out_of_memory"),
  ),
  python(
    "a chain of iterators",
    `x = iter([])\nfor _ in range(10**5): x = map(int, x)\nlist(x)`,
    ends("failed", "completed", "crashed"),
  ),
  python(
    "marshal",
    `import marshal\nmarshal.loads(b"[\\x01\\x00\\x00\\x00" * 10**5)`,
    raises(/ValueError|RecursionError|EOFError/),
  ),
  python(
    "XML",
    `import xml.etree.ElementTree as E\nE.fromstring("<a>" * 10**5)`,
    ends("failed", "out_of_memory"),
  ),
  python(
    "unions of types",
    `x = int\nfor _ in range(10**5): x = list[x]\nhash(x)`,
    ends("failed", "completed", "crashed"),
  ),
  javascript("a function", `const f = () => f() + 1; f()`, raises(/RangeError|InternalError/)),
  javascript(
    "JSON, written",
    `let x = []; for (let i = 0; i < 1e5; i++) x = [x]; JSON.stringify(x)`,
    ANY_END,
  ),
  javascript("JSON, read", `JSON.parse("[".repeat(1e5) + "]".repeat(1e5))`, ANY_END),
  javascript("the parser", `(0, eval)("(".repeat(1e5) + "1" + ")".repeat(1e5))`, ends("failed")),
  javascript("the program itself", "[".repeat(50_000) + "]".repeat(50_000), ends("failed", "completed")),
  javascript("a regular expression", `new RegExp("(".repeat(1e5) + ")".repeat(1e5))`, ends("failed")),
  javascript(
    "the text of nested arrays",
    `let x = []; for (let i = 0; i < 1e5; i++) x = [x]; String(x)`,
    ANY_END,
  ),
  javascript("a result of nested objects", `let x = {}; for (let i = 0; i < 1e5; i++) x = { x }; x`, ANY_END),
  javascript(
    "proxies of proxies",
    `let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x`,
    ANY_END,
  ),
  javascript(
    "bound functions",
    `let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()`,
    ANY_END,
  ),
  javascript("getters", `const o = { get x() { return this.x; } }; o.x`, raises(/RangeError|InternalError/)),
]);
