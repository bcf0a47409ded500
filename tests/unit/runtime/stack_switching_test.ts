import { deepEqual } from "node:assert/strict";
import wabtModule from "wabt";
import { stackSwitchingBytes } from "../../../src/runtime/stack_switching.ts";

/** wabt's types do not know of features in `validate`. */
interface Parsed {
  validate(features: object): void;
  toBinary(options: object): { buffer: Uint8Array };
}

Deno.test("the bytes of the imports that may wait are those of their source", async () => {
  const wabt = await wabtModule();
  const features = { exceptions: true };
  const url = new URL("../../../src/runtime/stack_switching.wat", import.meta.url);
  const parsed = wabt.parseWat(
    "stack_switching.wat",
    await Deno.readTextFile(url),
    features,
  ) as unknown as Parsed;
  parsed.validate(features);
  deepEqual(stackSwitchingBytes(), new Uint8Array(parsed.toBinary({}).buffer));
});
