/** How a stage is made: as a step of the build, where the cache does not have it. */

import { step } from "./progress.ts";
import type { Slots } from "./slots.ts";
import type { Step } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

/**
 * @param making The step that makes it; names the stage. @param make Puts the stage's files into a directory.
 * @param slots Of which it needs one; absent: none.
 */
export async function obtainStage(
  store: StageStore,
  making: Step & { readonly stage: string },
  digest: string,
  make: (directory: string) => Promise<void>,
  slots?: Slots,
): Promise<Stage> {
  const directory = await store.obtain(making.stage, digest, (target) => {
    const run = () => step(making, () => make(target));
    return slots ? slots.use(run) : run();
  });
  return { directory, digest };
}
