/** Lines over every tool and construct, with what bash 5.2 and GNU's tools made of them (`scripts/record_shell_lines.ts`). */

import { deepEqual, ok } from "node:assert/strict";
import { Shell } from "./harness.ts";

interface Line {
  readonly script: string;
  readonly stdout: string;
  readonly exitCode: number;
  /** Why it is not the same here; docs/SHELL.md has these. */
  readonly differs?: string;
}

const here = (name: string) => new URL(`./${name}`, import.meta.url);
const prelude = await Deno.readTextFile(here("prelude.sh"));
const lines: readonly Line[] = (await Deno.readTextFile(here("lines.jsonl"))).trim().split("\n")
  .map((line) => JSON.parse(line));

/** In a fresh session each, whose files are the prelude's. */
async function ran(script: string): Promise<readonly [stdout: string, exitCode: number | undefined]> {
  const shell = new Shell({ env: { TZ: "UTC", LC_ALL: "C.UTF-8" } });
  await shell.run(prelude);
  const { stdout, exitCode } = await shell.run(script);
  return [stdout, exitCode];
}

Deno.test("lines of every tool and construct do what bash and GNU's tools do", async () => {
  for (const { script, stdout, exitCode, differs } of lines) {
    if (!differs) deepEqual(await ran(script), [stdout, exitCode], script);
  }
});

Deno.test("what is known to differ still does, and is little", async () => {
  const known = lines.filter(({ differs }) => differs !== undefined);
  ok(known.length <= lines.length * 0.03, `${known.length} of ${lines.length}`);
  for (const { script, stdout, exitCode } of known) {
    const [here, code] = await ran(script);
    ok(here !== stdout || code !== exitCode, `no longer differs: ${script}`);
  }
});
