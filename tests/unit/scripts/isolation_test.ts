import assert from "node:assert/strict";
import { isolation, NAMESPACES, releaseMounts, WATCHDOG } from "../../../scripts/assets/isolation.ts";
import { run, tryRun } from "../../../scripts/assets/process.ts";
import { StageStore } from "../../../scripts/assets/store.ts";

const DEADLINE_MS = 20_000;
/** Programs of several generations and process groups; the last of them to end closes the pipe they all print to. */
const FAMILY = "echo started; sleep 60 & (sleep 60; true) & bash -c 'sleep 60; true'; true";
const linux = Deno.build.os === "linux";
const namespaces = linux && await tryRun([...NAMESPACES, "true"]) !== undefined;

/** Whether nobody is left who could print. */
async function silentAfter(signal: Deno.Signal, prefix: readonly string[]): Promise<boolean> {
  const script = `const [command, ...args] = ${JSON.stringify([...prefix, "bash", "-c", FAMILY])};
    await new Deno.Command(command, { args }).spawn().status;`;
  const build = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", script],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = build.stdout.getReader();
  const late = AbortSignal.timeout(DEADLINE_MS);
  late.addEventListener("abort", () => void lines.cancel());
  const first = await lines.read();
  assert.equal(new TextDecoder().decode(first.value), "started\n");
  build.kill(signal);
  while (!(await lines.read()).done);
  await build.status;
  return !late.aborted;
}

for (
  const [name, prefix, ignore] of [["namespaces", NAMESPACES, !namespaces], [
    "a watchdog",
    WATCHDOG,
    !linux,
  ]] as const
) {
  Deno.test({
    name: `with ${name} nothing that a build started outlives it, whatever ends it`,
    ignore,
    fn: async () => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
        assert.ok(await silentAfter(signal, prefix), signal);
      }
    },
  });

  Deno.test({
    name: `with ${name} a program has its input, its output and its exit code`,
    ignore,
    fn: async () => {
      assert.equal(await run("echoing", { argv: [...prefix, "cat"], input: "hello" }), "hello");
      await assert.rejects(run("failing", { argv: [...prefix, "bash", "-c", "exit 7"] }), /exit code 7/);
    },
  });
}

Deno.test({
  name: "the programs of a build are always tied to it on Linux",
  ignore: !linux,
  fn: async () => {
    assert.ok((await isolation()).length > 0);
  },
});

Deno.test({
  name: "what an interrupted build left mounted is unmounted before it is removed",
  ignore: !namespaces || Deno.uid() !== 0,
  fn: async () => {
    const directory = await Deno.makeTempDir();
    const mounted = `${directory}/scratch/root-x/pro c`;
    const file = `${directory}/kept`;
    try {
      await Deno.mkdir(mounted, { recursive: true });
      await Deno.mkdir(file);
      await Deno.writeTextFile(`${file}/file`, "of the system");
      await run("mounting", { argv: ["mount", "--bind", file, mounted] });
      await new StageStore(directory).clearScratch();
      assert.equal(await Deno.readTextFile(`${file}/file`), "of the system");
      await assert.rejects(Deno.stat(mounted), Deno.errors.NotFound);
    } finally {
      await releaseMounts(directory);
      await Deno.remove(directory, { recursive: true });
    }
  },
});
