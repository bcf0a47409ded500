/**
 * Every test: unit and integration from source on the running Deno, then the integration and security tests again on
 * the compiled executable, wherever a runtime for it can be had. Ends with a plain line of totals.
 */

import { fileURLToPath } from "node:url";
import { ensureAssets } from "./assets/mod.ts";
import { compileExecutable } from "./compile.ts";
import { TEST_FLAGS } from "./test_flags.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

interface Totals {
  passed: number;
  failed: number;
}

/** Runs `deno test` and adds its totals up; they are read off its summary. */
async function test(
  totals: Totals,
  title: string,
  paths: readonly string[],
  env: Record<string, string> = {},
) {
  console.error(`test: ${title}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", ...TEST_FLAGS, ...paths],
    cwd: ROOT,
    env: { ...env, NO_COLOR: "1", RUST_MIN_STACK: "8388608" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    await Deno.stdout.write(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  const { success } = await child.status;
  const summary = output.match(/\| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed/);
  totals.passed += Number(summary?.[1] ?? 0);
  totals.failed += Number(summary?.[2] ?? 0);
  if (!success && !(Number(summary?.[2]) > 0)) totals.failed++; // it ended before it could count
}

/**
 * Makes DENORT_BIN known where the machine's own helper can tell a runtime.
 *
 * @returns False if no runtime can be had for `deno compile`.
 */
async function findRuntime(): Promise<boolean> {
  if (Deno.env.has("DENORT_BIN")) return true;
  const helper = fileURLToPath(new URL("../../shared/tools/denort", import.meta.url));
  const told = await new Deno.Command(helper).output().catch(() => undefined);
  if (!told?.success) return false;
  Deno.env.set("DENORT_BIN", new TextDecoder().decode(told.stdout).trim());
  return true;
}

const started = performance.now();
const totals: Totals = { passed: 0, failed: 0 };
await ensureAssets();
const hasRuntime = await findRuntime();
const later: Record<string, string> = hasRuntime ? { WASMBOX_EXECUTABLE_FOLLOWS: "1" } : {};
await test(totals, `from source, Deno ${Deno.version.deno}`, [
  "tests/unit",
  "tests/fuzz",
  "tests/integration",
  "tests/security",
], later);
if (hasRuntime) {
  const executable = await compileExecutable();
  await test(totals, "the compiled executable", ["tests/integration", "tests/security"], {
    WASMBOX_EXECUTABLE: executable,
  });
} else {
  console.error("test: SKIPPED the compiled executable: no runtime for `deno compile` (set DENORT_BIN)");
}
console.error(`test: ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
Deno.exit(totals.failed > 0 ? 1 : 0);
