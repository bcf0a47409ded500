/**
 * The properties of tests/fuzz, and those of the metering, tried for longer than among the tests.
 *
 *     deno task fuzz [times, 20 if absent] [seed]
 */

import { fileURLToPath } from "node:url";
import { TEST_FLAGS } from "./test_flags.ts";

const [times = "20", seed = ""] = Deno.args;
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "--no-check", ...TEST_FLAGS, "tests/fuzz", "tests/unit/wasm/metering/property_test.ts"],
  cwd: fileURLToPath(new URL("../", import.meta.url)),
  env: { RUST_MIN_STACK: "8388608", WASMBOX_FUZZ_RUNS: times, WASMBOX_FUZZ_SEED: seed },
}).spawn().status;
Deno.exit(code);
