/**
 * What the machine's bash, GNU's tools and git make of the lines of `lines.jsonl` and `git.jsonl` in
 * `tests/unit/runtime/shell`, written beside each of them: `deno run --allow-all scripts/record_shell_lines.ts`. Each has
 * a directory of its own that `prelude.sh` fills, or begins with `git_prelude.sh`.
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

/** @param run Runs a line in its directory. */
async function record(name: string, run: (script: string, cwd: string) => Promise<Deno.CommandOutput>) {
  const file = join(folder, name);
  const lines: Line[] = (await Deno.readTextFile(file)).trimEnd().split("\n").map((line) => JSON.parse(line));
  const recorded = [];
  for (const { script, differs } of lines) {
    const cwd = await Deno.makeTempDir();
    const { stdout, code } = await run(script, cwd);
    await Deno.remove(cwd, { recursive: true });
    const text = new TextDecoder().decode(stdout).replaceAll(cwd, "/app");
    recorded.push(JSON.stringify({ script, stdout: text, exitCode: code, ...(differs && { differs }) }));
  }
  await Deno.writeTextFile(file, `${recorded.join("\n")}\n`);
}

const prelude = await Deno.readTextFile(join(folder, "prelude.sh"));
await record("lines.jsonl", async (script, cwd) => {
  await bash(prelude, cwd);
  return await bash(script, cwd);
});
const gitPrelude = await Deno.readTextFile(join(folder, "git_prelude.sh"));
await record("git.jsonl", (script, cwd) => bash(`${gitPrelude}\n${script}`, cwd));
