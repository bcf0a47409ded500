/**
 * `deno task bench [--write] [PART …]`: prints one table of medians and ratios, all measured in this run. A part is any
 * of the names below, or some letters of it; without any, all are measured, and with --write they become the table of
 * docs/measured/FIGURES.md, and scale's also docs/measured/SCALE.md.
 */

import { ensureAssets } from "../assets/mod.ts";
import { builtExecutable } from "../built_executable.ts";
import {
  idleSessions,
  isolatedSessions,
  newSessions,
  serverStart,
  sizeOnDisk,
  SOURCE,
  type Subject,
  warmCalls,
} from "./calls.ts";
import { serverCommand } from "../../tests/support/harness.ts";
import { cpu } from "./cpu.ts";
import { files } from "./files.ts";
import { javascript } from "./javascript.ts";
import { http } from "./http.ts";
import { packages } from "./packages.ts";
import { scale } from "./scale.ts";
import { science } from "./science.ts";
import { idleShells, largeFiles, shellCommands } from "./shell.ts";
import { cancellations, checkpoints, replacements } from "./stops.ts";
import { sharedStore } from "./shared_store.ts";
import { storedSessions } from "./stored.ts";
import { type Row, table } from "./stats.ts";
import { warmUp } from "./warm_up.ts";
import { writeMeasured } from "../measured.ts";

await ensureAssets();

const executable = await builtExecutable();
const compiled = executable === undefined ? undefined : { command: executable, args: [] };
/** What people run, if it is there. */
const subject: Subject = compiled ? { title: "executable", server: compiled } : SOURCE;
// For executables; the bench's own servers are told otherwise.
for (const key of ["MAX_SESSIONS", "MAX_SESSIONS_PER_CLIENT"]) Deno.env.set(`WASMBOX_POLICY_${key}`, "1000");
Deno.env.set("WASMBOX_LOGGING_LEVEL", "warning");
if (!executable) console.error('bench: no executable; "deno task compile" makes one');

const write = Deno.args.includes("--write");
/** The part with a document of its own, which can be written alone. */
const SCALE = "scale";
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  "warm calls": () => warmCalls(compiled),
  "files": files,
  "HTTP": http,
  "new sessions": () => newSessions(subject),
  "idle sessions": () => idleSessions(subject),
  "JavaScript": () => javascript(subject),
  "shell": shellCommands,
  "shell over large files": largeFiles,
  "idle shells": idleShells,
  "sessions with processes of their own": isolatedSessions,
  "server start, source": () => serverStart("from source", { first: 500 }),
  ...executable && {
    "server start, executable": async () => [
      ...await serverStart("executable", { initialize: 120, first: 150 }, compiled),
      await sizeOnDisk(executable),
    ],
  },
  "cancellations": cancellations,
  "replacements": replacements,
  "checkpoints": checkpoints,
  "stored sessions": () => storedSessions(compiled ?? serverCommand()),
  "shared store": sharedStore,
  "packages": packages,
  "CPU": cpu,
  "warming up": () => warmUp(subject),
  "science": () => science(subject),
  [SCALE]: () => scale(compiled ?? serverCommand(), write),
};

const asked = Deno.args.filter((arg) => arg !== "--write");
const wanted = Object.entries(PARTS)
  .filter(([name]) => asked.length === 0 || asked.some((part) => name.includes(part)));
if (write && asked.length > 0 && wanted.some(([name]) => name !== SCALE)) {
  console.error(
    `bench: --write is for all parts together, whose figures are of one run, or for ${SCALE} alone`,
  );
  Deno.exit(2);
}
if (wanted.length === 0) {
  console.error(`bench: there are only these parts: ${Object.keys(PARTS).join("; ")}`);
  Deno.exit(2);
}
const rows: Row[] = [];
for (const [name, measure] of wanted) {
  console.error(`bench: ${name}`);
  rows.push(...await measure());
}
console.log(table(rows));
if (write && asked.length === 0) await writeMeasured("FIGURES", "scripts/bench", table(rows));
