/** What HTTP costs: calls over some connections that stay open, against a server that only echoes, in turns. */

import { serverCommand } from "../../tests/support/harness.ts";
import { HttpServer } from "../../tests/support/http_harness.ts";
import { Generator } from "./http/generator.ts";
import type { Job, Load } from "./http/job.ts";
import { sessionCall, statelessCall } from "./http/requests.ts";
import { type Row, sample } from "./stats.ts";

const CONNECTIONS = [1, 16, 64];
const ROUNDS = 5;
const ROUND_MS = 600;
/** Sessions that warm calls are spread over; each runs one call at a time. */
const SESSIONS = 16;
/** A no-op may take so many times as long as the echo. */
const GOAL = 5;
const EXECUTE = 'warm `execute_code("1+1")`';
/** Executions a second, where enough connections ask to keep two processors busy. */
const EXECUTIONS = { connections: 16, goal: 1500 };

const start = (file: string) =>
  HttpServer.spawn(serverCommand(new URL(`./http/${file}.ts`, import.meta.url)));

export async function http(): Promise<Row[]> {
  await using echo = await start("echo");
  await using server = await start("server");
  await using generator = new Generator();
  const noop = statelessCall("noop");
  const inSessions = await Promise.all(
    Array.from({ length: Math.max(...CONNECTIONS) }, () => sessionCall(server.url, "noop")),
  );
  const warm = Array.from(
    { length: SESSIONS },
    (_, i) => statelessCall("execute_code", { code: "1+1", session_id: `bench${i}` }),
  );
  const jobs: Record<string, Omit<Job, "connections" | "ms">> = {
    "bare Deno.serve": { port: Number(echo.url.port), requests: [noop] },
    "no-op call, stateless": { port: Number(server.url.port), requests: [noop] },
    "no-op call, in sessions": { port: Number(server.url.port), requests: inSessions },
    [EXECUTE]: { port: Number(server.url.port), requests: warm },
  };
  for (const job of Object.values(jobs)) {
    await generator.run({ ...job, connections: SESSIONS, ms: 2 * ROUND_MS }); // compiled, and sessions made
  }
  const rows: Row[] = [];
  for (const connections of CONNECTIONS) {
    const loads = new Map<string, Load[]>(Object.keys(jobs).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, job] of Object.entries(jobs)) {
        loads.get(name)!.push(await generator.run({ ...job, connections, ms: ROUND_MS }));
      }
    }
    const bare = loads.get("bare Deno.serve")!;
    for (const [name, own] of loads) {
      const isAsked = name === EXECUTE && connections >= EXECUTIONS.connections;
      const goal = isAsked ? { goal: EXECUTIONS.goal } : {};
      rows.push(...rowsOf(`${name}, ${connections} connections`, own, bare, goal));
    }
  }
  return rows;
}

function rowsOf(
  what: string,
  own: readonly Load[],
  bare: readonly Load[],
  rate: Pick<Row, "goal">,
): Row[] {
  const of = (value: (load: Load, round: number) => number) => sample(own.map(value));
  const rows: Row[] = [
    { what: `HTTP, ${what}`, value: of((load) => load.perSecond), unit: "/s", ...rate },
    { what: "… p50", value: of((load) => load.p50), unit: "ms" },
    { what: "… p99", value: of((load) => load.p99), unit: "ms" },
  ];
  if (own === bare) {
    rows.push({
      what: "… processors that the load generator takes",
      value: of((load) => load.busy),
      unit: "",
    });
  } else {
    const times = of((load, round) => bare[round]!.perSecond / load.perSecond);
    const goal = what.startsWith("no-op") ? { goal: GOAL } : {};
    rows.push({
      what: "… echoes in the time of one call, in the same round",
      value: times,
      unit: "×",
      ...goal,
    });
  }
  return rows;
}
