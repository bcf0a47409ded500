/** Memory of processes. */

import { procFile } from "../tests/support/harness.ts";

function descendantsOf(pid: number): number[] {
  const children = procFile(`${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(descendantsOf)];
}

/** Proportional set size in MB: of what several mappings share, each one's part. */
function proportionalMegabytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(procFile(`${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

/** What processes and all their descendants take together, in MB. */
export function treeMegabytes(pids: readonly number[]): number {
  return pids.flatMap(descendantsOf).reduce((sum, pid) => sum + proportionalMegabytes(pid), 0);
}
