/** Breaking the interpreter, its glue, or the run that comes next. At worst the attacker's own heap is lost. */

import { calls, ends, family, GAINS_NOTHING, python, type Stage } from "../attack.ts";

const HARMLESS = {
  ...ends("completed", "failed", "crashed", "out_of_memory", "timeout"),
  says: "harms nobody else",
};
const SPOILS = { tampers: true, timeout: 2 };

/** Something left behind for the next run, which must be what it is. */
function survives(name: string, code: string) {
  return calls(name, "the next runs are told as they are", async ({ run }: Stage) => {
    await run("python", code, { timeout: 2 });
    const failing = await run("python", "raise KeyError('honest')", { timeout: 2 });
    const refused = ["failed", "crashed"].includes(failing.status);
    const told = failing.error?.type ?? failing.error?.error_code;
    return { refused, got: `${failing.status}, ${failing.state}, ${told}` };
  }, { spoils: "python" });
}

/** Replaces the bytecode of a function and calls it. */
const bytecode = (bytes: string, more = "") => `
    def f(a=1, b=2): return [a, b]
    f.__code__ = f.__code__.replace(co_code=${bytes}${more})
    f()
    `;

export const PYTHON_INTERPRETER = family("python interpreter", [
  python(
    "bytecode that reads beyond the constants",
    bytecode("bytes([149, 0, 83, 255, 36, 0])"),
    HARMLESS,
    SPOILS,
  ),
  python(
    "bytecode that reads beyond the variables",
    bytecode("bytes([149, 0, 85, 255, 36, 0])"),
    HARMLESS,
    SPOILS,
  ),
  python(
    "bytecode that pops an empty stack",
    bytecode("bytes([149, 0]) + bytes([32, 0]) * 500 + bytes([36, 0])"),
    HARMLESS,
    SPOILS,
  ),
  python(
    "bytecode that pushes past its stack",
    bytecode("bytes([149, 0]) + bytes([34, 0]) * 50000", ", co_stacksize=1"),
    HARMLESS,
    SPOILS,
  ),
  python(
    "bytecode that jumps out of its code",
    bytecode("bytes([149, 0, 79, 255, 79, 255])"),
    HARMLESS,
    SPOILS,
  ),
  python("bytecode of no instructions", bytecode(`b""`), HARMLESS, SPOILS),
  ...[1, 2, 3].map((seed) =>
    python(
      `bytecode at random, ${seed}`,
      `
    import random
    generator = random.Random(${seed})
    def f(a=1, b=2): return [a, b]
    for _ in range(20):
        f.__code__ = f.__code__.replace(co_code=bytes([149, 0]) + generator.randbytes(40), co_stacksize=20)
        try: f()
        except BaseException: pass
    `,
      HARMLESS,
      SPOILS,
    )
  ),
  python(
    "marshalled code at random",
    `
    import marshal, random
    good = marshal.dumps(compile("def f(x):\\n return [y for y in x if y]\\nf([1])", "x", "exec"))
    generator = random.Random(5)
    for _ in range(200):
        bad = bytearray(good)
        for _ in range(5): bad[generator.randrange(len(bad))] = generator.randrange(256)
        try: exec(marshal.loads(bad))
        except BaseException: pass
    `,
    HARMLESS,
    SPOILS,
  ),
  python(
    "faulthandler's ways to crash",
    `import faulthandler\nfaulthandler._stack_overflow() if hasattr(faulthandler, "_stack_overflow") else faulthandler._sigabrt()`,
    HARMLESS,
    SPOILS,
  ),
  python(
    "a fatal error",
    `import faulthandler\nfaulthandler._fatal_error_c_thread() if hasattr(faulthandler, "_fatal_error_c_thread") else faulthandler._sigsegv()`,
    HARMLESS,
    SPOILS,
  ),
  python(
    "a pickle that calls",
    `import pickle\nclass A:\n  def __reduce__(self): return (__import__, ("_posixsubprocess",))\npickle.loads(pickle.dumps(A()))`,
    ends("failed"),
  ),
  python(
    "interpreters inside the interpreter",
    `import _interpreters\nfor _ in range(100): _interpreters.exec(_interpreters.create(), "import os; os.listdir('/')")`,
    HARMLESS,
    { tampers: true, timeout: 10 },
  ),
  python(
    "the glue's globals, by the garbage collector",
    `import gc\nfor each in gc.get_objects():\n  if type(each) is dict and "call_interruptible" in each: each.clear()`,
    HARMLESS,
    SPOILS,
  ),
  python(
    "the glue's frames",
    `import sys\nframe = sys._getframe()\nwhile frame:\n  frame.f_globals.clear() if frame.f_globals is not globals() else None\n  frame = frame.f_back`,
    HARMLESS,
    SPOILS,
  ),
  python(
    "the glue's function, called from within",
    `import _wasmbox_glue as g\nwhile True: g.execute(b'{"code":"1","filename":"x","resultLimit":9}')`,
    HARMLESS,
    SPOILS,
  ),
  python(
    "the C half with nonsense",
    `import _wasmbox\nfor f in vars(_wasmbox).values():\n  for args in ((), (None,), (b"", 1), (print, print), (_wasmbox.call_interruptible, print), ("x" * 10**6, b"\\0" * 10**6), (compile("1", "x", "exec"), {})):\n    try: f(*args)\n    except BaseException: pass`,
    HARMLESS,
    SPOILS,
  ),
  python(
    "operations that the host does not offer",
    `import _wasmbox\ngained = []\nfor name in ("", "echo", "read_file", "__proto__", "constructor", "x" * 10**6, "\\0"):\n  for request in (b"{}", b"null", b"[" * 10**5, b"\\xff", b"x" * 10**7):\n    try: gained.append(_wasmbox.host_call(name, request))\n    except (OSError, MemoryError): pass\ngained`,
    GAINS_NOTHING,
    { timeout: 60 },
  ),
  survives(
    "the glue's run replaced by an answer of one's own",
    `import _wasmbox_glue as g\ng.run = lambda *a: '{"status":"completed","result":7}'`.replace(
      "completed",
      "stopped",
    ),
  ),
  survives(
    "the glue's answer replaced by a novel",
    `import _wasmbox_glue as g\ng.run = lambda *a: '"' + 'x' * 3 * 10**7 + '"'`,
  ),
  survives(
    "a tracer for the next run",
    `import sys, threading\ndef t(*a): raise SystemExit(0)\nsys.settrace(t); sys.setprofile(t); threading.settrace(t)`,
  ),
  survives(
    "an exit at the end",
    `import atexit, weakref, gc\natexit.register(lambda: 1 / 0)\ngc.callbacks.append(lambda *a: 1 / 0)`,
  ),
  survives(
    "no builtins",
    `import builtins\nfor name in ("repr", "isinstance", "len", "type", "str", "BaseException", "KeyError"):\n  if name != "KeyError": setattr(builtins, name, None)`,
  ),
  survives(
    "no modules",
    `import sys\nsys.modules.clear(); sys.meta_path.clear(); sys.path_hooks.clear(); sys.path.clear()`,
  ),
  survives(
    "another __main__",
    `import sys, types\nsys.modules["__main__"] = types.ModuleType("__main__")\nglobals().clear()`,
  ),
  survives(
    "no streams",
    `import sys, os\nsys.stdout.detach(); sys.stderr.close(); del sys.stdin, sys.stdout, sys.stderr\nfor fd in (0, 1, 2): os.close(fd)`,
  ),
  survives("a recursion limit of nothing", `import sys\nsys.setrecursionlimit(30)`),
  survives(
    "a heap without room",
    `hoard = []\ntry:\n  n = 2**26\n  while n > 64:\n    try: hoard.append(bytearray(n))\n    except MemoryError: n //= 2\nexcept BaseException: pass`,
  ),
  survives(
    "a broken traceback",
    `import traceback, linecache\ntraceback.TracebackException.__init__ = None\nlinecache.cache = None\nlinecache.getline = None`,
  ),
]);
