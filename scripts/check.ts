/** Format, lint and types, on the running Deno; types of the program again on the Deno that compiles it. */

import { run } from "./assets/process.ts";

const SOURCES = ["main.ts", "src", "wasm", "scripts", "tests"];

const STEPS: readonly [string, string[]][] = [
  ["format", [Deno.execPath(), "fmt", "--check"]],
  ["lint", [Deno.execPath(), "lint"]],
  ["types", [Deno.execPath(), "check", "--frozen", ...SOURCES]],
  ["types on Deno 2.4.2", ["npx", "-y", "deno@2.4.2", "check", "--frozen", "main.ts", "src"]],
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
