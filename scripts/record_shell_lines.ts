/**
 * What the machine's bash and GNU's tools make of the lines of `tests/unit/runtime/shell/lines.jsonl`, written beside each of
 * them: `deno run --allow-all scripts/record_shell_lines.ts`. Each has a directory of its own that `prelude.sh` fills.
 */

import { join } from "node:path";
import { repository } from "./assets/paths.ts";

interface Line {
  readonly script: string;
  readonly stdout: string;
  readonly exitCode: number;
  /** Why it is not the same here. */
  readonly differs?: string;
}

const folder = join(repository, "tests/unit/runtime/shell");
const file = join(folder, "lines.jsonl");
const prelude = await Deno.readTextFile(join(folder, "prelude.sh"));
const env = { PATH: "/usr/bin:/bin", HOME: "/root", LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TZ: "UTC" };

async function bash(script: string, cwd: string): Promise<Deno.CommandOutput> {
  return await new Deno.Command("/usr/bin/bash", {
    args: ["-c", script],
    cwd,
    clearEnv: true,
    env,
    stdin: "null",
  })
    .output();
}

const lines: Line[] = (await Deno.readTextFile(file)).trimEnd().split("\n").map((line) => JSON.parse(line));
const recorded = [];
for (const { script, differs } of lines) {
  const cwd = await Deno.makeTempDir();
  await bash(prelude, cwd);
  const { stdout, code } = await bash(script, cwd);
  await Deno.remove(cwd, { recursive: true });
  const text = new TextDecoder().decode(stdout).replaceAll(cwd, "/app");
  recorded.push(JSON.stringify({ script, stdout: text, exitCode: code, ...(differs && { differs }) }));
}
await Deno.writeTextFile(file, `${recorded.join("\n")}\n`);
