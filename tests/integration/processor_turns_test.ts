/** Sessions that compute at the same time, and take turns at the processors. */

import assert from "node:assert/strict";
import { childrenOf, procFile, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

const PROCESSORS = navigator.hardwareConcurrency;
/** Far more than processors. */
const SESSIONS = 4 * PROCESSORS + 8;
const LOOKS = 40;
/** Between two looks, ms: they are not to be all in one turn. */
const LOOK_MS = 10;

/** A server whose client may have all of them compute at once. */
async function serve(): Promise<TestServer> {
  const { command, args } = serverCommand();
  const file = await Deno.makeTempFile({ suffix: ".toml" });
  try {
    const limits = ["max_sessions", "max_concurrent_executions"].flatMap((name) => [
      `${name} = ${SESSIONS + 1}`,
      `${name}_per_client = ${SESSIONS + 1}`,
    ]);
    // Those that are stopped all at once have to take turns for that too.
    const patient = "interrupt_grace_seconds = 30";
    await Deno.writeTextFile(file, [...limits, "warm_up = false", patient].join("\n"));
    return await TestServer.start({ command, args: [...args, "serve", "--policy", file] });
  } finally {
    await Deno.remove(file);
  }
}

/** Begins a program in each session; it has come to its last line when this returns. */
async function compute(server: TestServer, program: string) {
  const begun = await Promise.all(
    Array.from(
      { length: SESSIONS },
      (_, i) => {
        const code = `x = ${i}\nprint('up', flush=True)\n${program}`;
        return server.begin("python", code, { session_id: `s${i}`, timeout: 600 });
      },
    ),
  );
  return begun.map(({ reply }) => reply);
}

async function cancel(server: TestServer): Promise<void> {
  for (let i = 0; i < SESSIONS; i++) await server.call("cancel_execution", { session_id: `s${i}` });
}

/** Threads of a process that run or could run now. */
function runnable(pid: number): number {
  const states = [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) =>
    / ([A-Z]) /.exec(procFile(`${pid}/task/${name}/stat`))?.[1] // nothing if it has ended
  );
  return states.filter((state) => state === "R").length;
}

function test(name: string, body: () => Promise<void>): void {
  Deno.test({ name: `[${UNDER_TEST}] ${name}`, ignore: Deno.build.os !== "linux", fn: body });
}

test("of many sessions that compute about as many run as there are processors, and a small call is answered beside them", async () => {
  await using server = await serve();
  const replies = await compute(server, "while True: x += 1");
  const threads = (pid: number) => [...Deno.readDirSync(`/proc/${pid}/task`)].length;
  const [executor] = childrenOf(server.transport.pid!).sort((a, b) => threads(b) - threads(a));
  const seen: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    seen.push(runnable(executor!));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const median = seen.sort((a, b) => a - b)[LOOKS / 2]!;
  assert.ok(median >= 1 && median <= PROCESSORS + 3, `${median} of ${SESSIONS}`);
  assert.equal((await server.python("1 + 1", { session_id: "small" })).result, "2");
  await cancel(server);
  await Promise.all(replies);
});

test("programs that wait for their turn are stopped like the others, and all sessions keep what they had", async () => {
  await using server = await serve();
  const replies = await compute(server, "while True: pass");
  await cancel(server);
  for (const reply of await Promise.all(replies)) {
    assert.deepEqual([reply.status, reply.state], ["cancelled", "kept"], JSON.stringify(reply));
  }
  const kept = await Promise.all(
    Array.from({ length: SESSIONS }, (_, i) => server.python("x", { session_id: `s${i}` })),
  );
  assert.deepEqual(kept.map(({ result }) => result), kept.map((_, i) => String(i)));
});

test("programs that have others in them which are out of time wait for their turns like any other", async () => {
  await using server = await serve();
  const program = `
import subprocess
code = """
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass
"""
try:
    subprocess.run(["python3", "-c", code], timeout=0.05)
except subprocess.TimeoutExpired: x = "out of time"
`;
  const replies = await Promise.all(await compute(server, program));
  assert.ok(replies.every(({ status }) => status === "completed"), JSON.stringify(replies));
  assert.equal((await server.python("x", { session_id: "s0" })).result, "'out of time'");
});

test("programs that compute, wait and print by turns all come to their end with all they printed", async () => {
  await using server = await serve();
  const program = `
import time
for line in range(20):
    for _ in range(20_000): pass
    time.sleep(0.001)
    print(line)
`;
  const replies = await Promise.all(await compute(server, program));
  const printed = ["up", ...Array.from({ length: 20 }, (_, line) => line), ""].join("\n");
  assert.ok(replies.every(({ status, stdout }) => status === "completed" && stdout === printed));
});
