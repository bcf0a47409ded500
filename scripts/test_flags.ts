import { fileURLToPath } from "node:url";

/**
 * What every run of `deno test` here is allowed, and the stack and collector that some tests need. All of it, since the
 * driver of browsers looks at files below /proc, which nothing less allows; servers under test are given what they need.
 */
export const TEST_FLAGS = [
  "--no-prompt",
  "--allow-all",
  `--preload=${fileURLToPath(new URL("../tests/support/small_threads.ts", import.meta.url))}`,
  "--v8-flags=--stack-size=3600,--wasm-stack-switching-stack-size=3600,--expose-gc",
];
