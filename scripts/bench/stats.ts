/** Medians, geometric means, and the table they are printed in. */

export interface Sample {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function sample(values: readonly number[]): Sample {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (median === undefined || min === undefined || max === undefined) {
    throw new Error("no values were measured");
  }
  return { median, min, max };
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** One line of the bench's table. */
export interface Row {
  readonly what: string;
  readonly value: Sample;
  readonly unit: string;
  /** Largest median that meets the goal, of a rate the smallest one; absent where there is none. */
  readonly goal?: number;
}

export const show = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

function meets(median: number, goal: number, unit: string): string {
  const isRate = unit.startsWith("/");
  const isMet = isRate ? median >= goal : median <= goal;
  return `${isRate ? "≥" : "≤"} ${goal} ${unit}: ${isMet ? "met" : "missed"}`;
}

/** The rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, value, unit, goal }) => {
    const met = goal === undefined ? "" : meets(value.median, goal, unit);
    return `| ${what} | ${show(value.median)} ${unit} | ${show(value.min)}–${show(value.max)} | ${met} |`;
  });
  return ["| measured | median | min–max | goal |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

/** Times `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs `work` `count` times, one after the other, and gives what each returned. */
export async function repeat(count: number, work: (index: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < count; i++) values.push(await work(i));
  return values;
}
