/** Format, lint and types. */

import { run } from "./assets/process.ts";

const SOURCES = ["main.ts", "src", "wasm", "scripts", "tests"];

const STEPS: readonly [string, string[]][] = [
  ["format", [Deno.execPath(), "fmt", "--check"]],
  ["lint", [Deno.execPath(), "lint"]],
  ["types", [Deno.execPath(), "check", "--frozen", ...SOURCES]],
];

let failed = false;
for (const [what, argv] of STEPS) {
  try {
    await run(what, { argv });
    console.error(`check: ${what}: ok`);
  } catch (error) {
    failed = true;
    console.error(`check: ${error instanceof Error ? error.message : error}`);
    if (error instanceof Error && "log" in error) console.error(error.log);
  }
}
Deno.exit(failed ? 1 : 0);
