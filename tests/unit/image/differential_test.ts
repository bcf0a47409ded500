import { equal } from "node:assert/strict";
import { inProcess, inWorker } from "./elsewhere.ts";
import { describe, goOn, loadAssets, Session } from "./session.ts";
import { randomSteps } from "./steps.ts";

const STEPS = 200;
/** Which steps are done in a new Worker and in a new process; all others by new instances in this thread. */
const WORKER_EVERY = 10;
const PROCESS_EVERY = 40;

const seed = Number(Deno.env.get("WASMBOX_SEED") ?? 20261121);

Deno.test(`${STEPS} steps, each done elsewhere from the image of the one before, equal a session that stays where it is`, async () => {
  const assets = loadAssets();
  const undisturbed = new Session(assets);
  let image = new Uint8Array(0) as Uint8Array;
  for (const [index, step] of randomSteps(seed, STEPS).entries()) {
    const task = { image, before: index, steps: [step] };
    const done = index % PROCESS_EVERY === PROCESS_EVERY - 1
      ? await inProcess(task)
      : index % WORKER_EVERY === WORKER_EVERY - 1
      ? await inWorker(assets, task)
      : await goOn(assets, task);
    image = done.image;
    const expected = describe(await undisturbed.run(step.language, step.code));
    const where = `step ${index} of WASMBOX_SEED=${seed}: ${step.code}`;
    equal(done.results[0], expected, `${where}\nmoved: ${done.results[0]}\nundisturbed: ${expected}`);
    equal(JSON.parse(expected).status, "completed", `${where}: ${expected}`);
  }
});
