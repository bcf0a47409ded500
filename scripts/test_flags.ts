/** What every run of `deno test` here is allowed, and the stack and collector that some tests need. */
export const TEST_FLAGS = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
  "--allow-net",
  "--v8-flags=--stack-size=3600,--expose-gc",
];
