import assert from "node:assert/strict";
import fc from "fast-check";
import { meter } from "../../../../wasm/metering/mod.ts";
import { runs } from "../../../fuzz/runs.ts";
import { assemble, assertSameBehaviour } from "./harness.ts";
import { programs, toText } from "./programs.ts";

Deno.test("random programs behave as if they were not metered, and pay for each pass of a loop's header and indirect call outside of loops", () => {
  fc.assert(
    fc.property(programs, fc.integer(), (program, argument) => {
      const wasm = assemble(toText(program));
      const { fuel, globals } = assertSameBehaviour(wasm, (it) => it["f0"]!(argument));
      const counted = globals["counted"] as number;
      if (meter(wasm).stats.checkedEntries === 0) assert.equal(fuel, counted);
      else assert.ok(fuel >= counted);
    }),
    runs(150),
  );
});
