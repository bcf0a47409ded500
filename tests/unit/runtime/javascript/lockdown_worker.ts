/** A session's Worker as the executor makes it, with nothing but JavaScript in it. */

import { ControlCell } from "../../../../src/control/cell.ts";
import { RealClock } from "../../../../src/control/guest_clock.ts";
import { platformRandom } from "../../../../src/control/random.ts";
import { lockDown } from "../../../../src/executor/worker/lockdown.ts";
import { createFileSystem } from "../../../../src/fs/layout.ts";
import { createJavaScriptRuntime } from "../../../../src/runtime/javascript/javascript.ts";
import { javaScriptAssets, type StoredJavaScript } from "../../../support/javascript_assets.ts";

export interface Job {
  readonly stored: StoredJavaScript;
  /** Runs one after the other; null discards the heap. */
  readonly codes: readonly (string | null)[];
}

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Job>) => void) | null;
  postMessage(message: unknown): void;
};
const post = scope.postMessage.bind(scope);

scope.onmessage = async (event) => {
  const left = lockDown();
  const { stored, codes } = event.data;
  const cell = ControlCell.allocate();
  let output = "";
  const runtime = createJavaScriptRuntime({
    fs: createFileSystem({ maxBytes: 1 << 20, maxInodes: 100 }),
    cell,
    clock: new RealClock(cell),
    random: platformRandom,
    env: {},
    memoryBytes: 64 << 20,
    interruptGraceMs: 0,
    write: (_, bytes) => void (output += new TextDecoder().decode(bytes)),
    hostCall: (_, json) => ({ json, bytes: new Uint8Array(0) }),
  }, javaScriptAssets(stored));
  const outcomes: unknown[] = [];
  let execution = 0;
  for (const code of codes) {
    if (code === null) {
      runtime.discard();
      continue;
    }
    cell.enter(++execution);
    outcomes.push(
      await runtime.execute({ code, filename: `<execution ${execution}>`, resultMaxBytes: 10_000 }),
    );
    cell.leave();
  }
  post({ outcomes, output, left });
};
post("ready");
