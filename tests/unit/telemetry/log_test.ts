import assert from "node:assert/strict";

const MODULE = new URL("../../../src/telemetry/log.ts", import.meta.url).href;
const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;

/** What a program that logs writes to stderr; and to stdout, which must be nothing. */
async function said(program: string): Promise<string[]> {
  const source = `import { configureLog, logger } from "${MODULE}";\nconst log = logger("test");\n${program}`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, source);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", `--config=${CONFIG}`, file],
    }).output();
    assert.equal(stdout.length, 0);
    return new TextDecoder().decode(stderr).trimEnd().split("\n");
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("the log has a line for each record from its level on, which nothing in a record can break", async () => {
  const lines = await said(`
    log.debug("unseen");
    log.warning("{name} came\\nagain", { name: "a\\n2026 ERROR forged\\u001b[31m\\u009b", count: 3 });
    log.error("failed", { error: new Error("why") });
    configureLog({ level: "debug", format: "json" });
    log.debug("{name} is here", { name: "b\\n", time: "mine", error: new TypeError("x") });
    configureLog({ level: "error", format: "text" });
    log.warning("unseen");`);
  assert.equal(lines.length, 3, lines.join("\n"));
  assert.match(lines[0]!, /^\S+Z WARNING wasmbox\.test: a\S*2026 ERROR forged\S+ came\S*again count=3$/);
  // deno-lint-ignore no-control-regex
  assert.ok(lines.every((line) => !/[\x00-\x1f\x7f-\x9f]/.test(line)));
  assert.match(lines[1]!, /ERROR wasmbox\.test: failed error=Error: why\\/);
  const record = JSON.parse(lines[2]!);
  assert.ok(Date.parse(record.time) > 0, "a property can't replace what the record itself says");
  assert.deepEqual([record.level, record.logger, record.message], ["debug", "wasmbox.test", "b\n is here"]);
  assert.match(record.error, /^TypeError: x/);
});
