/** The stage that meters a module. */

import { join } from "node:path";
import { meter, type MeteringOptions } from "../../wasm/metering/mod.ts";
import { AssetsError } from "./errors.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { repository } from "./paths.ts";
import { INPUTS } from "./recipe.ts";
import { obtainStage } from "./stage.ts";
import { SCIENCE_STEPS, SCIPY_STEPS, SHELL_STEPS, STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

const METERING = {
  python: STEPS.python,
  quickjs: STEPS.quickjs,
  resvg: STEPS.resvg,
  science: SCIENCE_STEPS.metering,
  scipy: SCIPY_STEPS.metering,
  shell: SHELL_STEPS.metering,
} as const;

// Taken as the rewriter is loaded: minutes of building may pass before it runs, and somebody may edit it meanwhile.
const rewriter = await digestFiles(repository, INPUTS.metering);

/** A module to be metered, and the digest of what it was made from. */
export interface MeteringInput {
  readonly digest: string;
  read(): Promise<Uint8Array>;
  readonly options: MeteringOptions;
}

/** The metered module: `<name>.wasm`. */
export async function meterModule(
  store: StageStore,
  name: keyof typeof METERING,
  input: MeteringInput,
): Promise<Stage> {
  const digest = digestOf({
    input: input.digest,
    options: JSON.stringify(input.options),
    ...rewriter,
  });
  return await obtainStage(store, METERING[name], digest, async (target) => {
    const { wasm } = meter(await input.read(), input.options);
    // The rewriter is ours and knows a part of wasm: let the engine say whether it went well.
    if (!WebAssembly.validate(wasm)) {
      throw new AssetsError(`metering ${name}.wasm gave a module that is not valid`);
    }
    await Deno.writeFile(join(target, `${name}.wasm`), wasm);
  });
}
