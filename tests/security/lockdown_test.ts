import assert from "node:assert/strict";
import { ALLOWED_GLOBALS } from "../../src/executor/worker/lockdown.ts";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

interface Report {
  stuck: string[];
  globals: string[];
  attempts: Record<string, string>;
}

/** What a locked Worker says of itself, on a Deno with the executor's V8 flags. */
async function lockedWorker(): Promise<Report> {
  const worker = new URL("./fixtures/locked_worker.ts", import.meta.url).href;
  const program = `const w = new Worker(${
    JSON.stringify(worker)
  }, { type: "module", deno: { permissions: "none" } });
    w.onerror = (e) => { console.error(e.message); Deno.exit(1); };
    w.onmessage = (e) => { console.log(JSON.stringify(e.data)); Deno.exit(0); };`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, program);
  const flags = [
    "--unstable-worker-options",
    "--v8-flags=--disallow-code-generation-from-strings,--expose-gc",
    "--allow-read",
  ];
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", `--config=${config}`, ...flags, file],
    stderr: "inherit",
  }).output();
  await Deno.remove(file);
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test({
  name: "a locked Worker has nothing left but the globals of the short list",
  ignore: UNDER_TEST !== "source",
  async fn() {
    const { stuck, globals, attempts } = await lockedWorker();
    assert.deepEqual(stuck, []);
    assert.deepEqual(globals.filter((name) => !ALLOWED_GLOBALS.includes(name)), []);
    for (
      const name of [
        "Deno",
        "fetch",
        "Worker",
        "process",
        "importScripts",
        "postMessage",
        "setTimeout",
        "console",
        "gc",
      ]
    ) {
      assert.ok(!globals.includes(name), name);
    }
    for (const [name, outcome] of Object.entries(attempts)) {
      assert.equal(outcome, name === "eval" ? "ReferenceError" : "EvalError", name);
    }
  },
});

Deno.test(`[${UNDER_TEST}] interpreters start again in a locked Worker, as often as they are thrown away`, async () => {
  await using server = await TestServer.start();
  const thrownAway = async (language: "javascript" | "python", unstoppable: string) => {
    const { reply } = await server.begin(language, unstoppable);
    await server.call("cancel_execution");
    const { status, state } = await reply;
    assert.deepEqual([status, state], ["cancelled", "rolled_back"]);
  };
  for (let i = 0; i < 3; i++) {
    await thrownAway(
      "javascript",
      "globalThis.n = (globalThis.n ?? 0) + 1; const s = 'a'.repeat(1 << 24); console.log('up'); while (1) s.indexOf('ab')",
    );
    assert.equal((await server.javascript("typeof n + [1, 2].map((x) => x * 2)")).result, "'undefined2,4'");
    await thrownAway("python", "import itertools\nprint('up', flush=True)\n1 in itertools.repeat(0)");
    assert.equal((await server.python("sum([1, 2])")).result, "3");
  }
});
