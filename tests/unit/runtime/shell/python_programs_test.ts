/** `python3` in the shell. */

import { deepEqual, equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

Deno.test("python runs code, files, modules and standard input, with arguments and exit codes", async () => {
  const shell = new Shell();
  for (
    const [script, printed] of [
      [`python3 -c 'import sys; print(sys.argv)' a 'b c'`, "['-c', 'a', 'b c']\n"],
      ["echo 'print(1 + 1)' | python3", "2\n"],
      ["echo 'print(2)' | python - x", "2\n"],
      ["printf 'a\\nb\\n' | python3 -c 'import sys; print(sys.stdin.read().split())'", "['a', 'b']\n"],
      [
        "mkdir -p lib; echo 'N = 7' > lib/m.py; echo 'import m, sys; print(m.N, sys.argv[1], __name__)' > lib/x.py; " +
        "python3 lib/x.py z",
        "7 z __main__\n",
      ],
      [`echo '{"a":1}' | python3 -m json.tool --compact`, '{"a":1}\n'],
      [
        "export V=hi; cd /tmp; python3 -c 'import os; print(os.environ[\"V\"], os.getcwd())'; cd /app",
        "hi /tmp\n",
      ],
    ] as const
  ) equal(await shell.out(script), printed);
  equal((await shell.run("python3 -c 'import sys; sys.exit(5)'")).exitCode, 5);
  const failed = await shell.run("python3 -c '1/0'");
  equal(failed.exitCode, 1);
  match(failed.stderr, /Traceback[^]*<string>", line 1[^]*ZeroDivisionError/);
  equal((await shell.run("python3 -c 'raise KeyboardInterrupt'")).exitCode, 130);
  equal((await shell.run("python3 nope.py")).exitCode, 2);
  equal((await shell.run("y=1; python3 -c 'print(y)'")).exitCode, 1);
  match(await shell.out("python3 -V"), /^Python 3\.\d+\.\d+\n$/);
  const absent = await shell.run("python3 -m nope");
  deepEqual([absent.exitCode, absent.stderr], [1, "/usr/bin/python3: No module named nope\n"]);
});

Deno.test("options and variables of python3 say what they say elsewhere", async () => {
  const shell = new Shell();
  const DEBUG = "import sys; print(__debug__, sys.flags.optimize)";
  const WARNS = "import warnings; warnings.warn(chr(120)); print(1)";
  await shell.out(`cat >m.py <<'PY'
no Python
import sys; assert len(sys.argv) > 2; print(sys.argv)
PY
mkdir lib; echo 'name = "found"' >lib/helper.py`);
  for (
    const [script, printed] of [
      ["python3 -c 'assert False' 2>/dev/null; echo $?", "1\n"],
      ["python3 -O -c 'assert False'; echo $?", "0\n"],
      [`python3 -OO -c '${DEBUG}'; PYTHONOPTIMIZE=1 python3 -c '${DEBUG}'`, "False 2\nFalse 1\n"],
      [`PYTHONOPTIMIZE=1 python3 -Ec '${DEBUG}'`, "True 0\n"],
      ["python3 -uxO m.py a", "['m.py', 'a']\n"],
      [`python3 -W ignore -c '${WARNS}' 2>&1`, "1\n"],
      [`python3 -Werror -c '${WARNS}' 2>&1 | tail -1`, "UserWarning: x\n"],
      [`PYTHONWARNINGS=error python3 -c '${WARNS}' 2>&1 | tail -1`, "UserWarning: x\n"],
      [`PYTHONWARNINGS=error python3 -W ignore -c '${WARNS}' 2>&1`, "1\n"],
      [
        'python3 -bb -c \'b"a" == "a"\' 2>&1 | tail -1',
        "BytesWarning: Comparison between bytes and string\n",
      ],
      [
        "python3 -X dev -X a=b -c 'import sys; print(sys.flags.dev_mode, sys._xoptions)'",
        "True {'dev': True, 'a': 'b'}\n",
      ],
      ["PYTHONPATH=lib:/x python3 -c 'import helper; print(helper.name)'", "found\n"],
      [
        "mkdir -p /tmp/other; echo 'name = 1' | tee sched.py > only_here.py; cd /tmp/other; " +
        "python3 -c 'import only_here, sched; print(only_here.name, sched.scheduler.__name__)'; cd /app; " +
        "python3 -c 'import sched; print(sched.name)'; rm sched.py",
        "1 scheduler\n1\n",
      ],
      [
        "cd lib; python3 -c 'import helper'; python3 -Pc 'import helper' 2>&1 | tail -1 | cut -c1-19; cd ..",
        "ModuleNotFoundError\n",
      ],
      ["echo 'print(2)' | python3 -m_nope - 2>&1; true", "/usr/bin/python3: No module named _nope\n"],
      ["echo 'print(__name__)' | python3 -Bs -", "__main__\n"],
      [
        "python3 missing.py 2>&1; true",
        "python3: can't open file '/app/missing.py': [Errno 2] No such file or directory\n",
      ],
    ] as const
  ) equal(await shell.out(script), printed, script);
  equal((await shell.run("python3 -Z")).exitCode, 2);
  const app =
    "mkdir app; echo 'import sys; print(__name__, sys.argv)' >app/__main__.py; python3 app a; python3 -m app b";
  equal(await shell.out(app), "__main__ ['app', 'a']\n__main__ ['/app/app/__main__.py', 'b']\n");
  equal(
    await shell.out("python3 -m zipapp app -o a.pyz -p python3; python3 a.pyz c"),
    "__main__ ['a.pyz', 'c']\n",
  );
  match(await shell.out("python3 -m http.server --help"), /^usage: server\.py /);
});

Deno.test("a program is read in the encoding that it says it is in, and refused in any other", async () => {
  const shell = new Shell();
  await shell.out(String.raw`cat >latin.py <<'PY'
# -*- coding: latin-1 -*-
import json
print('ä', len('äö'))
assert 1 > 2, r'ö\n"'
PY
cat >cp437.py <<'PY'
# coding: cp437
print(ascii('¢'))
PY
printf 'import os\n\n# coding: latin-1\nprint("ä")\n' >third.py
printf 'print(1)\nx = "\xe4"\n' >none.py
printf '# coding: nosuch\nprint(1)\n' >unknown.py
cat >encode.py <<'PY'
from pathlib import Path
for path in map(Path, ("latin.py", "cp437.py")):
    path.write_bytes(path.read_text().encode(path.stem))
Path("syntax.py").write_bytes("# coding: latin-1\nreturn 'ä'\n".encode("latin-1"))
PY
python3 encode.py`);
  const latin = await shell.run("python3 latin.py");
  deepEqual([latin.exitCode, latin.stdout], [1, "ä 2\n"]);
  equal(
    latin.stderr,
    String.raw`Traceback (most recent call last):
  File "/app/latin.py", line 4, in <module>
    assert 1 > 2, r'ö\n"'
           ^^^^^
AssertionError: ö\n"
`,
  );
  equal(await shell.out("python3 cp437.py; python3 < cp437.py; python3 third.py"), "'\\xa2'\n'\\xa2'\nä\n");
  match((await shell.run("python3 syntax.py")).stderr, /line 2\n {4}return 'ä'\n {4}\^+\nSyntaxError/);
  const none = await shell.run("python3 none.py");
  deepEqual([none.exitCode, none.stdout], [1, ""]);
  match(none.stderr, /SyntaxError: .*utf-8.* 0xe4 /);
  const unknown = await shell.run("python3 unknown.py");
  deepEqual([unknown.exitCode, unknown.stdout], [1, ""]);
  match(unknown.stderr, /SyntaxError: .*nosuch/);
});

Deno.test("a module that -m runs fails with the traceback that it has elsewhere", async () => {
  const shell = new Shell();
  const { stderr } = await shell.run("echo '1 / 0' >fails.py; python3 -m fails");
  match(
    stderr,
    /^Traceback \(most recent call last\):\n {2}File "<frozen runpy>"[^]*fails\.py", line 1[^]*ZeroDivision/,
  );
});

Deno.test("a process of python ends as elsewhere: atexit's functions, finalizers, files that nobody has closed", async () => {
  const shell = new Shell();
  const program = `import atexit, sys
class Thing:
    def __del__(self): print("finalizer")
thing, atexit_said = Thing(), atexit.register(print, "atexit")
file = open("kept", "w"); file.write("written")
print("end")
`;
  await shell.out(`cat >ends.py <<'PY'\n${program}PY`);
  equal(await shell.out("python3 ends.py; cat kept"), "end\natexit\nfinalizer\nwritten");
  const failed = await shell.run("(cat ends.py; echo 'sys.exit(4)') >exits.py; python3 exits.py");
  deepEqual([failed.exitCode, failed.stdout], [4, "end\natexit\nfinalizer\n"]);
  const raised = await shell.run("(cat ends.py; echo '1 / 0') >raises.py; python3 raises.py");
  deepEqual([raised.exitCode, raised.stdout], [1, "end\natexit\nfinalizer\n"]);
});

Deno.test("a finalizer at a process's end finds the program's modules, functions and data", async () => {
  const shell = new Shell();
  await shell.out(`cat >helper.py <<'PY'
class Connection:
    def __del__(self): print("closed")
connection = Connection()
PY
cat >program.py <<'PY'
import helper, os
NAMES, LIMIT = [], 5
def tell(name): print(name, os.path.basename("/a/b"), LIMIT)
class Thing:
    def __init__(self, name): self.name = name
    def __del__(self):
        NAMES.append(self.name)
        tell(NAMES)
one = Thing("one")
others = [Thing("other")]
two = Thing("two")
PY`);
  equal(
    await shell.out("python3 program.py 2>&1 | sort"),
    "['one', 'other', 'two'] b 5\n['one', 'other'] b 5\n['one'] b 5\nclosed\n",
  );
});

Deno.test("a program's own modules go before the library's of the same names, whatever the image has imported", async () => {
  const shell = new Shell();
  await shell.out(`mkdir -p own/json elsewhere
echo 'def mean(numbers): return "own"' >own/statistics.py
echo 'name = "own json"' >own/json/__init__.py
echo 'x = 1' >own/queue.txt
echo 'import statistics, json, queue, logging; print(statistics.mean([1, 2]), json.name, queue.Queue.__name__)' >own/run.py`);
  const own = "own own json Queue\n";
  equal(
    await shell.out("python3 own/run.py; cd own; python3 -m run; python3 -c 'import run'; cd .."),
    own.repeat(3),
  );
  equal(await shell.out("PYTHONPATH=own python3 -c 'import run'"), own);
  equal(await shell.out("python3 -c 'import statistics; print(statistics.mean([1, 2]))'"), "1.5\n");
});

Deno.test("sys.excepthook tells of what nobody has caught, in the place of the interpreter", async () => {
  const shell = new Shell();
  const hook =
    "import sys; sys.excepthook = lambda kind, error, entry: print('HOOK', kind.__name__, error, entry.tb_lineno)";
  shell.write({
    "own.py": `${hook}\nprint(1)\n1/0`,
    "bad.py":
      "import sys\ndef hook(*_): raise ValueError('of the hook')\nsys.excepthook = hook\nraise KeyError('own')",
    "ends.py": "import sys\nsys.excepthook = lambda *_: sys.exit(7)\n1/0",
    "reset.py": `${hook}\nsys.excepthook = sys.__excepthook__\n1/0`,
  });
  const own = await shell.run("python3 own.py");
  deepEqual([own.stdout, own.stderr, own.exitCode], [
    "1\nHOOK ZeroDivisionError division by zero 3\n",
    "",
    1,
  ]);
  const bad = await shell.run("python3 bad.py");
  match(
    bad.stderr,
    /^Error in sys\.excepthook:\n[^]*ValueError: of the hook\n\nOriginal exception was:\n[^]*KeyError: 'own'\n$/,
  );
  equal((await shell.run("python3 ends.py")).exitCode, 7);
  match((await shell.run("python3 reset.py")).stderr, /^Traceback[^]*ZeroDivisionError/);
});
