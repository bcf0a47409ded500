/** The charts of docs/measured/PEERS.md. */

import { sample } from "../bench/stats.ts";
import type { Chart } from "../charts.ts";
import type { Column } from "./report.ts";

const PROGRAM = `
fig, axes = plt.subplots(len(data), 1, figsize=(8, sum(0.7 + 0.26 * len(d["names"]) for d in data)),
                         gridspec_kw={"height_ratios": [len(d["names"]) + 1.5 for d in data]})
for ax, d in zip([axes] if len(data) == 1 else axes, data):
    names, values = d["names"], d["values"]
    colours = ["#d9480f" if n == "wasmbox" else "#868e96" if d["native"][i] else "#4c72b0" for i, n in enumerate(names)]
    ax.barh(names, values, color=colours)
    ax.set_xscale("log")
    ax.set_xlim(min(values) / 2, max(values) * 5)
    ax.invert_yaxis()
    ax.set_title(d["title"] + " (" + d["unit"] + "), less is better", loc="left", fontsize=10)
    ax.grid(axis="y", visible=False)
    for i, v in enumerate(values):
        ax.text(v * 1.1, i, f"{v:,.0f}" if v >= 100 else "%.3g" % v, va="center", fontsize=8)
fig.tight_layout()
`;

const NATIVE: ReadonlySet<string> = new Set(["python3", "node"]);

function panel({ title, unit, values }: Column) {
  const medians = [...values].flatMap(([name, own]) =>
    Array.isArray(own) && own.length > 0 ? [{ name, median: sample(own).median }] : []
  ).filter(({ median }) => median > 0).sort((a, b) => a.median - b.median);
  return {
    title: title.replaceAll("`", ""),
    unit,
    names: medians.map(({ name }) => name),
    values: medians.map(({ median }) => median),
    native: medians.map(({ name }) => NATIVE.has(name)),
  };
}

export function chartsOf(columns: readonly Column[]): Chart[] {
  const panels = columns.map(panel).filter(({ values }) => values.length > 0);
  return [
    { file: "peers-sessions.svg", data: panels.filter(({ unit }) => unit !== "×"), program: PROGRAM },
    { file: "peers-computing.svg", data: panels.filter(({ unit }) => unit === "×"), program: PROGRAM },
  ];
}
