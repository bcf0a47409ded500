/** Sessions that are hibernated and woken in other servers, compared with one that stays where it is. */

import assert from "node:assert/strict";
import { type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";
import { StoredServers } from "../support/stored_server.ts";
import type { LanguageAlias } from "../../src/languages.ts";
import { randomSteps } from "../unit/image/steps.ts";

/** Among the tests few of the steps are followed by another server; STORE_STEPS=300 tries all of so many. */
const LONG = Number(Deno.env.get("STORE_STEPS") || 0);
const STEPS = LONG || 100;
const MOVE_EVERY = LONG ? 1 : 20;
/** Of the moves so many are crashes. */
const CRASH_EVERY = 3;
const SHELL_EVERY = 5;

const seed = Number(Deno.env.get("WASMBOX_SEED") ?? 20261122);

const SHELL = [
  'a=(${a[@]} $n); declare -A m; m[k$n]=$n; echo ${#a[@]} "${a[*]}" ${#m[@]}',
  "f() { local v=$1; g$n() { echo $v $n; }; }; f $n; g$n; declare -F",
  "cd /tmp; mkdir -p d$n; cd d$n; pwd; echo $n >> log; wc -l < log; cat log | sort | uniq -c",
  "x=$((x * 31 + $n)); export x; echo $x; env | grep ^x=; alias | wc -l; alias a$n='echo $n'",
  "set -- $n $@; echo $# $1; shopt -s extglob; trap 'echo bye' EXIT; ls -A ~ | head -3",
];

interface Step {
  readonly language: LanguageAlias;
  readonly code: string;
}

const steps: Step[] = randomSteps(seed, STEPS).map((step, index) =>
  index % SHELL_EVERY === 0
    ? {
      language: "shell",
      code: SHELL[index / SHELL_EVERY % SHELL.length]!.replaceAll("$n", `${1 + index % 9}`),
    }
    : step
);

function shown({ status, result, stdout, stderr, error, notice }: Reply): string {
  return JSON.stringify({ status, result, stdout, stderr, error, notice });
}

Deno.test(`[${UNDER_TEST}] ${STEPS} steps, of which every ${MOVE_EVERY}. is followed by another server, equal a session that stays where it is`, async () => {
  await using undisturbed = await TestServer.start();
  await using servers = await StoredServers.make();
  let server = await servers.start();
  for (const [index, { language, code }] of steps.entries()) {
    const [expected, moved] = await Promise.all([
      undisturbed.run(language, code),
      server.run(language, code),
    ]);
    const where = `step ${index} of WASMBOX_SEED=${seed}: ${code}`;
    assert.equal(shown(moved), shown(expected), where);
    assert.equal((moved as unknown as { durable: boolean }).durable, true, where);
    if (index % MOVE_EVERY !== MOVE_EVERY - 1) continue;
    await servers[(index + 1) / MOVE_EVERY % CRASH_EVERY === 0 ? "crash" : "stop"](server);
    server = await servers.start();
  }
});
