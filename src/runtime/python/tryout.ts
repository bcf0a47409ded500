/** Whether packages that were installed can be imported here (`wasm/python/glue/_wasmbox_tryout.py`). */

import * as z from "zod/mini";
import type { RuntimeHost, SynchronousRuntime } from "../runtime.ts";
import { beforeProjects } from "./science.ts";

/** What importing may take: about ten seconds. Who needs longer is not found wanting. */
const FUEL = 1_000_000_000;
const RESULT_MAX_BYTES = 64 * 1024;
const MAX_PROJECTS = 10;

const failures = z.array(z.object({
  name: z.string(),
  module: z.string(),
  error: z.string(),
  /** Whether it is for want of native code, which an older release may not have needed. */
  curable: z.boolean(),
}));
export type ImportFailure = z.infer<typeof failures>[number];

export interface Tryout {
  readonly failures: readonly ImportFailure[];
  readonly fuelConsumed: number;
}

/**
 * Imports what some projects provide, in an interpreter of its own.
 *
 * @param fuelLeft What this may use at most.
 */
export function tryOut(
  host: RuntimeHost,
  makePython: (host: RuntimeHost) => SynchronousRuntime,
  projects: readonly string[],
  fuelLeft: number,
): Tryout {
  if (projects.length === 0 || fuelLeft <= 0) return { failures: [], fuelConsumed: 0 };
  const before = host.fs.snapshot();
  const interpreter = makePython({ ...host, write: () => {} });
  try {
    const names = JSON.stringify(JSON.stringify(projects.slice(0, MAX_PROJECTS)));
    const outcome = interpreter.executeNow({
      code: `import json, _wasmbox_tryout\n_wasmbox_tryout.run(json.loads(${names}))`,
      filename: "<tryout>",
      next: beforeProjects(host.fs, projects),
      resultMaxBytes: RESULT_MAX_BYTES,
      fuelBudget: Math.min(FUEL, fuelLeft),
    });
    const said = outcome.status === "completed" ? outcome.result : null;
    return { failures: parse(said), fuelConsumed: outcome.fuelConsumed };
  } finally {
    interpreter.discard();
    host.fs.restore(before); // whatever the packages write when they are imported
    host.fs.reap();
  }
}

function parse(said: string | null): readonly ImportFailure[] {
  try {
    return failures.parse(JSON.parse(said ?? "[]"));
  } catch {
    return []; // the packages share an interpreter with what asks
  }
}
