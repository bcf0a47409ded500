import assert from "node:assert/strict";
import { inFull, leaveOut, LEFT_OUT } from "../../../src/mcp/left_out.ts";

const SAID = { execution_id: "e", status: "completed", stdout: "", session_created: false };
const FUEL = {
  budget: null,
  utilization_percent: 0,
  status: "efficient",
  advice: "Nothing to do.",
  session_budget: null,
};
const DISPLAY = { mime_type: "image/png", size: 1, source: "display" };
const NO_DISPLAY = { text: null, image: null, width: null, height: null, path: null, uri: null, note: null };

Deno.test("a reply in which nothing is unusual has none of the fields that say so", () => {
  assert.deepEqual(leaveOut({ ...SAID, ...LEFT_OUT, fuel: FUEL }), SAID);
  assert.deepEqual(inFull(SAID), { ...SAID, ...LEFT_OUT });
});

Deno.test("what is unusual stays, and all of it can be read in full again", () => {
  const full = {
    ...SAID,
    ...LEFT_OUT,
    stderr: "oh",
    result: "None",
    return_value: false,
    truncated: { stdout: true, stderr: false },
    displays: [{ ...DISPLAY, ...NO_DISPLAY, image: 0, width: 2 }],
    fuel: { ...FUEL, budget: 10 },
  };
  const left = leaveOut(full);
  assert.deepEqual(left, {
    ...SAID,
    stderr: "oh",
    result: "None",
    return_value: false,
    truncated: { stdout: true, stderr: false },
    displays: [{ ...DISPLAY, image: 0, width: 2 }],
    fuel: { utilization_percent: 0, status: "efficient", budget: 10 },
  });
  assert.deepEqual(inFull(left), full);
});

Deno.test("a program's own value is not taken for a field of the same name", () => {
  const value = { error: null, stderr: "", displays: [] };
  assert.deepEqual(leaveOut({ ...SAID, ...LEFT_OUT, return_value: value, fuel: FUEL }).return_value, value);
});

Deno.test("a reply of another tool is in full as it is", () => {
  assert.deepEqual(inFull({ session_id: "s", notice: null }), { session_id: "s", notice: null });
});
