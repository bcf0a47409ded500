import assert from "node:assert/strict";

const MODULE = new URL("../../../src/commands/forgotten_promises.ts", import.meta.url).href;
const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;

Deno.test("a rejection that nobody waits for is told in the log and ends nothing", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(
      file,
      `import { surviveForgottenPromises } from "${MODULE}";
      surviveForgottenPromises();
      void Promise.reject(new Error("forgotten\\nand two lines"));
      setTimeout(() => console.log("goes on"), 0);`,
    );
    const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", `--config=${CONFIG}`, file],
    }).output();
    const [out, log] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.equal(code, 0, log);
    assert.equal(out, "goes on\n");
    assert.match(log!, /^\S+Z ERROR wasmbox\.server: .*forgotten\S*and two lines.*\n$/);
  } finally {
    await Deno.remove(file);
  }
});
