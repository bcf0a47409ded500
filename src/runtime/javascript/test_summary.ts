/** How a report of `node:test` begins and ends: that of a program, and that of all files which `node --test` runs. */

export const REPORTERS = ["spec", "tap", "dot"] as const;
export type Reporter = typeof REPORTERS[number];

/** What is told of, in this order. */
export const COUNTS = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;

/** `top` are those tests and suites that are in no other. */
export type Counts = Record<typeof COUNTS[number] | "top", number>;

export interface Summary extends Counts {
  /** In ms. */
  readonly duration: number;
  /** As they are shown. */
  readonly failures: readonly string[];
}

export function noCounts(): Counts {
  return { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0, top: 0 };
}

/** A suite counts as none of the tests, but fails by its own text or hooks. */
export const hasFailed = ({ fail, cancelled, failures }: Summary): boolean =>
  fail + cancelled + failures.length > 0;

export const rounded = (ms: number): number => Math.round(ms * 1e6) / 1e6;

const counted = (summary: Summary, mark: string): string[] => [
  ...COUNTS.map((name) => `${mark} ${name} ${summary[name]}`),
  `${mark} duration_ms ${rounded(summary.duration)}`,
];

export const HEADERS: Readonly<Record<Reporter, string>> = { spec: "", tap: "TAP version 13\n", dot: "" };

export const SUMMARIES: Readonly<Record<Reporter, (summary: Summary) => string>> = {
  spec(summary) {
    const { failures } = summary;
    const failed = failures.length > 0
      ? ["", "✖ failing tests:", "", ...failures.flatMap((each) => [each, ""])]
      : [];
    return `${[...counted(summary, "ℹ"), ...failed].join("\n")}\n`;
  },
  tap: (summary) => `${[`1..${summary.top}`, ...counted(summary, "#")].join("\n")}\n`,
  dot: ({ failures }) => failures.length > 0 ? `\n\nFailed tests:\n\n${failures.join("\n")}\n` : "\n",
};
