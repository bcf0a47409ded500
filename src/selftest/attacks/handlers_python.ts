/** Handlers of Python: that never return, that return no JSON, that spoil what calls them. */

import { calls, type Execution, type Stage, type Unfiled } from "../attack.ts";
import { series, told } from "../series.ts";
import { bounded, CALLED, SOON } from "./handlers_endings.ts";

/** Programs by what they try, of the bodies of their handlers. */
const handlers = (bodies: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(bodies).map(([what, body]) => [what, `def handler(event, context):\n    ${body}`]),
  );

/** The program is told that it failed, and nothing was returned. */
const failed = ({ status, state, return_value: returned, error }: Execution) =>
  status === "failed" && state === "kept" && returned === null && error?.error_code === "PROGRAM_ERROR";
const stopped = ({ status, return_value: returned }: Execution) => status === "timeout" && returned === null;

/** The interpreter's own code is in the program's hands: what it says is checked. */
async function forgedAnswers({ run }: Stage) {
  const texts: Readonly<Record<string, string>> = {
    "nothing": `""`,
    "half an object": `"{"`,
    "two values": `"1 2"`,
    "no JSON": `"NaN"`,
    "a million digits": `"1" * 10**6`,
    "a hundred thousand levels": `"[" * 10**5 + "]" * 10**5`,
    "a number": `5`,
    "half a surrogate": `'"\\ud800"'`,
    "a reply": `'{"status":"completed","__proto__":{"polluted":1}}'`,
    "lines": `'"a\\n"'`,
  };
  const through: string[] = [];
  for (const [what, text] of Object.entries(texts)) {
    const code =
      `import _wasmbox_handler\n_wasmbox_handler.to_json = lambda *more: ${text}\ndef handler(event): return 1`;
    const reply = await run("python", code, CALLED);
    if (!["completed", "failed", "crashed"].includes(reply.status)) through.push(`${what} (${told(reply)})`);
  }
  return {
    refused: through.length === 0,
    got: `${Object.keys(texts).length} tried, through: ${through.join(", ") || "none"}`,
  };
}

export const PYTHON_HANDLERS: readonly Unfiled[] = [
  series(
    "python",
    "handlers that never return",
    "each is stopped",
    {
      ...handlers({
        "a loop": "while True: pass",
        "a sleep": "import time; time.sleep(10**6)",
        "a loop that swallows its stop":
          "\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
        "a generator that is awaited":
          "\n    class Endless:\n        def __await__(self):\n            while True: yield\n    return Endless()",
        "a list without end":
          "\n    class Endless(dict):\n        def items(self):\n            while True: yield 'a', 1\n    return Endless(a=1)",
      }),
      "a coroutine": "async def handler(event):\n    import asyncio\n    await asyncio.sleep(10**6)",
      "a signature":
        "class Handler:\n    def __call__(self, event): return 1\n    @property\n    def __signature__(self):\n        while True: pass\nhandler = Handler()",
      "the event loop":
        "async def handler(event):\n    import asyncio\n    asyncio.get_running_loop().stop = lambda: None\n    while True: await asyncio.sleep(0)",
    },
    stopped,
    SOON,
  ),
  series(
    "python",
    "values that are no JSON",
    "each is an error of the program's own",
    handlers({
      "itself": "x = []; x.append(x); return x",
      "its own key": "x = {}; x['x'] = {'y': x}; return x",
      "no number": "return float('nan')",
      "beyond all numbers": "return [float('inf')]",
      "bytes": "return b'x'",
      "a set": "return {1}",
      "a key that is a tuple": "return {(1, 2): 3}",
      "a key that lies":
        "\n    class Key:\n        def __str__(self): raise SystemExit(9)\n        __repr__ = __str__\n    return {Key(): 1}",
      "an object":
        "\n    class Any:\n        def __getattr__(self, name): return Any()\n        def __repr__(self): raise SystemExit(9)\n    return Any()",
      "its context": "return context",
      "a generator": "return (n for n in iter(int, 1))",
      "an asynchronous generator":
        "\n    async def numbers():\n        while True: yield 1\n    return numbers()",
      "ten thousand levels": "\n    x = []\n    for _ in range(10**4): x = [x]\n    return x",
      "ten thousand levels, the limit lifted":
        "\n    import sys\n    sys.setrecursionlimit(10**9)\n    x = []\n    for _ in range(10**4): x = {'x': x}\n    return x",
      "ten million characters": "return 'x' * 10**7",
      "three hundred thousand numbers": "return list(range(300_000))",
      "a number of ten thousand digits": "return 10**10000",
    }),
    failed,
    CALLED,
  ),
  series(
    "python",
    "values that lie about themselves",
    "each is JSON, or an error of the program's own",
    {
      ...handlers({
        "a text":
          "\n    class Text(str):\n        def __str__(self): raise SystemExit(9)\n        def encode(self, *more): raise SystemExit(9)\n        __repr__ = __str__\n        def __len__(self): return 10**15\n    return {Text('a'): Text('b')}",
        "a number":
          '\n    class Number(int):\n        def __repr__(self): return \'}],"status":"completed"\'\n        __str__ = __index__ = __repr__\n    return [Number(5), True]',
        "a fraction":
          "\n    class Number(float):\n        def __repr__(self): return 'x' * 10**8\n    return Number(5)",
        "a list":
          "\n    class List(list):\n        def __len__(self): return -1\n        def __iter__(self): raise SystemExit(9)\n    return List([1, List([2])])",
        "a dictionary":
          "\n    class Dictionary(dict):\n        def items(self): return [1, (2,), 'abc', None]\n        def __bool__(self): raise SystemExit(9)\n    return Dictionary(a=1)",
        "a list that grows":
          "\n    x = []\n    class Dictionary(dict):\n        def items(self):\n            x.extend([self] * 1000)\n            return ()\n    x.append(Dictionary(a=1))\n    return x",
        "one object ten billion times":
          "\n    x = 'x' * 1000\n    for _ in range(10): x = [x] * 10\n    return x",
        "halves of surrogates": "return ['\\ud800', '\\udfff\\0', {'\\ud83d': '\\u2028'}]",
      }),
    },
    bounded,
    SOON,
  ),
  series(
    "python",
    "ways to end",
    "each is the program's own end",
    {
      ...handlers({
        "an exit": "raise SystemExit(3)",
        "an interrupt": "raise KeyboardInterrupt",
        "the end of a generator": "raise GeneratorExit",
        "the end of an iteration": "raise StopIteration(event)",
        "out of memory, which it is not": "raise MemoryError('EXECUTION_TIMEOUT')",
        "an exception that fights back":
          "\n    class Hostile(BaseException):\n        def __str__(self): raise Hostile()\n        __repr__ = __str__\n        def __getattribute__(self, name): raise Hostile()\n    raise Hostile()",
        "an exception of its own making":
          "raise type('EXECUTION_TIMEOUT', (BaseException,), {'status': 'timeout', 'state': 'reset'})(event)",
        "deleting itself": "del globals()['handler']; return 1",
        "replacing itself": "globals()['handler'] = 5; return 1",
        "an exit of the process": "import os; os._exit(3)",
        "spoiling its context": "context.__class__ = dict; return 1",
        "emptying its context": "vars(context).clear(); context.get_remaining_time_in_millis()",
        "another handler's return":
          "import _wasmbox; return _wasmbox.call_interruptible(handler, event, context)",
      }),
      "a class": "class handler:\n    def __new__(cls, event, context): raise SystemExit(4)",
      "no callable": "class Handler:\n    __call__ = None\nhandler = Handler()",
      "a coroutine that exits": "async def handler(event): raise SystemExit(3)",
      "a handler that is called by nobody": "def handler(*, event): return 1",
    },
    ({ status, state, error }) =>
      ["failed", "completed", "out_of_memory", "crashed"].includes(status) && state !== undefined &&
      error?.type !== "Error",
    CALLED,
  ),
  series(
    "python",
    "patches of what is used to call it",
    "each is JSON, or an error of the program's own",
    Object.fromEntries([
      "import json, _json; json.dumps = json.JSONEncoder = json.encoder.c_make_encoder = _json.make_encoder = lambda *a, **k: (lambda *a: ['{'])",
      "import inspect; inspect.signature = lambda *a: 1 / 0",
      "import inspect; inspect.isawaitable = lambda *a: True",
      "import asyncio; asyncio.run = lambda *a: object()",
      "import builtins; builtins.callable = builtins.isinstance = builtins.len = builtins.type = lambda *a: 1 / 0",
      "import time; time.monotonic = lambda: 'x'",
      "import sys; sys.modules.clear()",
      "del __builtins__",
      "__builtins__ = {}",
      "__name__ = 5; __import__ = 5",
    ].map((patch) => [patch.slice(0, 40), `${patch}\nhandler = lambda event: {"a": [1]}`])),
    ({ status, state, return_value: returned }) =>
      state !== "reset" &&
      (["failed", "crashed"].includes(status) ||
        status === "completed" && JSON.stringify(returned) === '{"a":[1]}'),
    CALLED,
  ),
  calls("forged JSON of what was returned", "is JSON, or told", forgedAnswers, { spoils: "python" }),
];
