/** What calls cost: warm ones, first ones of a session, of an executor, of a server; and what sessions weigh. */

import { childrenOf, type Command, residentMegabytes, TestServer } from "../../tests/support/harness.ts";
import { treeMegabytes } from "../memory.ts";
import { repeat, type Row, sample, timed } from "./stats.ts";

const SERVER = new URL("./server.ts", import.meta.url);

/** What is measured: wasmbox from source, or compiled. */
export interface Subject {
  readonly title: string;
  readonly server: URL | Command;
}

export const SOURCE: Subject = { title: "from source", server: SERVER };

function executorOf(server: TestServer): number {
  const [executor] = childrenOf(server.transport.pid ?? 0);
  if (executor === undefined) throw new Error("the server has no executor");
  return executor;
}

async function expectTwo(server: TestServer, more: Record<string, unknown> = {}): Promise<void> {
  const reply = await server.python("1+1", more);
  if (reply.result !== "2") throw new Error(`1+1 gave ${JSON.stringify(reply)}`);
}

/**
 * Warm calls against a tool that does nothing, interleaved so that both see the same machine.
 *
 * @param executable Has no such tool; its calls are measured by themselves.
 */
export async function warmCalls(executable?: Command): Promise<Row[]> {
  await using server = await TestServer.start(SERVER);
  for (let i = 0; i < 500; i++) {
    await expectTwo(server);
    await server.call("noop");
  }
  const noop: number[] = [];
  const execute: number[] = [];
  for (let i = 0; i < 1000; i++) {
    noop.push(await timed(() => server.call("noop")));
    execute.push(await timed(() => server.call("execute_code", { code: "1+1" })));
  }
  const paused = await pausedCalls(server);
  const ratio = sample(execute).median / sample(noop).median;
  return [
    { what: "no-op tool over stdio", value: sample(noop), unit: "ms" },
    {
      what: 'warm `execute_code("1+1")` over stdio, one after another: each waits for the last checkpoint',
      value: sample(execute),
      unit: "ms",
      goal: 1,
    },
    { what: "… after a pause of 20 ms, as clients make them", value: sample(paused), unit: "ms", goal: 2 },
    { what: "… against the no-op (ratio of medians)", value: sample([ratio]), unit: "×", goal: 5 },
    ...executable ? await compiledCalls(executable) : [],
  ];
}

/** As clients make them, ms. */
function pausedCalls(server: TestServer): Promise<number[]> {
  return repeat(100, async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return await timed(() => server.call("execute_code", { code: "1+1" }));
  });
}

async function compiledCalls(executable: Command): Promise<Row[]> {
  await using server = await TestServer.start(executable);
  for (let i = 0; i < 500; i++) await expectTwo(server);
  const execute = await repeat(1000, () => timed(() => server.call("execute_code", { code: "1+1" })));
  const paused = await pausedCalls(server);
  return [
    {
      what: 'warm `execute_code("1+1")` over stdio, executable',
      value: sample(execute),
      unit: "ms",
      goal: 1,
    },
    { what: "… after a pause of 20 ms, executable", value: sample(paused), unit: "ms", goal: 2 },
  ];
}

/** From a new session to its first Python result, where the executor was killed just before. */
async function newExecutor(subject: Subject): Promise<number> {
  await using server = await TestServer.start(subject.server);
  await expectTwo(server);
  Deno.kill(executorOf(server), "SIGKILL");
  return await timed(() => expectTwo(server, { session_id: "cold" }));
}

/** From a new session to its first Python result. */
export async function newSessions(subject: Subject): Promise<Row[]> {
  const what = (circumstances: string) =>
    `new session → first Python result, ${subject.title}, ${circumstances}`;
  await using server = await TestServer.start(subject.server);
  await expectTwo(server);
  const paused = await repeat(20, async (i) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return await timed(() => expectTwo(server, { session_id: `new${i}` }));
  });
  const hurried = await repeat(20, (i) => timed(() => expectTwo(server, { session_id: `next${i}` })));
  const cold = await repeat(10, () => newExecutor(subject));
  return [
    { what: what("running executor"), value: sample(paused), unit: "ms", goal: 10 },
    {
      what: what("the next at once: its Worker is not ready yet"),
      value: sample(hurried),
      unit: "ms",
      goal: 10,
    },
    { what: what("new executor"), value: sample(cold), unit: "ms", goal: 200 },
  ];
}

/** What a process for each session costs instead. */
export async function isolatedSessions(): Promise<Row[]> {
  const COUNT = 6;
  await using server = await TestServer.start(SERVER, { isolation: "session", maxExecutors: COUNT + 2 });
  const first = await repeat(COUNT, (i) => timed(() => expectTwo(server, { session_id: `own${i}` })));
  const memory = childrenOf(server.transport.pid ?? 0).map(residentMegabytes);
  return [
    { what: 'isolation = "session": new session → first Python result', value: sample(first), unit: "ms" },
    {
      what: 'isolation = "session": memory (PSS) per session, its process whole',
      value: sample(memory),
      unit: "MB",
    },
  ];
}

/** From the start of the server to its initialize reply, and to the first Python result. */
export async function serverStart(
  title: string,
  goals: { initialize?: number; first?: number },
  command?: Command,
): Promise<Row[]> {
  const initialize: number[] = [];
  const first: number[] = [];
  for (let i = 0; i < 10; i++) {
    const start = performance.now();
    await using server = await TestServer.start(command);
    initialize.push(performance.now() - start);
    await expectTwo(server);
    first.push(performance.now() - start);
  }
  return [
    {
      what: `server start → initialize reply, ${title}`,
      value: sample(initialize),
      unit: "ms",
      ...(goals.initialize && { goal: goals.initialize }),
    },
    {
      what: `server start → first Python result, ${title}`,
      value: sample(first),
      unit: "ms",
      ...(goals.first && { goal: goals.first }),
    },
  ];
}

/** @param executable Its path. */
export async function sizeOnDisk(executable: string): Promise<Row> {
  const { size } = await Deno.stat(executable);
  return { what: "the executable on disk", value: sample([size / 1e6]), unit: "MB", goal: 90 };
}

/** How many sessions are weighed together: what waits to be collected comes and goes by tens of megabytes. */
export const WEIGHED = 64;

/** A server whose sessions are weighed: what an executor trains itself with would be gone in the middle of it. */
export function startWeighed(server: Subject["server"]): Promise<TestServer> {
  return TestServer.start(server, { warmUp: false }, { WASMBOX_POLICY_WARM_UP: "false" });
}

/** Memory of an idle session that has run a little Python. */
export async function idleSessions(subject: Subject): Promise<Row[]> {
  await using server = await startWeighed(subject.server);
  for (let i = 0; i < 3; i++) await server.python("x = 1", { session_id: `warm${i}` });
  const weigh = () => [residentMegabytes(executorOf(server)), treeMegabytes([server.transport.pid ?? 0])];
  const before = weigh();
  for (let i = 0; i < WEIGHED; i++) await server.python("x = 1", { session_id: `idle${i}` });
  const [resident, proportional] = weigh().map((after, i) => (after - before[i]!) / WEIGHED);
  return [
    {
      what: `memory (PSS) per idle session, ${subject.title}`,
      value: sample([resident!]),
      unit: "MB",
      goal: 5,
    },
    {
      what: "… in the server and its executor together",
      value: sample([proportional!]),
      unit: "MB",
      goal: 5,
    },
  ];
}
