/**
 * The soak of stored sessions: executions over many sessions of which few are live, with forks, restores, executors
 * killed from outside, and servers killed and started anew.
 *
 *     deno task soak:stored [executions] [--seed=N] [--sessions=N]
 *
 * Ends with 1 if a session was not what the replies said, something that was told to be durable is gone, a server's
 * memory grew, or the store holds more than its sessions need.
 */

import { parseArgs } from "node:util";
import { ensureAssets } from "../assets/mod.ts";
import { childrenOf, residentMegabytes, type TestServer, UNDER_TEST } from "../../tests/support/harness.ts";
import { StoredServers } from "../../tests/support/stored_server.ts";

const LIVE = 12;
const LANES = 6;
const FORK_EVERY = 20;
const RESTORE_EVERY = 15;
const KILL_EVERY = 60;
/** Servers, one after another, of which half are killed. */
const SERVERS = 6;
/** Part of a server's executions after which its memory should no longer grow. */
const WARM_UP = 0.4;
const MAX_GROWTH = 0.25;
/** What a session of a short list, its undo history and its head may take. */
const MAX_SESSION_BYTES = 1024 * 1024;

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: { seed: { type: "string" }, sessions: { type: "string" } },
});
const executions = Number(positionals[0] ?? 1200);
const count = Number(values.sessions ?? 100);
let randomState = Number(values.seed ?? 1) >>> 0;

function random(below: number): number {
  randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor(randomState / 2 ** 32 * below);
}

/** A session, and the lists that it may hold: more than one where a call had no answer, or not all of one was told. */
interface Kept {
  readonly id: string;
  may: readonly (readonly number[])[];
  busy: boolean;
}

const sessions: Kept[] = Array.from({ length: count }, (_, i) => ({ id: `s${i}`, may: [[]], busy: false }));
const violations: string[] = [];
let issued = 0;
let forks = 0;
let restores = 0;
let kills = 0;
let unanswered = 0;

function killExecutors(server: TestServer): void {
  for (const pid of childrenOf(server.transport.pid ?? 0)) {
    try {
      Deno.kill(pid, "SIGKILL");
      kills++;
    } catch {
      // It has just ended.
    }
  }
}

/** Numbers that a session has, as one of its calls shows them before it adds its own. */
async function append(server: TestServer, session: Kept): Promise<void> {
  const number = ++issued;
  const code =
    `log = globals().get("log", [])\nprint(log)\nlog.append(${number})\nopen("log", "a").write("${number}\\n")`;
  if (number % KILL_EVERY === 0) setTimeout(() => killExecutors(server), random(40));
  const before = session.may;
  session.may = [...before, ...before.map((list) => [...list, number])]; // as long as there is no answer
  const reply = await server.python(code, { session_id: session.id });
  if (reply.status === undefined) {
    session.may = before;
    if (!reply.error?.retryable) violations.push(`${session.id} was refused: ${reply.error?.message}`);
    return;
  }
  if (reply.status !== "completed") return; // its process was killed: one more may follow
  const shown = JSON.stringify(JSON.parse(reply.stdout));
  const was = before.find((list) => JSON.stringify(list) === shown) ??
    (/lost/.test(reply.notice ?? "")
      ? before.find((list) => JSON.stringify(list.slice(0, -1)) === shown)?.slice(0, -1)
      : undefined);
  if (!was) {
    violations.push(
      `${session.id} (${number}): showed ${shown.slice(-80)}, expected ${
        JSON.stringify(before).slice(-200)
      }; ${reply.notice}`,
    );
  }
  const now = [...JSON.parse(shown) as number[], number];
  session.may = (reply as unknown as { durable: boolean }).durable ? [now] : [now, now.slice(0, -1)];
}

async function fork(server: TestServer, session: Kept): Promise<void> {
  const id = `fork_${++forks}`;
  const { isError } = await server.call("fork_session", { session_id: session.id, new_session_id: id });
  if (isError) return;
  const copy: Kept = { id, may: session.may, busy: true };
  await append(server, copy);
  await server.call("destroy_session", { session_id: id });
}

async function restore(server: TestServer, session: Kept): Promise<void> {
  const [list] = session.may;
  if (session.may.length > 1 || list!.length === 0) return;
  session.may = [list!, list!.slice(0, -1)];
  const { isError, structured } = await server.call("restore_session", { session_id: session.id, undo: 1 });
  const code = (structured["error"] as { error_code?: string } | undefined)?.error_code;
  if (isError && code === "CHECKPOINT_NOT_FOUND") session.may = [list!];
  if (isError) return;
  session.may = [list!.slice(0, -1)];
  restores++;
}

async function lane(server: TestServer, end: number): Promise<void> {
  while (issued < end) {
    const session = sessions[random(sessions.length)]!;
    if (session.busy) continue;
    session.busy = true;
    try {
      if (random(FORK_EVERY) === 0) await fork(server, session);
      else if (random(RESTORE_EVERY) === 0) await restore(server, session);
      await append(server, session);
    } catch {
      unanswered++; // the server was killed
      return;
    } finally {
      session.busy = false;
    }
  }
}

async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    bytes += isDirectory ? await sizeOf(path) : (await Deno.stat(path)).size;
  }
  return bytes;
}

async function settledRss(server: TestServer): Promise<number> {
  let lowest = Infinity;
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    lowest = Math.min(lowest, residentMegabytes(server.transport.pid!));
  }
  return Math.round(lowest);
}

await ensureAssets();
const started = performance.now();
{
  await using servers = await StoredServers.make({ max_sessions_per_client: LIVE, max_sessions: LIVE });
  for (let number = 1; number <= SERVERS; number++) {
    const server = await servers.start();
    const [from, end] = [issued, Math.floor(executions * number / SERVERS)];
    const run = (until: number) => Promise.all(Array.from({ length: LANES }, () => lane(server, until)));
    await run(from + Math.floor((end - from) * WARM_UP));
    const warm = await settledRss(server);
    await run(end);
    const last = await settledRss(server);
    if (last > warm * (1 + MAX_GROWTH)) {
      violations.push(`server ${number}'s RSS grew from ${warm} MB to ${last} MB`);
    }
    const stored = await sizeOf(`${servers.path}/sessions`);
    if (stored > count * MAX_SESSION_BYTES) violations.push(`the store holds ${stored} bytes`);
    console.error(
      `${issued} executions, ${forks} forks, ${restores} restores, ${kills} executors killed; ` +
        `RSS ${warm} → ${last} MB; store ${
          (stored / 2 ** 20).toFixed(1)
        } MB; ${violations.length} violations`,
    );
    if (number % 2 === 1) {
      const busy = run(end + LANES * 3);
      await new Promise((resolve) => setTimeout(resolve, 100 + random(400)));
      await servers.crash(server);
      await busy;
    } else await servers.stop(server);
  }
  const last = await servers.start();
  for (const session of sessions) await append(last, session); // each is there, as it was told
  const directories = await Array.fromAsync(Deno.readDir(`${servers.path}/aside`));
  if (directories.length > 0) violations.push(`${directories.length} sessions were refused`);
}
console.log(
  `${UNDER_TEST}: ${issued} executions over ${count} sessions in ${
    ((performance.now() - started) / 1000).toFixed(0)
  } s, ${unanswered} without an answer; violations: ${violations.length}`,
);
for (const violation of violations.slice(0, 20)) console.log(`- ${violation.slice(0, 1000)}`);
Deno.exit(violations.length > 0 ? 1 : 0);
