/** Programs of a pipeline in a real session: they work side by side, and whatever ends a script ends all of them. */

import assert from "node:assert/strict";
import { type TestServer, UNDER_TEST } from "../support/harness.ts";
import { patientServer, sharedServer } from "../support/shared.ts";

const ENDLESS = `python3 -c 'while True: print("y" * 99)'`;
const COPY = `python3 -c 'import sys\nwhile d := sys.stdin.buffer.read1(): sys.stdout.buffer.write(d)'`;

async function shell(server: TestServer, command: string, more: Record<string, unknown> = {}) {
  const { structured } = await server.call("execute_command", { command, ...more });
  return structured;
}

Deno.test(`[${UNDER_TEST}] programs of a pipeline work side by side`, async () => {
  const server = await sharedServer();
  const { stdout } = await shell(
    server,
    `${ENDLESS} | ${COPY} | ${COPY} | head -c 3; echo "\${PIPESTATUS[@]}"`,
  );
  assert.equal(stdout, "yyy141 141 141 0\n");
  const python = await server.python(
    `import subprocess\nsubprocess.run(${
      JSON.stringify(`${ENDLESS} | ${COPY} | head -c 3`)
    }, shell=True, capture_output=True, text=True).stdout`,
  );
  assert.equal(python.result, "'yyy'");
});

Deno.test(`[${UNDER_TEST}] a program that runs beside another one recurs as deeply as one that is alone`, async () => {
  const server = await sharedServer();
  const program = `import sys
sys.setrecursionlimit(10**6)
def keys(n): return sorted([1], key=lambda _: keys(n + 1))
def groups(n): return ExceptionGroup("g", [groups(n - 1)]) if n else ValueError()
try: keys(0)
except RecursionError: print("keys")
try: repr(eval("[" * 90 + "]" * 90)); print(len(str(groups(400))) > 0)
except RecursionError: print("groups")
import re
class Deep:
    def __repr__(self): return repr(self)
    def __getattr__(self, name): return getattr(self, name + "x") if len(name) < 10**5 else 1
try: repr(Deep())
except RecursionError: print("repr")
try: Deep().y
except RecursionError: print("attributes")`;
  await server.call("write_file", { path: "deep.py", content: program });
  const alone = await shell(server, "python3 deep.py");
  const beside = await shell(server, `echo | ${COPY} | python3 deep.py`);
  assert.equal(beside["stdout"], alone["stdout"]);
  assert.match(String(alone["stdout"]), /keys[^]*repr\nattributes/);
});

Deno.test(`[${UNDER_TEST}] a time-out ends all programs of a pipeline, and variables stay`, async () => {
  const server = await sharedServer(patientServer);
  const session = { session_id: "pipeline" };
  await shell(server, "v=1", session);
  for (
    const pipe of [
      `${ENDLESS} | ${COPY} | ${COPY} >/dev/null`,
      `${COPY} < <(sleep 60) | ${COPY} | python3 -c 'while True: pass'`,
    ]
  ) {
    const late = await shell(server, `v=2; ${pipe}`, { ...session, timeout: 2 });
    assert.deepEqual([late["status"], late["exit_code"], late["state"]], ["timeout", 124, "kept"], pipe);
    const { stdout } = await shell(server, `echo $v; echo 1 | ${COPY} | ${COPY}`, session);
    assert.equal(stdout, "2\n1\n");
  }
});

Deno.test(`[${UNDER_TEST}] what ends a shell in the middle ends the programs that it works for`, async () => {
  const server = await sharedServer();
  const session = { session_id: "torn" };
  await shell(server, "v=1; echo kept >kept", session);
  const deaf = `python3 -c '
import sys
told = False
while True:
    try:
        if not told:
            told = True # to write once more would end it
            print("up", file=sys.stderr, flush=True)
        while True: pass
    except BaseException: pass'`;
  const pipes = {
    // It is on the shell's own stack.
    [`${deaf} | ${COPY} | ${COPY}`]: ["rolled_back", "1"],
    // It has one of its own, from which others have their turns.
    [`${ENDLESS} | ${COPY} | (read -r x; ${deaf})`]: ["kept", "2"],
  };
  for (const [pipe, [became, v]] of Object.entries(pipes)) {
    const running = await server.begin("shell", `v=2; ${pipe}`, session);
    await server.call("cancel_execution", session);
    const { status, state } = await running.reply;
    assert.deepEqual([status, state], ["cancelled", became], pipe);
    const { stdout } = await shell(server, `echo $v; cat kept; echo 1 | ${COPY} | ${COPY}`, session);
    assert.equal(stdout, `${v}\nkept\n1\n`);
  }
});

Deno.test(`[${UNDER_TEST}] hundreds of pipelines leave nothing behind`, async () => {
  const server = await sharedServer();
  const session = { session_id: "many" };
  for (let n = 0; n < 4; n++) {
    const { stdout } = await shell(
      server,
      `for n in {1..25}; do ${ENDLESS} | ${COPY} | head -c 1; done; echo`,
      { ...session, timeout: 600 },
    );
    assert.equal(stdout, `${"y".repeat(25)}\n`);
  }
});

Deno.test(`[${UNDER_TEST}] a command that takes all of its input refuses what is too long for that, and the session goes on`, async () => {
  const server = await sharedServer();
  const { stdout, stderr } = await shell(
    server,
    `kept=1; yes | sed s/y/n/ | head -2; echo "\${PIPESTATUS[@]} $kept"; yes | head -3 | sed s/y/n/; printf '\\U1F680 \\u41\n'`,
  );
  assert.equal(stdout, "141 1 0 1\nn\nn\nn\n🚀 A\n");
  assert.match(
    String(stderr),
    /^sed: its input is longer than 64 MiB, and sed takes all of it before it begins/,
  );
});
