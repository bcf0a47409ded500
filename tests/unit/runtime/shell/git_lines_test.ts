/** Command lines of git, with what the real one made of them (`scripts/record_shell_lines.ts`): ids of objects among it. */

import { deepEqual } from "node:assert/strict";
import { Shell } from "./harness.ts";

interface Line {
  readonly script: string;
  readonly stdout: string;
  readonly exitCode: number;
}

const here = (name: string) => new URL(`./${name}`, import.meta.url);
const prelude = await Deno.readTextFile(here("git_prelude.sh"));
const lines: readonly Line[] = (await Deno.readTextFile(here("git.jsonl"))).trim().split("\n")
  .map((line) => JSON.parse(line));

Deno.test("command lines of git print what git prints, and end with its exit codes", async () => {
  for (const { script, stdout, exitCode } of lines) {
    const shell = new Shell({ env: { TZ: "UTC", LC_ALL: "C.UTF-8" } });
    const ran = await shell.run(`${prelude}\n${script}`);
    deepEqual([ran.stdout, ran.exitCode], [stdout, exitCode], `${script}\n${ran.stderr}`);
  }
});

Deno.test("options of git's that are not here are refused by their names, whatever stands beside them", async () => {
  const shell = new Shell();
  await shell.run("git init -q");
  for (
    const [command, refused] of [
      ["git commit --include -v -m x", "commit --include"],
      ["git merge -F message --squash b", "merge --file"],
      ["git config --show-origin --edit", "config --edit"],
      ["git blame -wtL 1,2 f", "blame -t"],
      ["git restore -p f", "restore --patch"],
    ] as const
  ) {
    const { stderr, exitCode } = await shell.run(command);
    deepEqual([stderr, exitCode], [`fatal: git ${refused} is not supported here\n`, 128], command);
  }
});

Deno.test("git bisect run says what it lacks, and does not run its command", async () => {
  const shell = new Shell();
  await shell.run("git init -q; git commit -q --allow-empty -m one");
  const needed = "give me at least one bad|new and good|old revision.\n" +
    'You can use "git bisect bad|new" and "git bisect good|old" for that.\n';
  const unstarted = await shell.run("git bisect run echo ran");
  deepEqual([unstarted.stdout, unstarted.stderr, unstarted.exitCode], [
    "",
    `error: bisect run failed: You need to start by "git bisect start". You then need to ${needed}`,
    1,
  ]);
  const badAlone = await shell.run(
    "git bisect start >/dev/null; git bisect bad >/dev/null; git bisect run echo ran",
  );
  deepEqual([badAlone.stdout, badAlone.stderr, badAlone.exitCode], [
    "",
    `error: bisect run failed: You need to ${needed}`,
    1,
  ]);
});
