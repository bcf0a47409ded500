/** The acceptance cases: one session runs them all, one after another, and so does the machine's bash. */

import { equal, ok } from "node:assert/strict";
import { Shell } from "./harness.ts";

interface Case {
  readonly name: string;
  readonly script: string;
  /** "bash": the output must be bash's. "document": docs/SHELL.md says what differs. */
  readonly compare: "bash" | "document";
}

const cases = (await Deno.readTextFile(new URL("./cases.jsonl", import.meta.url))).trim().split("\n")
  .map((line) => JSON.parse(line) as Case);

/** Programs that a machine may lack. */
const PROGRAMS: Readonly<Record<string, string>> = { python: "python3", node: "node", jq: "jq" };

/** What of an output may differ: who owns a file and when it was made, and the order in which find lists. */
function comparable(name: string, text: string): string {
  if (name === "gz") return text.replace(/^(-\S+ 1) .* (\S+)$/gm, "$1 $2");
  return name === "find" ? text.split("\n").sort().join("\n") : text;
}

async function bash(script: string, cwd: string): Promise<{ stdout: string; exitCode: number }> {
  const env = { USER: "user", HOME: "/app", PATH: Deno.env.get("PATH") ?? "", LANG: "C.UTF-8" };
  const command = new Deno.Command("bash", { args: ["-c", script], cwd, clearEnv: true, env, stdin: "null" });
  const { stdout, code } = await command.output();
  return { stdout: new TextDecoder().decode(stdout).replaceAll(cwd, "/app"), exitCode: code };
}

Deno.test("every acceptance case gives what the machine's bash gives", async () => {
  const cwd = await Deno.makeTempDir();
  const shell = new Shell();
  let compared = 0;
  for (const { name, script, compare } of cases) {
    const ran = await shell.run(script);
    if (compare !== "bash") {
      ok(ran.exitCode !== undefined, `${name} was stopped: ${JSON.stringify(ran.outcome)}`);
      continue;
    }
    const program = PROGRAMS[name];
    if (program && (await bash(`command -v ${program}`, cwd)).exitCode !== 0) continue;
    const expected = await bash(script, cwd);
    equal(comparable(name, ran.stdout), comparable(name, expected.stdout), `${name}: ${ran.stderr}`);
    equal(ran.exitCode, expected.exitCode, name);
    compared++;
  }
  ok(compared >= 30, `only ${compared} cases were compared`);
  await Deno.remove(cwd, { recursive: true });
});
