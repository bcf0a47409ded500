/** What becomes of time, memory and fairness where there is much of anything; docs/measured/SCALE.md with its charts. */

import { fileURLToPath } from "node:url";
import { tryRun } from "../assets/process.ts";
import { drawCharts } from "../charts.ts";
import { writeMeasured } from "../measured.ts";
import { circumstances } from "../circumstances.ts";
import { chartsOf } from "./scale/charts.ts";
import { besides, type Crowd, crowdRows, crowds } from "./scale/computing.ts";
import { type Growth, growths, idle } from "./scale/growth.ts";
import { MOST_SESSIONS, raised, starter } from "./scale/limits.ts";
import type { Command } from "../../tests/support/harness.ts";
import { type Row, sample, show, table } from "./stats.ts";

/** Of memory that a further idle session takes, in MB. */
const SESSION_GOAL = 5;

/** The ends of each growth: what lies between is in the document. */
function rowsOf({ title, of, timed, points }: Growth): Row[] {
  const [first, last] = [points[0]!, points.at(-1)!];
  return [first, last].flatMap(({ x, time, memory }) => [
    { what: `${title}, ${x} ${x === 1 ? of.replace(/s$/, "") : of}: ${timed}`, value: time, unit: "ms" },
    { what: "… memory of the server and its executors", value: sample([memory]), unit: "MB" },
  ]);
}

function sessionRow({ points }: Growth): Row {
  const [first, last] = [points[0]!, points.at(-1)!];
  const each = (last.memory - first.memory) / (last.x - first.x);
  return {
    what: "… of one of these sessions, PSS",
    value: sample([each]),
    unit: "MB",
    goal: SESSION_GOAL,
  };
}

function growthTable({ title, of, timed, points }: Growth): string {
  const rows = points.map(({ x, time, memory }) =>
    `| ${x} | ${show(time.median)} ms | ${show(time.min)}–${show(time.max)} | ${show(memory)} MB |`
  );
  return [`## ${title}`, "", `| ${of} | ${timed} | min–max | memory |`, "| --- | --- | --- | --- |", ...rows]
    .join("\n");
}

/**
 * @param server What is measured.
 * @param write Whether the document and its charts are made anew.
 */
export async function scale(server: Command, write: boolean): Promise<Row[]> {
  const start = starter(server);
  let all: Crowd[];
  let sessions: Growth;
  {
    await using many = await start();
    console.error("bench: scale: idle sessions");
    sessions = await idle(many, MOST_SESSIONS);
    console.error("bench: scale: sessions that compute at once");
    all = await crowds(many);
  }
  console.error("bench: scale: small calls beside them");
  const computing = [...crowdRows(all), ...await besides(start)];
  console.error("bench: scale: files, heap, output");
  const others = await growths(start);
  const rows = [...computing, ...rowsOf(sessions), sessionRow(sessions), ...others.flatMap(rowsOf)];
  if (write) await publish([sessions, ...others], all, table(computing));
  return rows;
}

async function publish(all: readonly Growth[], together: readonly Crowd[], computing: string): Promise<void> {
  const drawn = await drawCharts(chartsOf(all, together));
  if (!drawn) console.error("bench: this build has no matplotlib; the charts stay as they were");
  const parts = [
    await circumstances(),
    "## Computing at once",
    computing,
    ...all.map(growthTable),
    "## Limits that were raised for this",
    raised(),
  ];
  await writeMeasured("SCALE", "scripts/bench scale", parts.join("\n\n"));
  const path = fileURLToPath(new URL("../../docs/measured/SCALE.md", import.meta.url));
  await tryRun([Deno.execPath(), "fmt", "--quiet", path]);
}
