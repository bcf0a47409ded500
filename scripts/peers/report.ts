/** The tables, what we are behind in, and where that is written to. */

import { fileURLToPath } from "node:url";
import { tryRun } from "../assets/process.ts";
import { geometricMean, sample, show } from "../bench/stats.ts";
import { drawCharts } from "../charts.ts";
import { circumstances } from "../circumstances.ts";
import { writeMeasured } from "../measured.ts";
import { chartsOf } from "./charts.ts";
import type { Computed, Contender, Sessions, Values } from "./measures.ts";
import type { Peer } from "./peer.ts";

export interface Measured {
  readonly contenders: readonly Contender[];
  /** Who could not be had. */
  readonly left: readonly { readonly peer: Peer; readonly reason: string }[];
  readonly starts: Values;
  readonly sessions: Sessions;
  readonly six: Computed;
  readonly ten: Computed;
  readonly five: Computed;
}

const US = "wasmbox";
/** Less than this is noise. */
const BEHIND = 1.05;
const NONE = "—";

/** A column: one figure of each peer. */
export interface Column {
  readonly title: string;
  readonly unit: string;
  readonly values: Values;
}

/** How much longer a peer takes for all programs than native ones, in each round. */
function againstNative(computed: Computed, native: string | undefined): Values {
  const ratios = new Map<string, number[] | string>();
  const names = new Set([...computed.times.values()].flatMap((values) => [...values.keys()]));
  for (const name of names) {
    const own = [...computed.times.values()].map((values) => {
      const theirs = values.get(name);
      const natives = values.get(native ?? "");
      if (!Array.isArray(theirs) || !Array.isArray(natives)) return undefined;
      const { median } = sample(natives);
      return theirs.map((ms: number) => ms / median);
    });
    if (own.some((values) => values === undefined)) {
      const reason = [...computed.times.values()].map((values) => values.get(name)).find((value) =>
        typeof value === "string"
      );
      ratios.set(name, typeof reason === "string" ? reason : "was not measured");
      continue;
    }
    const rounds = Math.min(...own.map((values) => values!.length));
    ratios.set(
      name,
      Array.from({ length: rounds }, (_, i) => geometricMean(own.map((values) => values![i]!))),
    );
  }
  return ratios;
}

function nativeOf({ contenders }: Measured, language: "python" | "javascript"): string | undefined {
  return contenders.find(({ peer }) => peer.native && peer.languages.includes(language))?.peer.name;
}

/** Everything that is one figure for each peer. */
export function columnsOf(measured: Measured): Column[] {
  const { starts, sessions, six, ten, five } = measured;
  const python = nativeOf(measured, "python");
  const javascript = nativeOf(measured, "javascript");
  return [
    { title: "process start → first result", unit: "ms", values: starts },
    { title: "new session → first result", unit: "ms", values: sessions.fresh },
    { title: "eight new sessions in a row, each", unit: "ms", values: sessions.atOnce },
    { title: "warm call, `print(1 + 1)`", unit: "ms", values: sessions.warm },
    { title: "memory of a session with `x = 1`", unit: "MB", values: sessions.weight },
    { title: "six programs, native = 1", unit: "×", values: againstNative(six, python) },
    { title: "ten programs, native = 1", unit: "×", values: againstNative(ten, python) },
    {
      title: `five programs of JavaScript, ${javascript ?? "native"} = 1`,
      unit: "×",
      values: againstNative(five, javascript),
    },
  ];
}

function medianOf(values: Values, name: string): number | undefined {
  const own = values.get(name);
  return Array.isArray(own) && own.length > 0 ? sample(own).median : undefined;
}

/** Two digits also of what is small. */
const times = (ratio: number) => `${ratio < 1 ? Number(ratio.toPrecision(2)) : show(ratio)}×`;

/** Median, least and most, and the ratio to ours. */
function cell({ values, unit }: Column, name: string): string {
  const own = values.get(name);
  if (!Array.isArray(own) || own.length === 0) return NONE;
  const { median, min, max } = sample(own);
  const range = own.length > 1 ? ` (${show(min)}–${show(max)})` : "";
  const ours = medianOf(values, US);
  const ratio = name === US || ours === undefined ? "" : `, ${times(median / ours)}`;
  return `${show(median)} ${unit}${range}${ratio}`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** What other sandboxes do better: a line for each figure, the worst first. */
function behind(measured: Measured): string {
  if (!measured.contenders.some(({ peer }) => peer.name === US)) return `${US} was not measured.`;
  const lines = columnsOf(measured).flatMap(({ title, unit, values }) => {
    const ours = medianOf(values, US);
    if (ours === undefined) return [];
    const ahead = measured.contenders.flatMap(({ peer: { name, native } }) => {
      const theirs = medianOf(values, name);
      const isAhead = theirs !== undefined && !native && name !== US && ours > theirs * BEHIND;
      return isAhead ? [{ name, theirs, factor: ours / Math.max(theirs, 1e-6) }] : [];
    }).sort((a, b) => b.factor - a.factor);
    if (!ahead[0]) return [];
    const others = ahead.map(({ name, theirs, factor }) =>
      `${name} ${show(theirs)} ${unit} (${show(factor)}×)`
    );
    return [{
      factor: ahead[0].factor,
      line: `- **${title}**: ${show(ours)} ${unit}; ${others.join(", ")}.`,
    }];
  });
  if (lines.length === 0) return "No other sandbox was ahead in any of these.";
  const list = lines.sort((a, b) => b.factor - a.factor).map(({ line }) => line).join("\n");
  return `Ours, then who is ahead, and how many times as much ours is.\n\n${list}`;
}

/** Each program's time against the native one's, by peer. */
function programsTable(
  measured: Measured,
  computed: Computed,
  native: string | undefined,
): string | undefined {
  if (computed.times.size === 0) return undefined;
  const names = measured.contenders.map(({ peer }) => peer.name).filter((name) =>
    [...computed.times.values()].some((values) => values.has(name))
  );
  const rows = [...computed.times].map(([program, values]) => {
    const base = medianOf(values, native ?? "");
    return [
      program,
      ...names.map((name) => {
        const own = medianOf(values, name);
        if (own === undefined || base === undefined) return NONE;
        return name === native ? `${show(own)} ms` : `${show(own / base)} ×`;
      }),
    ];
  });
  return tableOf(["program", ...names], rows);
}

/** Why a peer has no figure somewhere. */
function gaps(measured: Measured): string[] {
  const lines: string[] = [];
  const { six, ten, five } = measured;
  for (const { title, values } of columnsOf(measured)) {
    for (const [name, value] of values) {
      if (typeof value === "string") lines.push(`- ${name}, ${title}: ${value.replaceAll(/\s+/g, " ")}`);
    }
  }
  for (const [title, { wrong }] of Object.entries({ six, ten, five })) {
    for (const name of wrong) {
      lines.push(`- ${name}: results of the ${title} programs differ from native ones`);
    }
  }
  for (const { peer, reason } of measured.left) lines.push(`- ${peer.name} ${reason}.`);
  return lines;
}

export function report(measured: Measured): string {
  const columns = columnsOf(measured);
  const python = nativeOf(measured, "python");
  const javascript = nativeOf(measured, "javascript");
  const { contenders } = measured;
  const missing = gaps(measured);
  const programs = [
    programsTable(measured, measured.six, python),
    programsTable(measured, measured.ten, python),
    programsTable(measured, measured.five, javascript),
  ].filter((table) => table !== undefined);
  return [
    "## Where we are behind",
    behind(measured),
    "## All of it",
    "Median (least–most), and how many times ours that is: less than 1× is better than we are.",
    tableOf(
      ["measured", ...contenders.map(({ peer }) => peer.name)],
      columns.map((column) => [column.title, ...contenders.map(({ peer }) => cell(column, peer.name))]),
    ),
    ...missing.length > 0 ? ["What is missing there:", missing.join("\n")] : [],
    ...programs.length > 0 ? ["## Programs, against native ones", ...programs] : [],
    "## Who they are, and what they lack",
    tableOf(
      ["", "version", "what it is", "what it lacks"],
      contenders.map(({ peer, version }) => [peer.name, version, peer.what, peer.lacks]),
    ),
  ].join("\n\n");
}

/** Writes docs/measured/PEERS.md and its charts. */
export async function publish(measured: Measured): Promise<void> {
  const drawn = await drawCharts(chartsOf(columnsOf(measured)));
  if (!drawn) console.error("peers: this build has no matplotlib; the charts stay as they were");
  const charts = drawn ? "" : " Its charts are of an earlier run: this build has no matplotlib.";
  const text = `${await circumstances()}${charts}\n\n${report(measured)}`;
  await writeMeasured("PEERS", "scripts/peers", text);
  await tryRun([
    Deno.execPath(),
    "fmt",
    "--quiet",
    fileURLToPath(new URL("../../docs/measured/PEERS.md", import.meta.url)),
  ]);
}
