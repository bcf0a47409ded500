/** Python's subprocess, os.system and os.popen: commands of the session's shell. */

import assert from "node:assert/strict";
import { type Reply, UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

let sessions = 0;

async function inSession(
  ...programs: (string | [string, Readonly<Record<string, unknown>>])[]
): Promise<Reply> {
  const server = await sharedServer();
  const session_id = `subprocess_${++sessions}`;
  let reply: Reply | undefined;
  for (const program of programs) {
    const [code, more] = typeof program === "string" ? [program, {}] : program;
    reply = await server.python(code, { session_id, ...more });
  }
  await server.call("destroy_session", { session_id });
  return reply!;
}

/** What programs are wont to do with processes, and what it comes to on any system. */
const EXPECTED: Readonly<Record<string, string>> = {
  'subprocess.check_output("echo hi | tr a-z A-Z", shell=True)': "b'HI\\n'",
  'subprocess.run([sys.executable, "-c", "import sys; print(sys.stdin.read(), sys.argv[1:])", "a b"], input="x", capture_output=True, text=True).stdout':
    "\"x ['a b']\\n\"",
  'raised(subprocess.run, ["nope", "x"])': "('FileNotFoundError', 'nope')",
  'raised(subprocess.run, ["ls"], cwd="nowhere")[0]': "'FileNotFoundError'",
  'raised(subprocess.check_call, "exit 3", shell=True)[0]': "'CalledProcessError'",
  'raised(subprocess.run, ["ls"], stdout=subprocess.STDOUT)[0]': "'ValueError'",
  'raised(subprocess.run, ["ls"], env={"A=B": "c"})[0], raised(subprocess.run, ["ls"], env={"A": "\\0"})[0]':
    "('ValueError', 'ValueError')",
  'raised(subprocess.run, "sleep 9", shell=True, timeout=0.2)[0]': "'TimeoutExpired'",
  'raised(subprocess.check_output, ["sleep", "9"], timeout=0.2)[0]': "'TimeoutExpired'",
  'os.system("exit 2"), os.waitstatus_to_exitcode(os.system("exit 2"))': "(512, 2)",
  'os.popen("echo a; echo b").readlines()': "['a\\n', 'b\\n']",
  'os.popen("exit 3").close()': "768",
  'subprocess.getstatusoutput("echo x; echo y >&2; false")': "(1, 'x\\ny')",
  // What is written to both as one is there in the order in which it was written.
  'subprocess.run([sys.executable, "-uc", "import sys; print(1); print(2, file=sys.stderr); print(3)"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout':
    "b'1\\n2\\n3\\n'",
  "subprocess.run(\"printf '\\\\000\\\\377'; echo e >&2\", shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout":
    "b'\\x00\\xffe\\n'",
  'subprocess.run("cat; echo no >&2", shell=True, input=bytes(range(256)), capture_output=True)':
    "CompletedProcess(args='cat; echo no >&2', returncode=0, stdout=" +
    "b'\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\\t\\n\\x0b\\x0c\\r\\x0e\\x0f",
  'subprocess.run("echo \\"$FOO\\"", shell=True, env=dict(os.environ, FOO="bar  baz"), capture_output=True, text=True).stdout':
    "'bar  baz\\n'",
  'talk("b\\na\\n")': "('a\\nb\\n', None, 0)",
  'lines("for i in 1 2; do echo $i; done")': "[b'1\\n', b'2\\n']",
  'into_file("echo to a file")': "'to a file\\n'",
  'script("#!/bin/bash\\necho script $1\\n")': "'script x\\n'",
  'os.path.basename(subprocess.check_output(["pwd"], cwd="/tmp", text=True))': "'tmp\\n'",
  'subprocess.run(["python3", "-c", "import subprocess as s; print(s.check_output(\'echo in\', shell=True))"], capture_output=True).stdout':
    "b\"b'in\\\\n'\\n\"",
  "pipeline()": "('a\\nb\\n', 0)",
  'printed("echo a; echo b >&2; sleep 9")': "(b'a\\n', b'b\\n')",
  'printed([sys.executable, "-c", "print(1)\\nwhile True: pass"], 5)': "(b'1\\n', None)",
  'into_closed_file("echo a; echo b >&2; echo c")': "'a\\nb\\nc\\n'",
  '[shutil.which(name) for name in ("ls", "python3", "nope", "cd", "/usr/bin/ls")]':
    "['/usr/bin/ls', '/usr/bin/python3', None, None, '/usr/bin/ls']",
  "talk_twice()": "['2\\n', '4\\n']",
  'subprocess.run("echo a", shell=True, timeout=float("inf"), capture_output=True).stdout': "b'a\\n'",
  'raised(__import__("_wasmbox").host_call, "shell.run", b"{", b"")[0]': "'OSError'",
  'terminated(["touch", "touched"])': "(-15, False)",
  "ended_late()": "[None, -15, None, -9]",
  'polled(["sleep", "0.3"])': "(None, 0)",
  'read_and_killed("echo x; sleep 1.5")': "('x\\n', -9)",
  'read_and_killed("echo x")': "('x\\n', 0)",
  'read_and_killed("echo x; sleep 100")': "('x\\n', -9)",
  'timed_out_and_ended(["sleep", "100"])': "(None, -15)",
  "served()": "(b'served', None, -15)",
  'subprocess.run("if then", shell=True, stderr=subprocess.PIPE).returncode': "2",
  '[subprocess.run(f"exit {code}", shell=True).returncode for code in (1, 126, 127, 128, 130, 137, 255)]':
    "[1, 126, 127, 128, 130, 137, 255]",
  'subprocess.run("nosuch", shell=True, stderr=-3).returncode, subprocess.run("kill -9 $$", shell=True).returncode':
    "(127, -9)",
  'subprocess.run(["bash"], input="set -e\\n[ -f /no ] && echo x\\necho done\\n", text=True, capture_output=True).stdout':
    "'done\\n'",
  "reader_that_leaves()": "-13",
  "read_when_there()": "(True, b'here\\n', b'')",
  "open_input()": "('x\\n', 0, 'got a\\n', 0)",
  "fed_by_thread()": "(300000, None, 0)",
  'raised(subprocess.run, ["echo", "a" * 200_000])': "('OSError', 'echo')",
  'subprocess.run(["env"], env={"A": "1"}, capture_output=True).stdout': "b'A=1\\n'",
  "orphan()": "(0, True, 0, 7)",
  'subprocess.run(["node", "-e", f"require(\'child_process\').execSync({NESTED!r}, {{stdio: \'inherit\'}})"], capture_output=True, text=True).stdout':
    "'deep\\n'",
  'subprocess.Popen(["touch", "touched"]).args, time.sleep(0.2), os.path.exists("touched")':
    "(['touch', 'touched'], None, True)",
  "asyncio.run(in_loop())":
    "[(b'hi\\n', b'', 0), (b'x', None, 3), (b'a\\nb\\n', None, 0), 'FileNotFoundError', ('late', -9), -15]",
};

const HELPERS = `
import asyncio, os, select, shutil, subprocess, sys, threading, time, urllib.request
def raised(function, *args, **options):
    try: function(*args, **options)
    except Exception as error: return type(error).__name__, getattr(error, "filename", None)
def talk(text):
    with subprocess.Popen(["sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        return *process.communicate(text), process.wait()
def lines(command):
    with subprocess.Popen(command, shell=True, stdout=subprocess.PIPE) as process: return list(process.stdout)
def into_file(command):
    with open("out.txt", "w") as file: subprocess.run(command, shell=True, stdout=file, check=True)
    return open("out.txt").read()
def script(text):
    with open("script.sh", "w") as file: file.write(text)
    os.chmod("script.sh", 0o755)
    return subprocess.run(["./script.sh", "x"], capture_output=True, text=True).stdout
def pipeline():
    first = subprocess.Popen(["printf", "b\\\\na\\\\n"], stdout=subprocess.PIPE)
    second = subprocess.Popen(["sort"], stdin=first.stdout, stdout=subprocess.PIPE, text=True)
    first.stdout.close()
    return second.communicate()[0], first.wait()
def printed(command, timeout=0.5):
    try: subprocess.run(command, shell=isinstance(command, str), capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired as error: return error.stdout, error.stderr
def into_closed_file(command):
    with open("out.txt", "w") as file:
        process = subprocess.Popen(command, shell=True, stdout=file, stderr=subprocess.STDOUT)
    process.wait()
    return open("out.txt").read()
def talk_twice():
    process, answers = subprocess.Popen(["bc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True), []
    for line in ("1+1\\n", "2+2\\n"):
        process.stdin.write(line)
        process.stdin.flush()
        answers.append(process.stdout.readline())
    return answers
def terminated(command):
    process = subprocess.Popen(command)
    process.terminate()
    return process.wait(), os.path.exists(command[-1])
def ended_late():
    """By a signal that comes before it would have ended elsewhere."""
    first, second = subprocess.Popen(["sleep", "0.5"]), subprocess.Popen(["sleep", "0.6"])
    time.sleep(0.1)
    first.terminate()
    found = [first.returncode, first.wait(), second.poll()]
    second.kill()
    return [*found, second.wait()]
def read_and_killed(command):
    process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, text=True, bufsize=1)
    line = process.stdout.readline()
    process.kill()
    return line, process.wait()
def timed_out_and_ended(command):
    process = subprocess.Popen(command)
    try: process.wait(timeout=0.2)
    except subprocess.TimeoutExpired: found = process.poll()
    process.terminate()
    return found, process.wait()
def polled(command):
    process = subprocess.Popen(command)
    first = process.poll()
    while process.poll() is None: time.sleep(0.1)
    return first, process.returncode
def served():
    open("served.txt", "w").write("served")
    server = subprocess.Popen([sys.executable, "-m", "http.server", "8765"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(100):
        time.sleep(0.1)
        try: text = urllib.request.urlopen("http://localhost:8765/served.txt").read()
        except OSError: continue
        break
    found = text, server.poll()
    server.terminate()
    return *found, server.wait()
def reader_that_leaves():
    first = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    subprocess.run(["head", "-1"], stdin=first.stdout, stdout=subprocess.DEVNULL)
    first.stdout.close()
    return first.wait()
def read_when_there():
    process = subprocess.Popen("sleep 0.1; echo here", shell=True, stdout=subprocess.PIPE)
    number = process.stdout.fileno()
    os.set_blocking(number, False)
    try: too_early = os.read(number, 100)
    except BlockingIOError: too_early = None
    while not select.select([number], [], [], 1)[0]: pass
    found = os.read(number, 100)
    process.wait()
    return too_early is None, found, os.read(number, 100)
def open_input():
    """Nobody ends what they could read."""
    one = subprocess.Popen(["bash", "-c", "echo x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    found = one.stdout.readline(), one.wait()
    open("reads.sh", "w").write("#!/bin/sh\\nls > /dev/null\\nread x\\necho got $x\\n")
    os.chmod("reads.sh", 0o755)
    other = subprocess.Popen(["./reads.sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    other.stdin.write("a\\n"); other.stdin.flush()
    return *found, other.stdout.readline(), other.wait()
def fed_by_thread():
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def feed(): process.stdin.write(b"x" * 300_000); process.stdin.close()
    thread = threading.Thread(target=feed)
    thread.start()
    return len(process.stdout.read()), thread.join(), process.wait()
def orphan():
    """What a process leaves is ended by its number."""
    process = subprocess.Popen("python3 -m http.server 8766 > /dev/null 2>&1 &", shell=True)
    code, curl = process.wait(), ["curl", "-s", "--retry", "9", "--retry-connrefused", "-o", "/dev/null", "localhost:8766"]
    reached = subprocess.run(curl).returncode == 0
    ended = subprocess.run(["pkill", "-f", "http.server 8766"]).returncode
    time.sleep(0.2)
    return code, reached, ended, subprocess.run(curl[:2] + curl[-1:]).returncode
NESTED = "python3 -c 'import subprocess; subprocess.run([\\"echo\\", \\"deep\\"])'"
async def in_loop():
    async def run(function, *args, given=None, **options):
        process = await function(*args, stdout=-1, **options)
        return *await process.communicate(given), process.returncode
    found = [await run(asyncio.create_subprocess_exec, "echo", "hi", stderr=-1)]
    found.append(await run(asyncio.create_subprocess_shell, "printf x; exit 3"))
    found.append(await run(asyncio.create_subprocess_exec, "sort", given=b"b\\na\\n", stdin=-1))
    try: await asyncio.create_subprocess_exec("nope")
    except FileNotFoundError as error: found.append(type(error).__name__)
    process = await asyncio.create_subprocess_exec("sleep", "9")
    try: await asyncio.wait_for(process.wait(), 0.1)
    except TimeoutError:
        process.kill()
        found.append(("late", await process.wait()))
    process = await asyncio.create_subprocess_exec("sleep", "9")
    process.terminate()
    return [*found, await process.wait()]
`;

Deno.test(`[${UNDER_TEST}] processes that programs start are commands of the shell, with all that they are given and give`, async () => {
  const expressions = Object.keys(EXPECTED);
  const code = `${HELPERS}\nfor each in ${JSON.stringify(expressions)}: print(repr(eval(each)))`;
  const { status, stdout, error } = await inSession(code);
  assert.equal(status, "completed", JSON.stringify(error));
  const printed = stdout.trimEnd().split("\n");
  assert.equal(printed.length, expressions.length, stdout);
  for (const [at, expression] of expressions.entries()) {
    const expected = EXPECTED[expression]!;
    assert.equal(printed[at]!.slice(0, expected.length), expected, expression);
  }
});

Deno.test(`[${UNDER_TEST}] what nobody reads of a process is shown, in order with what the program prints`, async () => {
  const { stdout, stderr } = await inSession(
    "import subprocess\nprint('a')\nsubprocess.run('echo b; echo c >&2', shell=True)\nprint('d')",
  );
  assert.deepEqual([stdout, stderr], ["a\nb\nd\n", "c\n"]);
});

Deno.test(`[${UNDER_TEST}] a process that nobody waits for has run at the end of the call`, async () => {
  const code = "import subprocess\nsubprocess.Popen('echo late', shell=True)\n" +
    "subprocess.Popen('touch touched', shell=True, stdout=subprocess.PIPE)\nprint('end')";
  const { stdout } = await inSession(code);
  assert.equal(stdout, "end\nlate\n");
  const { result } = await inSession(code, "import os\nos.path.exists('touched')");
  assert.equal(result, "True");
});

Deno.test(`[${UNDER_TEST}] pip's commands end as pip's do`, async () => {
  const commands = [
    "pip --version",
    "pip",
    "python3 -m pip list",
    "pip show six",
    "pip install --help",
    "pip freeze",
  ];
  const code = `import subprocess
[subprocess.run(each, shell=True, capture_output=True).returncode for each in ${
    JSON.stringify([...commands, "pip show nope", "pip nope", "python3 -m ensurepip"])
  }]`;
  assert.equal((await inSession(code)).result, "[0, 0, 0, 0, 0, 0, 1, 1, 1]");
});

Deno.test(`[${UNDER_TEST}] what a program printed before the shell that runs it is stopped is shown`, async () => {
  const server = await sharedServer();
  const script = "echo a; python3 -c 'print(\"b\")\nwhile True: pass'";
  const { status, stdout } = await server.run("shell", script, { timeout: 2 });
  assert.deepEqual([status, stdout], ["timeout", "a\nb\n"]);
  const late = await server.run("shell", "timeout 5 python3 -c 'print(1)\nwhile True: pass'; echo $?");
  assert.equal(late.stdout, "1\n124\n");
});

Deno.test(`[${UNDER_TEST}] a stop reaches the command that a program waits for, and the program's variables stay`, async () => {
  const endless = "import subprocess\nx = 5\nsubprocess.run('while :; do :; done', shell=True)";
  const stopped = await inSession([endless, { timeout: 1 }]);
  assert.deepEqual([stopped.status, stopped.state], ["timeout", "kept"]);
  assert.equal((await inSession([endless, { timeout: 1 }], "x")).result, "5");
});

Deno.test(`[${UNDER_TEST}] commands count against their program's fuel`, async () => {
  const few = await inSession("import subprocess\nsubprocess.run('true', shell=True).returncode");
  const many = await inSession(
    "import subprocess\nsubprocess.run('for ((i = 0; i < 20000; i++)); do :; done', shell=True).returncode",
  );
  assert.equal(`${few.result} ${many.result}`, "0 0");
  assert.ok(
    many.fuel_consumed! > few.fuel_consumed! + 1_000_000,
    `${many.fuel_consumed} ${few.fuel_consumed}`,
  );
  const endless = "import subprocess\nsubprocess.run('while :; do :; done', shell=True)";
  const spent = await inSession([endless, { fuel_budget: 50_000_000 }]);
  assert.equal(spent.status, "out_of_fuel");
});

Deno.test(`[${UNDER_TEST}] programs that start themselves come to an end, and the session goes on`, async () => {
  const { status, result } = await inSession(
    `import subprocess, sys
open("again.py", "w").write("import subprocess, sys; sys.exit(subprocess.run([sys.executable, 'again.py']).returncode)")`,
    ["subprocess.run([sys.executable, 'again.py'], capture_output=True).returncode != 0", { timeout: 600 }],
  );
  assert.deepEqual([status, result], ["completed", "True"]);
});

Deno.test(`[${UNDER_TEST}] virtual environments are made and left, and lead to the session's interpreter, as uv does`, async () => {
  const server = await sharedServer();
  const shell = async (script: string) => (await server.run("shell", script, { session_id: "venv" })).stdout;
  assert.equal(
    await shell(
      "python3 -m venv 'a b' && source 'a b/bin/activate' && python -c 'print(1)' && echo $VIRTUAL_ENV && which pip; " +
        "deactivate; echo [$VIRTUAL_ENV]; which pip; 'a b/bin/python3' -c 'print(2)'",
    ),
    "1\n/app/a b\n/app/a b/bin/pip\n[]\n/usr/bin/pip\n2\n",
  );
  assert.equal(
    await shell(
      "uv venv && ls .venv/bin/activate; echo 'import sys; print(sys.argv)' > a.py; uv run a.py x; uv run python -c 'print(3)'; " +
        "uv pip list | head -n 1 | tr -d ' '; uv sync; echo $?; uv run; echo $?; virtualenv v && ls v; virtualenv; echo $?",
    ),
    ".venv/bin/activate\n['a.py', 'x']\n3\nPackageVersion\n2\n2\nbin\npyvenv.cfg\n2\n",
  );
});

Deno.test(`[${UNDER_TEST}] who waits again after a time-out, and ends nothing, gets to the end of a process`, async () => {
  const { stdout } = await inSession(`import subprocess
process, told = subprocess.Popen(["sleep", "0.6"]), 0
while True:
    try: print(process.wait(timeout=0.2), told)
    except subprocess.TimeoutExpired: told += process.poll() is None
    else: break`);
  assert.match(stdout, /^0 [23]\n$/);
});

Deno.test(`[${UNDER_TEST}] who reads to the end of a process, and would end it if anything went wrong, gets all of it`, async () => {
  const { stdout } = await inSession(`import subprocess
process = subprocess.Popen("sleep 10.5; echo all", shell=True, text=True, stdout=subprocess.PIPE)
try: print(process.stdout.read(), process.wait())
finally:
    if process.poll() is None: process.kill()`);
  assert.equal(stdout, "all\n 0\n");
});
