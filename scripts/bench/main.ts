/** `deno task bench`: prints one table of medians and ratios, all measured in this run. */

import { ensureAssets } from "../assets/mod.ts";
import { idleSessions, isolatedSessions, newSessions, serverStart, warmCalls } from "./calls.ts";
import { cpu } from "./cpu.ts";
import { files } from "./files.ts";
import { http } from "./http.ts";
import { packages } from "./packages.ts";
import { idleShells, shellCommands } from "./shell.ts";
import { cancellations, checkpoints, replacements } from "./stops.ts";
import { type Row, table } from "./stats.ts";

await ensureAssets();

const rows: Row[] = [];
const measure = async (what: string, work: () => Promise<Row[]>) => {
  console.error(`bench: ${what}`);
  rows.push(...await work());
};

await measure("warm calls", warmCalls);
await measure("files", files);
await measure("HTTP", http);
await measure("new sessions", newSessions);
await measure("idle sessions", idleSessions);
await measure("shell", shellCommands);
await measure("idle shells", idleShells);
await measure("sessions with processes of their own", isolatedSessions);
await measure("server start, source", () => serverStart("from source", {}));
const executable = await Deno.realPath("dist/wasmbox").catch(() => undefined);
if (executable) {
  const goals = { initialize: 150, first: 500 };
  const command = { command: executable, args: [] };
  await measure("server start, executable", () => serverStart("executable", goals, command));
} else {
  console.error('bench: no executable; "deno task compile" makes one');
}
await measure("cancellations", cancellations);
await measure("replacements", replacements);
await measure("checkpoints", checkpoints);
await measure("packages", packages);
await measure("CPU", cpu);
console.log(table(rows));
