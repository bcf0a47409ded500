/** Programs of Python that talk to a process line by line. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

const TALK = `import subprocess, sys
def begin(text, **more):
    open("child.py", "w").write(text)
    return subprocess.Popen([sys.executable, "child.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
def ask(process, *lines):
    answers = []
    for line in lines:
        process.stdin.write(line + "\\n"); process.stdin.flush()
        answers.append(process.stdout.readline())
    return answers
`;

async function afterTalking(session_id: string, program: string) {
  const server = await sharedServer();
  const reply = await server.python(TALK + program, { session_id });
  await server.call("destroy_session", { session_id });
  assert.equal(reply.status, "completed", JSON.stringify(reply));
  return reply;
}

Deno.test(`[${UNDER_TEST}] a process that answers line by line is talked to, and ends with its own code`, async () => {
  const reply = await afterTalking(
    "talked",
    `process = begin("""import sys
print("ready", flush=True)
for line in sys.stdin:
    if line == "quit\\\\n": print("bye"); sys.exit(4)
    print(eval(line), flush=True)""")
got = [process.stdout.readline(), ask(process, "1+1", "'a'*3"), process.poll()]
process.stdin.write("quit\\n"); process.stdin.close()
got + [process.stdout.read(), process.wait()]`,
  );
  assert.equal(reply.result, "['ready\\n', ['2\\n', 'aaa\\n'], None, 'bye\\n', 4]");
});

Deno.test(`[${UNDER_TEST}] prompts come as far as they are read, and what only the end of its input would have it say is not shown`, async () => {
  const reply = await afterTalking(
    "prompted",
    `process, got = begin("total = 0\\nwhile (text := input('n? ')) != 'end': total += int(text); print(total, flush=True)\\nprint('in all', total)"), []
got = [process.stdout.read(3), ask(process, "1", "2"), process.communicate("end\\n"), process.returncode]
shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
got + [ask(shell, "x=5; echo set", "echo $((x + 1))"), shell.kill(), shell.wait()]`,
  );
  assert.equal(
    reply.result,
    "['n? ', ['1\\n', 'n? 3\\n'], ('n? in all 3\\n', None), 0, ['set\\n', '6\\n'], None, -9]",
  );
  assert.equal(reply.stderr, "");
});

Deno.test(`[${UNDER_TEST}] what one says of its failure is shown once`, async () => {
  const reply = await afterTalking(
    "failed",
    `process = begin("import sys\\nfor line in sys.stdin: print(1 / int(line), flush=True)")
ask(process, "2", "0"), process.wait()`,
  );
  assert.equal(reply.result, "(['0.5\\n', ''], 1)");
  assert.match(reply.stderr, /^Traceback[^]*ZeroDivisionError: division by zero\n$/);
  assert.equal(reply.stderr.split("ZeroDivisionError").length, 2);
});

Deno.test(`[${UNDER_TEST}] one that is talked to is one and the same, whatever it changes and has drawn by chance`, async () => {
  const reply = await afterTalking(
    "same",
    `got = []
for text in (
    "import sys\\nfor line in sys.stdin: open('log', 'a').write(line); print('ok', flush=True)",
    "import random, sys\\nfirst = random.random()\\nfor line in sys.stdin: print('ok' if random.random() != first else 0, flush=True)",
    "import sys, time\\nbegun = time.time_ns()\\nfor line in sys.stdin: print(begun, flush=True)",
):
    process = begin(text)
    got.append(len(set(ask(process, "a", "b"))))
    process.kill(); process.wait()
got, open("log").read()`,
  );
  assert.equal(reply.result, "([1, 1, 1], 'a\\nb\\n')");
});

Deno.test(`[${UNDER_TEST}] what a process prints comes when it prints it, and its last words when it is ended`, async () => {
  const reply = await afterTalking(
    "in_time",
    `import time
process = begin("import time\\nfor n in range(3): print(n, flush=True); time.sleep(0.3)")
begun = time.monotonic()
times = [(line.strip(), round(time.monotonic() - begun, 1)) for line in process.stdout]
shell = subprocess.Popen("trap 'echo ended; exit 9' TERM; echo begun; while :; do sleep 0.05; done", shell=True, stdout=subprocess.PIPE, text=True)
first = shell.stdout.readline()
shell.terminate()
times[-1][0], times[-1][1] - times[0][1] > 0.5, first, shell.communicate()[0], shell.returncode`,
  );
  assert.equal(reply.result, "('2', True, 'begun\\n', 'ended\\n', 9)");
});

Deno.test(`[${UNDER_TEST}] a call that is stopped leaves the processes of its program as they are`, async () => {
  const server = await sharedServer();
  const options = { session_id: "stopped_parent" };
  const stopped = await server.python(
    `${TALK}process = begin("import sys\\nfor n, line in enumerate(sys.stdin): print(n, line, end='', flush=True)")
print(ask(process, "a"), flush=True)
while True: pass`,
    { ...options, timeout: 2 },
  );
  assert.deepEqual([stopped.status, stopped.stdout], ["timeout", "['0 a\\n']\n"]);
  const after = await server.python(
    'ask(process, "b"), process.poll(), process.kill(), process.wait()',
    options,
  );
  assert.equal(after.result, "(['1 b\\n'], None, None, -9)");
  await server.call("destroy_session", options);
});

Deno.test("a process of asyncio's answers line by line, and tells what it has to say at the end of its input then", async () => {
  const reply = await afterTalking(
    "talked_async",
    `import asyncio
CHILD = """import sys
for line in sys.stdin: print(int(line) ** 2, flush=True)
print("all", flush=True)
print("bye", file=sys.stderr)
sys.exit(4)"""
async def talk():
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", CHILD, stdin=pipe, stdout=pipe, stderr=pipe)
    got = []
    for n in (2, 9, 12):
        process.stdin.write(b"%d\\n" % n)
        await process.stdin.drain()
        got.append(await process.stdout.readline())
    process.stdin.close()
    return got, await process.stdout.read(), await process.stderr.read(), await process.wait()
asyncio.run(talk())`,
  );
  assert.equal(reply.result, "([b'4\\n', b'81\\n', b'144\\n'], b'all\\n', b'bye\\n', 4)");
});
