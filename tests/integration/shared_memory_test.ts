/** Heaps that share memory with what they started from. */

import assert from "node:assert/strict";
import {
  childrenOf,
  killExecutors,
  procFile,
  serverCommand,
  TestServer,
  UNDER_TEST,
} from "../support/harness.ts";

const LANGUAGES = {
  python: {
    write: "import json; json.left = 'here'; json.dumps",
    read: "import json; getattr(json, 'left', 'nothing')",
  },
  javascript: { write: "Math.left = 'here'", read: "Math.left ?? 'nothing'" },
  shell: { write: "left=here; cd /tmp", read: "echo ${left-nothing}" },
} as const;

/** Mappings of the memory files that are private to a heap. */
function privateMappings(server: TestServer): number {
  return childrenOf(server.transport.pid!).flatMap((pid) =>
    procFile(`${pid}/maps`).split("\n").filter((line) => /^\S+ rw-p .*memfd:base/.test(line))
  ).length;
}

for (const language of ["python", "javascript", "shell"] as const) {
  const { write, read } = LANGUAGES[language];
  Deno.test(`[${UNDER_TEST}] sessions of ${language} share memory, and none sees what another one writes there`, async () => {
    await using server = await TestServer.start();
    const outputs = async (code: string, sessions: readonly string[]) => {
      const replies = [];
      for (const session_id of sessions) {
        const { result, stdout } = await server.run(language, code, { session_id });
        replies.push(result ?? stdout.trim());
      }
      return replies.map((text) => text.replaceAll("'", "").replaceAll('"', ""));
    };
    await outputs(read, ["before"]);
    await outputs(write, ["writer", "other"]);
    const all = ["before", "after", "writer", "other"];
    const expected = ["nothing", "nothing", "here", "here"];
    assert.deepEqual(await outputs(read, all), expected);
    if (Deno.build.os === "linux") assert.ok(privateMappings(server) >= all.length);

    await killExecutors(server);
    assert.deepEqual(await outputs(read, [...all, "new"]), [...expected, "nothing"]);
  });
}

Deno.test(`[${UNDER_TEST}] where executors are to keep no permission, sessions share no memory`, async () => {
  const file = await Deno.makeTempFile({ prefix: "wasmbox-policy-", suffix: ".toml" });
  await Deno.writeTextFile(file, "share_memory = false");
  const { command, args } = serverCommand();
  await using server = await TestServer.start({ command, args: [...args, "serve", "--policy", file] });
  assert.equal((await server.python("x = 1; x + 1", { session_id: "one" })).result, "2");
  assert.equal((await server.python("x = 2; x + 1", { session_id: "two" })).result, "3");
  assert.equal((await server.run("javascript", "1 + 1", { session_id: "two" })).result, "2");
  assert.equal(privateMappings(server), 0);
  await Deno.remove(file);
});
