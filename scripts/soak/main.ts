/**
 * The soak: thousands of executions, some hostile, in sessions side by side, while their executor is killed from
 * outside again and again.
 *
 *     deno task soak [executions] [--seed=N]
 *
 * Ends with 1 if a call had no answer, a session's state was not what the replies said, the server's memory grew, or
 * the server is gone. With WASMBOX_EXECUTABLE it soaks that executable.
 */

import { parseArgs } from "node:util";
import { ensureAssets } from "../assets/mod.ts";
import {
  childrenOf,
  type Reply,
  residentMegabytes,
  TestServer,
  UNDER_TEST,
} from "../../tests/support/harness.ts";
import { SessionModel } from "./model.ts";
import { type Language, programOf, workOf } from "./programs.ts";

const SESSIONS = 8;
const HOSTILE_EVERY = 10;
const KILL_EVERY = 50;
/** Part of the executions after which memory should no longer grow. */
const WARM_UP = 0.3;
const MAX_GROWTH = 0.2;
/** Samples of memory, of which the lowest counts: a collection may be due. */
const RSS_SAMPLES = 5;

/** Small, so that attacks reach their limits soon. */
const POLICY = `
memory_bytes = ${64 * 2 ** 20}
workspace_bytes = ${8 * 2 ** 20}
workspace_files = 500
code_max_bytes = ${2 * 2 ** 20}
`;

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: { seed: { type: "string" } },
});
const executions = Number(positionals[0] ?? 2000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));

interface Tally {
  /** Replies by status, then by state. */
  readonly replies: Map<string, Map<string, number>>;
  readonly violations: string[];
  readonly executorRss: number[];
  kills: number;
  losses: number;
  answered: number;
}

/** A session of the soak; every third speaks both languages. */
interface Lane {
  readonly id: string;
  readonly languages: readonly Language[];
  readonly model: SessionModel;
  /** The last replies in short, for the report of a violation. */
  readonly history: string[];
}

const LANGUAGES: readonly (readonly Language[])[] = [["python"], ["javascript"], ["python", "javascript"]];
const lanes: readonly Lane[] = Array.from({ length: SESSIONS }, (_, i) => ({
  id: `soak_${i}`,
  languages: LANGUAGES[i % LANGUAGES.length]!,
  model: new SessionModel(),
  history: [],
}));
const tally: Tally = {
  replies: new Map(),
  violations: [],
  executorRss: [],
  kills: 0,
  losses: 0,
  answered: 0,
};
let issued = 0;
/** Attacks so far: each of the list gets its turn. */
const attacked: Record<Language, number> = { python: 0, javascript: 0 };
let randomState = seed >>> 0;

function random(below: number): number {
  randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor(randomState / 2 ** 32 * below);
}

function pidOf(server: TestServer): number {
  const { pid } = server.transport;
  if (pid === null) throw new Error("the server has ended");
  return pid;
}

function killExecutors(server: TestServer): void {
  for (const pid of childrenOf(pidOf(server))) {
    tally.executorRss.push(residentMegabytes(pid));
    try {
      Deno.kill(pid, "SIGKILL");
      tally.kills++;
    } catch {
      // It has just ended.
    }
  }
}

/** One execution of a session, and what the model says to its reply. @param calm Nothing hostile, and no kill. */
async function run(server: TestServer, { id, languages, model, history }: Lane, calm = false): Promise<void> {
  const number = ++issued;
  if (number % 100 === 0) console.error(`soak: ${number} of ${executions}, server ${rssOf(server)} MB`);
  const language = languages[random(languages.length)]!;
  const hostile = !calm && number % HOSTILE_EVERY === 0;
  const work = workOf(language, hostile ? attacked[language]++ : random(1000), hostile);
  const call = server.run(language, programOf(language, number, work), {
    session_id: id,
    ...work.timeout !== undefined && { timeout: work.timeout },
  });
  if (!calm && number % KILL_EVERY === 0) {
    const others = random(40); // at some moment of the executions then under way
    setTimeout(() => killExecutors(server), others);
  }
  const name = `execution ${number} in ${id} (${language}: ${work.name})`;
  let reply: Reply;
  try {
    reply = await call;
  } catch (error) {
    tally.violations.push(`${name} had no answer: ${error}`);
    return;
  }
  tally.answered++;
  if (reply.status === undefined) {
    tally.violations.push(`${name} was refused: ${JSON.stringify(reply.error)}`);
    return;
  }
  count(reply);
  const problem = model.apply(language, number, reply);
  const { status, state, notice, error } = reply;
  history.push(
    JSON.stringify({ number, language, work: work.name, status, state, notice, error: error?.message }),
  );
  if (problem !== undefined) {
    tally.violations.push(`${name} ${problem}; the last replies:\n  ${history.slice(-4).join("\n  ")}`);
  }
}

function count({ status, state, notice }: Reply): void {
  const states = tally.replies.get(status) ?? new Map<string, number>();
  tally.replies.set(status, states.set(state, (states.get(state) ?? 0) + 1));
  if (notice !== null) tally.losses++;
}

/** Runs executions in all sessions side by side until so many were issued in all. */
async function runUntil(server: TestServer, end: number): Promise<void> {
  await Promise.all(lanes.map(async (lane) => {
    while (issued < end) {
      await run(server, lane);
    }
  }));
}

function rssOf(server: TestServer): number {
  return Math.round(residentMegabytes(pidOf(server)));
}

/** The server's memory once every session has run something harmless and nothing is under way. */
async function settledRss(server: TestServer): Promise<number> {
  for (const lane of lanes) await run(server, lane, true);
  let lowest = Infinity;
  for (let i = 0; i < RSS_SAMPLES; i++) {
    await server.call("list_sessions");
    await new Promise((resolve) => setTimeout(resolve, 500));
    lowest = Math.min(lowest, rssOf(server));
  }
  return lowest;
}

function report(
  rss: { readonly first: number; readonly warm: number; readonly last: number },
  seconds: number,
) {
  const states = ["kept", "rolled_back", "reset"];
  console.log(`| status | ${states.join(" | ")} |\n|---|${"---:|".repeat(states.length)}`);
  for (const [status, byState] of [...tally.replies].sort()) {
    console.log(`| ${status} | ${states.map((state) => byState.get(state) ?? 0).join(" | ")} |`);
  }
  const peak = Math.round(Math.max(0, ...tally.executorRss));
  console.log(`
${UNDER_TEST}, seed ${seed}: ${tally.answered} of ${issued} calls answered in ${seconds.toFixed(0)} s
attacks: ${attacked.python} in Python, ${attacked.javascript} in JavaScript; executors killed: ${tally.kills}; losses between executions told: ${tally.losses}
server RSS: ${rss.first} MB at first, ${rss.warm} MB warm, ${rss.last} MB at the end
executors' RSS when killed: up to ${peak} MB
violations: ${tally.violations.length}`);
  for (const violation of tally.violations.slice(0, 20)) console.log(`- ${violation.slice(0, 1500)}`);
}

await ensureAssets();
const policy = await Deno.makeTempFile({ suffix: ".toml" });
await Deno.writeTextFile(policy, POLICY);
Deno.env.set("WASMBOX_POLICY", policy);
const started = performance.now();
{
  await using server = await TestServer.start();
  const pid = pidOf(server);
  const first = await settledRss(server);
  await runUntil(server, Math.floor(executions * WARM_UP));
  const warm = await settledRss(server);
  await runUntil(server, executions);
  const last = await settledRss(server);
  if (last > warm * (1 + MAX_GROWTH)) {
    tally.violations.push(`the server's RSS grew from ${warm} MB to ${last} MB`);
  }
  if (pidOf(server) !== pid) tally.violations.push("the server was restarted");
  report({ first, warm, last }, (performance.now() - started) / 1000);
}
await Deno.remove(policy);
Deno.exit(tally.violations.length > 0 ? 1 : 0);
