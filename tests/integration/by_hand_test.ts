/** `wasmbox run` and `wasmbox repl`: a sandbox for a person, by real processes. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { programCommand, runProgram } from "../support/program.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, fn);
}

/** A directory with files, as the working directory of the program. */
async function inFiles(
  files: Readonly<Record<string, string>>,
  use: (cwd: string) => Promise<void>,
): Promise<void> {
  const cwd = await Deno.makeTempDir({ prefix: "wasmbox-run-" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${cwd}/${name}`, text);
    await use(cwd);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

const PROGRAMS = {
  "a b.py": `"""A docstring."""
from __future__ import annotations
import sys
print(sys.argv, __name__, __file__, "a\\tb", '"""')
print("warned", file=sys.stderr)
6 * 7
if len(sys.argv) > 2: sys.exit(9)
`,
  "fails.py": `def broken():
    raise ValueError("no")

broken()
`,
  "wants.py": "import numpy, os\nprint(numpy.arange(3).sum(), os.path.exists('/app/wants.py'))\n",
  "module.mjs": `import { basename } from "node:path";
console.log(process.argv.slice(2), basename("/x/y"));
process.exit(3);
`,
  "common.js": `const path = require("node:path");
console.log(path.basename(__filename), process.argv[2]);
setTimeout(() => console.log("later"), 20);
`,
  "typed.ts": `const words: string[] = process.argv.slice(2);
console.log(words.length satisfies number);
throw new TypeError("on purpose");
`,
  "script.sh": 'echo "$#: $1"; cd /tmp; exit 4\n',
};

test("a file runs as its interpreter would run it: arguments, output, exit code, traceback", () =>
  inFiles(PROGRAMS, async (cwd) => {
    const run = (...args: string[]) => runProgram(["run", ...args], { cwd });
    const python = await run("a b.py", "--json", "2 'x'");
    assert.deepEqual(python, {
      code: 9,
      out: `['/app/a b.py', '--json', "2 'x'"] __main__ /app/a b.py a\tb """\n`,
      err: "warned\n",
    });
    const failed = await run("fails.py");
    assert.deepEqual([failed.code, failed.out], [1, ""]);
    assert.match(
      failed.err,
      /^Traceback \(most recent call last\):\n {2}File "\/app\/fails\.py", line 4, in <module>\n {4}broken\(\)\n/,
    );
    assert.match(failed.err, /\nValueError: no\n$/);
    assert.deepEqual(await run("module.mjs", "a"), { code: 3, out: "[ 'a' ] y\n", err: "" });
    assert.deepEqual(await run("common.js", "a"), { code: 0, out: "common.js a\nlater\n", err: "" });
    const typed = await run("typed.ts", "a", "b");
    assert.deepEqual([typed.code, typed.out], [1, "2\n"]);
    assert.match(typed.err, /^TypeError: on purpose\n {4}at .*\/app\/typed\.ts:3/);
    assert.deepEqual(await run("script.sh", "it's"), { code: 4, out: "1: it's\n", err: "" });
  }));

test("code of the command line and of standard input is run, in the language that is named", async () => {
  const python = await runProgram(["run", "-c", "import sys; print(sys.argv)", "a", "-b"]);
  assert.deepEqual(python, { code: 0, out: "['-c', 'a', '-b']\n", err: "" });
  assert.equal(
    (await runProgram(["run", "--language", "js", "-c", "console.log(1 / 3)"])).out,
    "0.3333333333333333\n",
  );
  assert.equal(
    (await runProgram(["run", "-", "x"], { input: "import sys\nprint(sys.argv[1:])" })).out,
    "['x']\n",
  );
});

test("a program reads what is piped into it, and its end", async () => {
  const input = "Ann\nb\nc";
  const python =
    "print(input('name? '), input())\nimport sys; print(repr(sys.stdin.read()), sys.stdin.read())";
  assert.deepEqual(await runProgram(["run", "-c", python], { input }), {
    code: 0,
    out: "name? Ann b\n'c' \n",
    err: "",
  });
  const javascript = "console.log(require('fs').readFileSync(0, 'utf8').split('\\n').length)";
  assert.equal((await runProgram(["run", "--language", "js", "-c", javascript], { input })).out, "3\n");
  const many = "import sys; print(sum(1 for _ in sys.stdin))";
  assert.equal((await runProgram(["run", "-c", many], { input: "line\n".repeat(100_000) })).out, "100000\n");
});

test("a program that waits for input in vain ends with its time, and one that asks for none waits for none", async () => {
  const { command, args } = programCommand();
  const ended = async (...more: string[]) => {
    const child = new Deno.Command(command, { args: [...args, "run", ...more], stdin: "piped" }).spawn();
    const { code } = await child.status; // nothing is written, and nothing closed
    await child.stdin.close();
    return code;
  };
  assert.equal(await ended("--timeout", "1", "-c", "input()"), 124);
  assert.equal(await ended("-c", "raise SystemExit(3)"), 3);
});

test("what the program can't keep is told of, and a directory that is mapped in keeps it", () =>
  inFiles({}, async (cwd) => {
    const gone = await runProgram(["run", "-c", "open('/app/a.txt', 'w').write('x')"]);
    assert.match(gone.err, /^wasmbox: gone with the session: a\.txt\. .*--volume DIRECTORY:\/data\/NAME:rw/);
    const write = "open('/data/out/a.txt', 'w').write('kept')";
    const kept = await runProgram(["run", "--volume", `${cwd}:/data/out:rw`, "-c", write]);
    assert.deepEqual(kept, { code: 0, out: "", err: "" });
    assert.equal(await Deno.readTextFile(`${cwd}/a.txt`), "kept");
  }));

test("numpy is there, and long output arrives whole, also where its reader goes early", async () => {
  const sum = await runProgram(["run", "-c", "import numpy; print(numpy.arange(4).sum())"]);
  assert.deepEqual([sum.out, sum.err], ["6\n", ""]);
  const { out } = await runProgram(["run", "-c", "for i in range(300_000): print(i)"]);
  assert.equal(out.length, 1_988_890);
  assert.match(out, /\n299999\n$/);
});

test("a time-out ends it with 124, and a file that is not there or of no language with 2", async () => {
  const late = await runProgram(["run", "--timeout", "1", "-c", "while True: pass"]);
  assert.equal(late.code, 124);
  assert.match(late.err, /stopped after 1 s/);
  const absent = await runProgram(["run", "not-there.py"]);
  assert.deepEqual([absent.code, absent.err], [
    2,
    "wasmbox: can't read not-there.py: No such file or directory\n",
  ]);
  await inFiles({ "data.bin": "1" }, async (cwd) => {
    assert.match((await runProgram(["run", "data.bin"], { cwd })).err, /say --language NAME/);
  });
});

test("an interrupt stops the program, which sees it as one, and not the sandbox under it", async () => {
  const { command, args } = programCommand();
  const code =
    "import time\ntry:\n  print('begun', flush=True)\n  while True: time.sleep(0.01)\nfinally:\n  print('tidied')";
  // In a group of its own, as a terminal has it: the interrupt reaches the executor too.
  const child = new Deno.Command("setsid", {
    args: ["--wait", command, ...args, "run", "-c", code],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let out = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    const before = out;
    out += decoder.decode(bytes);
    if (!before.includes("begun") && out.includes("begun")) {
      const { stdout } = await new Deno.Command("ps", { args: ["-o", "pgid=", "--ppid", String(child.pid)] })
        .output();
      const group = decoder.decode(stdout).trim().split("\n")[0]?.trim() || String(child.pid);
      await new Deno.Command("kill", { args: ["-INT", "--", `-${group}`] }).output();
    }
  }
  const { code: exit } = await child.status;
  const said = await new Response(child.stderr).text();
  assert.deepEqual([exit, out], [130, "begun\ntidied\n"], said);
});

test("a conversation goes on in three languages, with one session's files and variables", async () => {
  const { code, out, err } = await runProgram(["repl"], {
    input: `x = 40
x + 2
def double(n):
  return n * 2

double(x)
share("x", [1,
2])
:js
const o = {
  a: shared("x"),
}
o
:ts const n: number = 5; n
:sh
cat > note.txt <<END
from the shell
END
for i in 1 2; do
echo $i
done
:py open("note.txt").read()
:py 1 / 0
:files
:nothing
exit()
x
`,
  });
  assert.equal(code, 0);
  assert.equal(out, "42\n80\n{ a: [ 1, 2 ] }\n5\n1\n2\n'from the shell\\n'\nnote.txt  15\n");
  assert.match(err, /^Traceback .*\n[^]*ZeroDivisionError: division by zero\n/);
  assert.match(err, /wasmbox: there is no :nothing; :help tells what there is\n$/);
});

test("a configuration with mistakes is told of, and nothing is run", async () => {
  const { code, out, err } = await runProgram(["run", "-c", "print(1)"], {
    env: { WASMBOX_POLICY_TIMEOUT_SECONDS: "x" },
  });
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /WASMBOX_POLICY_TIMEOUT_SECONDS = "x" is invalid/);
});
