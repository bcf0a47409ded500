/** The charts of docs/measured/SCALE.md. */

import type { Chart } from "../../charts.ts";
import type { Crowd } from "./computing.ts";
import type { Growth } from "./growth.ts";

const GROWTH = `
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
for ax, key, label in ((left, "time", "ms, " + data["timed"]), (right, "memory", "MB, server and executors")):
    ax.plot(data["x"], data[key], marker="o", color="#d9480f")
    if data["wide"]: ax.set_xscale("symlog" if data["x"][0] == 0 else "log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel(data["of"])
    ax.set_title(label, loc="left", fontsize=10)
if "low" in data:
    left.fill_between(data["x"], data["low"], data["high"], color="#d9480f", alpha=0.15)
    left.set_ylim(0, max(data["time"]) * 3)
fig.suptitle(data["title"])
fig.tight_layout()
`;

/** Beyond this a linear axis shows only the last points apart. */
const WIDE = 1000;

const TOGETHER = `
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
names = [str(n) for n in data["sessions"]]
left.bar(names, data["throughput"], color="#4c72b0")
left.set_title("work a second, all together", loc="left", fontsize=10)
right.bar(names, data["spread"], color="#d9480f")
right.axhline(1.1, color="#868e96", linestyle="--")
right.set_yscale("log")
right.yaxis.set_major_formatter("{x:.3g}")
right.yaxis.set_minor_formatter("{x:.3g}")
right.set_ylim(0.9, 1.2 * max(data["spread"] + [2]))
right.set_title("most work of a session / least (goal 1.1)", loc="left", fontsize=10)
for ax in (left, right): ax.set_xlabel("sessions computing at once")
fig.tight_layout()
`;

function growthChart({ name, title, of, timed, points }: Growth): Chart {
  return {
    file: `scale-${name}.svg`,
    data: {
      title,
      of,
      timed: timed.replaceAll("`", ""),
      x: points.map(({ x }) => x),
      wide: points.at(-1)!.x >= WIDE,
      time: points.map(({ time }) => time.median),
      low: points.map(({ time }) => time.min),
      high: points.map(({ time }) => time.max),
      memory: points.map(({ memory }) => memory),
    },
    program: GROWTH,
  };
}

/** One for each growth, and one for who computes at once. */
export function chartsOf(all: readonly Growth[], together: readonly Crowd[]): Chart[] {
  const column = (of: keyof Crowd) => together.map((crowd) => crowd[of]);
  const data = {
    sessions: column("sessions"),
    throughput: column("throughput"),
    spread: column("spread"),
  };
  return [{ file: "scale-computing.svg", data, program: TOGETHER }, ...all.map(growthChart)];
}
