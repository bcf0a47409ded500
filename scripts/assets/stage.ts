/** How a stage is made: as a step of the build, where the cache does not have it. */

import { step } from "./progress.ts";
import type { Step } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

/** @param making The step that makes it; names the stage. @param make Puts the stage's files into a directory. */
export async function obtainStage(
  store: StageStore,
  making: Step & { readonly stage: string },
  digest: string,
  make: (directory: string) => Promise<void>,
): Promise<Stage> {
  const directory = await store.obtain(making.stage, digest, (target) => step(making, () => make(target)));
  return { directory, digest };
}
