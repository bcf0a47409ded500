import { deepEqual, equal, match, ok } from "node:assert/strict";
import { errorOf, type Result, Session } from "../../../support/python_harness.ts";

const messageOf = (outcome: Result) => errorOf(outcome)?.message ?? outcome.status;

Deno.test("magics without an effect here do not keep a program from running", async () => {
  const python = new Session();
  equal(await python.value("%matplotlib inline\n%load_ext autoreload\n%autoreload 2\nx = 1\nx + 1"), "2");
});

Deno.test("valid Python is never changed, whatever its lines begin with", async () => {
  const python = new Session();
  equal(await python.value('s = """\n!ls\n%pwd\nx?\n"""\ns'), "'\\n!ls\\n%pwd\\nx?\\n'");
  equal(await python.value("a, b = 7, 4\nc = (a\n%b)\nc"), "3");
  equal(await python.value("a = 7 \\\n%4\na"), "3");
});

Deno.test("strings and brackets keep their lines in a program that has magics as well", async () => {
  const python = new Session();
  const code = [
    "%matplotlib inline",
    "s = '''it's",
    "!not a command # '''",
    "t = [1, # (",
    '  "[", f"{s[0]}", r"\\""',
    "]",
    'u = {\'a\': """',
    "%time",
    '"""}',
    "where = %pwd",
    "s, len(t), u, where",
  ].join("\n");
  equal(
    await python.value(code),
    `("it's\\n!not a command # ", 4, {'a': '\\n%time\\n'}, '/app')`,
  );
});

Deno.test("a line that goes on after a backslash is one magic", async () => {
  const python = new Session();
  equal(await python.value("%time x = 1 + \\\n  2\nx"), "3");
  equal(await python.value("%time y = 1 + \\\r\n  3\r\ny"), "4", "with line ends of another system too");
});

Deno.test("errors in programs with magics are at the program's own lines", async () => {
  const python = new Session();
  const syntax = await python.run("%matplotlib inline\n\nx = = 2");
  equal(
    errorOf(syntax)?.traceback,
    '  File "<execution 1>", line 3\n    x = = 2\n        ^\nSyntaxError: invalid syntax\n',
  );
  const raised = await python.run("%matplotlib inline\nif True:\n    %time 1 / 0");
  match(errorOf(raised)!.traceback, /File "<execution 2>", line 3, in <module>\n {4}%time 1 \/ 0\n/);
  match(errorOf(raised)!.traceback, /ZeroDivisionError: division by zero\n$/);
});

Deno.test("a magic that there is not is an error before anything has run, and names those that there are", async () => {
  const python = new Session();
  const line = await python.run("print('ran')\n%hsitory");
  equal(line.stdout, "");
  match(
    messageOf(line),
    /^there is no %hsitory here\. There are: .*%pwd, .*%timeit.* \(<execution 1>, line 2\)$/,
  );
  match(
    messageOf(await python.run("%%perl\nprint 1")),
    /there is no %%perl here\. There are: %%HTML, .*%%bash, /,
  );
  match(messageOf(await python.run("x = 1\n%%time\nx")), /must stand on the program's first line/);
});

Deno.test("%time and %timeit run what they are given and say how long that took", async () => {
  const python = new Session();
  const timed = await python.run("n = 5\n%time sum(range(n))");
  deepEqual([timed.status, timed.status === "completed" && timed.result], ["completed", "10"]);
  match(timed.stdout, /^CPU times: total: [\d.]+ (s|ms|µs|ns)\nWall time: [\d.]+ (s|ms|µs|ns)\n$/);
  equal(
    await python.value("def f(k):\n    %time m = k * 2\n    return k\nf(3)"),
    "3",
    "what is local is seen",
  );
  const cell = await python.run("%%time\ny = n + 1\ny");
  deepEqual([cell.status === "completed" && cell.result, await python.value("y")], ["6", "6"]);
  match(cell.stdout, /^CPU times: .*\nWall time: .*\n$/);
  const loops = await python.run("%timeit -n 10 -r 2 sum(range(n))");
  match(
    loops.stdout,
    /^[\d.e+]+ \S+ ± [\d.e+]+ \S+ per loop \(mean ± std\. dev\. of 2 runs, 10 loops each\)\n$/,
  );
  match((await python.run("%%timeit -n 1 -r 1 k = n\nk += 1")).stdout, /1 run, 1 loop each/);
});

Deno.test("%%writefile writes the rest of the program, and %run runs a file", async () => {
  const python = new Session();
  const body = "import sys\n\nz = (__name__, sys.argv)\nprint('!not a command')\n";
  equal((await python.run(`%%writefile made.py\n${body}`)).stdout, "Writing made.py\n");
  equal((await python.run("print(open('made.py').read(), end='')")).stdout, body);
  equal((await python.run("%run made.py one 'two three'")).stdout, "!not a command\n");
  equal(await python.value("z"), "('__main__', ['made.py', 'one', 'two three'])");
});

Deno.test("%%capture keeps what is printed, and the result, out of the reply", async () => {
  const python = new Session();
  const hidden = await python.run("%%capture out\nprint('text')\n5");
  deepEqual([hidden.stdout, hidden.status === "completed" && hidden.result], ["", null]);
  equal(await python.value("out.stdout"), "'text\\n'");
});

Deno.test("directories and the environment are what magics make them", async () => {
  const python = new Session();
  equal((await python.run("import os\nos.mkdir('d')\n%cd d")).stdout, "/app/d\n");
  equal(await python.value("%pwd"), "'/app/d'");
  equal((await python.run("%cd -")).stdout, "/app\n");
  equal((await python.run("%env KEY=a value")).stdout, "env: KEY=a value\n");
  equal(await python.value("os.environ['KEY']"), "'a value'");
  equal((await python.run("%who")).stdout, "os\n");
});

Deno.test("a name with a question mark is explained", async () => {
  equal((await new Session().run("def f(): pass\nf??")).stdout, "def f(): pass\n");
  match(
    (await new Session().run("len?")).stdout,
    /^Signature: len\(obj, \/\)\n[^]*Return the number of items/,
  );
});

Deno.test("a command of the shell is refused where there is none, and the program can go on", async () => {
  const python = new Session();
  match(messageOf(await python.run("x = 1\n!ls")), /use execute_code with language="shell"$/);
  equal(await python.value("try:\n    !ls\nexcept OSError:\n    x += 1\nx"), "2");
  const inside = await python.run("def f():\n    !ls");
  match(messageOf(inside), /can't run inside a function.*\(<execution 3>, line 2\)$/);
  match(
    messageOf(await python.run("import asyncio\n!ls\nawait asyncio.sleep(0)")),
    /both await .* and run shell/,
  );
});

Deno.test("_, __ and ___ are the last results, unless the program has such variables", async () => {
  const python = new Session();
  for (const code of ["1", "x = 5", "'two'", "None", "[3]"]) await python.run(code);
  equal(await python.value("(_, __, ___)"), "([3], 'two', 1)");
  await python.run("_ = 'mine'\n4");
  await python.run("5");
  equal(await python.value("_"), "'mine'");
  const other = new Session();
  await other.run("for _ in range(3): pass\n'x'");
  equal(await other.value("_"), "2");
});

Deno.test("results are let go of after three more, and when memory runs out", async () => {
  const python = new Session({ memoryBytes: 128 * 1024 * 1024 });
  await python.run("import weakref\nclass Big: pass\nb = Big(); r = weakref.ref(b)");
  await python.run("b");
  await python.run("del b");
  equal(await python.value("r() is None"), "False");
  for (const code of ["1", "2", "3"]) await python.run(code);
  equal(await python.value("r() is None"), "True");
  await python.run("bytearray(50_000_000)");
  equal((await python.run("bytearray(90_000_000)")).status, "out_of_memory");
  // Beside what was held, two of them would have room.
  equal((await python.run("x = [bytearray(25_000_000) for _ in range(3)]")).status, "completed");
});

Deno.test("IPython's objects are shown as what they are", async () => {
  const shown: string[] = [];
  const python = new Session({
    hostCall: (operation, request, bytes) => {
      const { mime, source } = JSON.parse(new TextDecoder().decode(request));
      shown.push(`${operation} ${source} ${mime} ${new TextDecoder().decode(bytes)}`);
      return { json: new TextEncoder().encode("null"), bytes: new Uint8Array(0) };
    },
  });
  const code = `
from IPython.display import HTML, JSON, Latex, Markdown, clear_output, display
display(HTML("<b>x</b>"), Markdown("# x"))
display(JSON({"a": 1}))
clear_output(wait=True)
handle = display(Latex("$x$"), display_id=True)
handle.update(HTML("new"))
HTML("last")`;
  match((await python.value(code))!, /IPython\.display\.HTML object/);
  deepEqual(shown, [
    "display display text/html <b>x</b>",
    "display display text/markdown # x",
    'display display application/json {"a": 1}',
    "display display text/markdown $x$",
    "display display text/html new",
    "display result text/html last",
  ]);
  match(messageOf(await python.run("from IPython.display import Audio\nAudio([1])")), /no sound/);
  match(
    messageOf(await python.run("from IPython.display import Image\nImage(url='http://x/y.png')")),
    /there is no network here/,
  );
});

Deno.test("get_ipython gives a session that runs magics and is neither a notebook nor a terminal", async () => {
  const python = new Session();
  equal(await python.value("get_ipython().run_line_magic('pwd', '')"), "'/app'");
  equal(
    await python.value(
      "from IPython import get_ipython\nip = get_ipython()\nx = 4\n(type(ip).__name__, ip.user_ns['x'], ip.config)",
    ),
    "('InteractiveShell', 4, {})",
  );
  match(messageOf(await python.run("ip.system('ls')")), /execute_code with language="shell"/);
});

Deno.test("a program has a place for files beside its own, and other sandboxes' names for it", async () => {
  const python = new Session({ env: { HOME: "/app" } });
  equal(await python.value("from pathlib import Path\nPath(__file__).parent"), "PosixPath('/app')");
  equal(await python.value("Path(__file__).exists()"), "False");
  const places = `
import os, tempfile
for place in ("/mnt/data", "/content", "/workspace", "/home/user", "~", tempfile.gettempdir()):
    path = os.path.join(os.path.expanduser(place), "f")
    with open(path, "a") as file: file.write(place)
open("/app/f").read()`;
  equal(await python.value(places), "'/mnt/data/content/workspace/home/user~'");
  equal(await python.value("Path.home()"), "PosixPath('/app')");
});

Deno.test("who asks for input is told that there is none", async () => {
  const python = new Session();
  const asked = await python.run("input('name? ')");
  equal(asked.stdout, "name? ");
  equal(
    errorOf(asked)?.traceback,
    `Traceback (most recent call last):
  File "<execution 1>", line 1, in <module>
    input('name? ')
    ~~~~~^^^^^^^^^^
EOFError: no input: nobody types while a program runs; pass values in the code or in a file
`,
  );
  match(messageOf(await python.run("import getpass\ngetpass.getpass()")), /^no input: /);
  equal(await python.value("import sys\nsys.stdin.read()"), "''");
  match(messageOf(await python.run("breakpoint()")), /no debugger/);
  match(messageOf(await python.run("import pdb\npdb.set_trace()")), /no debugger/);
});

Deno.test("what can't be had says so, where libraries still find that it is not there", async () => {
  const python = new Session();
  match(messageOf(await python.run("import tkinter")), /^No module named 'tkinter': there is no screen here/);
  match(messageOf(await python.run("import curses")), /^No module named 'curses': there is no terminal here/);
  match(
    await python.value(
      "try:\n    import turtle.x\nexcept ImportError as error:\n    told = str(error)\ntold",
    ) ?? "",
    /^"No module named 'turtle': there is no screen here[^.]*"$/,
  );
  equal(await python.value("import importlib.util\nimportlib.util.find_spec('turtle')"), null);
  match(messageOf(await python.run("import signal\nsignal.pause()")), /deadlock: nothing can end this wait/);
  match(
    messageOf(await python.run("import signal\nsignal.sigwait({2})")),
    /signal\.pause\(\) waits for those/,
  );
  equal(await python.value("hasattr(signal, 'sigwait')"), "False");
  const opened = await python.run("import webbrowser\nwebbrowser.open('chart.html')");
  equal(opened.stderr, "webbrowser: there is no browser here; not opened: chart.html\n");
});

Deno.test("programs as scripts have them run, and leave the session as it is", async () => {
  const python = new Session();
  const script = `
import argparse, sys
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=3)
    print(parser.parse_args().n)
if __name__ == "__main__":
    main()`;
  equal((await python.run(script)).stdout, "3\n");
  const test = `
import unittest
class Sums(unittest.TestCase):
    def test_right(self): self.assertEqual(1 + 1, 2)
    def test_wrong(self): self.assertEqual(1 + 1, 3)
`;
  const plain = await python.run(`${test}unittest.main()`);
  deepEqual([plain.status, plain.heap], ["exited", "kept"]);
  ok(plain.stderr.includes("AssertionError: 2 != 3") && plain.stderr.includes("Ran 2 tests"));
  const quiet = await python.run("unittest.main(argv=[''], exit=False)");
  equal(quiet.status, "completed");
  ok(quiet.stderr.includes("FAILED (failures=1)"));
});

Deno.test("objects are shown as somebody has told get_ipython's formatters to", async () => {
  const shown: string[] = [];
  const python = new Session({
    hostCall: (_operation, request, bytes) => {
      const { mime } = JSON.parse(new TextDecoder().decode(request));
      shown.push(`${mime} ${new TextDecoder().decode(bytes)}`);
      return { json: new TextEncoder().encode("null"), bytes: new Uint8Array(0) };
    },
  });
  await python.run(`
class Money:
    def __init__(self, cents): self.cents = cents
    def __repr__(self): return f"Money({self.cents})"
class Euro(Money): pass
formatters = get_ipython().display_formatter.formatters
formatters["text/plain"].for_type(Money, lambda money, printer, cycle: printer.text(f"{money.cents / 100:.2f}"))
formatters["text/html"].for_type(Euro, lambda money: f"<b>{money.cents}</b>")`);
  equal(await python.value("Money(150)"), "1.50");
  equal(await python.value("[Money(1)]"), "[Money(1)]");
  deepEqual(shown, []);
  equal(await python.value("Euro(150)"), "1.50");
  deepEqual(shown, ["text/html <b>150</b>"]);
});

Deno.test("a program that was cut out of a block runs, and shows its lines in an error", async () => {
  const session = new Session();
  equal(await session.value("\n    x = 1\n    if x:\n        x += 1\n\n    x"), "2");
  equal(await session.value("\tfor i in range(3):\n\t\tx += i\n\tx"), "5");
  equal(errorOf(await session.run("    x\n  y"))?.type, "IndentationError");
  match(
    errorOf(await session.run("  x = 1\n  1 / 0"))?.traceback ?? "",
    /line 2, in <module>\n\s+1 \/ 0/,
  );
});

/** The part of python-dotenv that looks for the file; the whole is an index's. */
const DOTENV = `
import os, sys
def find_dotenv(filename=".env", raise_error_if_not_found=False, usecwd=False):
    directory = os.getcwd()
    if not usecwd:
        frame = sys._getframe()
        while frame.f_code.co_filename == __file__ or not os.path.exists(frame.f_code.co_filename):
            assert frame.f_back is not None
            frame = frame.f_back
        directory = os.path.dirname(os.path.abspath(frame.f_code.co_filename))
    path = os.path.join(directory, filename)
    return path if os.path.exists(path) else ""
def load_dotenv():
    return find_dotenv()
`;

Deno.test("python-dotenv finds the .env of the working directory for a program, and a module's own for a module", async () => {
  const python = new Session();
  await python.value(
    `import os\nos.makedirs("dotenv"); os.makedirs("own")\nopen("dotenv/main.py", "w").write(${
      JSON.stringify(DOTENV)
    })\n` +
      `open("dotenv/__init__.py", "w").write("from .main import load_dotenv")\n` +
      `open("own/module.py", "w").write("from dotenv import load_dotenv\\nfound = load_dotenv()")\n` +
      `open(".env", "w").close(); open("own/.env", "w").close()`,
  );
  const found = await python.value(
    "from dotenv import load_dotenv\nimport own.module\nload_dotenv(), own.module.found",
  );
  equal(found, "('/app/.env', '/app/own/.env')");
});
