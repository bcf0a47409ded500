import assert from "node:assert/strict";
import { ELF_HEADER_BYTES, elfImageBytes } from "../../src/program/stored_assets.ts";
import { eventually } from "../support/eventually.ts";
import { childrenOf, procFile, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

/** The server's shell is nobody's executor, and can't be told from one until it is one. */
async function executorOf(server: TestServer): Promise<number> {
  const children = () => childrenOf(server.transport.pid ?? 0);
  const [executor] = await eventually("there is one executor", children, (pids) => pids.length === 1);
  return executor!;
}

Deno.test(`[${UNDER_TEST}] an executor that is killed over and over is replaced each time`, async () => {
  await using server = await TestServer.start();
  for (let i = 0; i < 5; i++) {
    let reply = await server.javascript(`${i} + 1`);
    if (reply.status === "crashed") { // sent before the server knew
      assert.equal(reply.error?.retryable, true);
      reply = await server.javascript(`${i} + 1`);
    }
    assert.equal(reply.result, String(i + 1));
    Deno.kill(await executorOf(server), "SIGKILL");
  }
});

Deno.test(`[${UNDER_TEST}] nothing that the server started outlives it, even if it is killed`, async () => {
  const { command, args } = serverCommand();
  const child = new Deno.Command(command, { args, stdin: "piped", stdout: "null", stderr: "inherit" })
    .spawn();
  const [executor] = await eventually(
    "the server starts an executor",
    () => childrenOf(child.pid),
    (pids) => pids.length > 0,
  );
  child.kill("SIGKILL");
  await child.status;
  await child.stdin.close().catch(() => {});
  const state = () => /State:\s+(\w)/.exec(procFile(`${executor}/status`))?.[1] ?? "gone";
  await eventually("its executor ends", state, (seen) => ["Z", "X", "gone"].includes(seen));
});

Deno.test(`[${UNDER_TEST}] doctor proves the installation, and that executors have no permissions left`, async () => {
  const { command, args } = serverCommand();
  const { stdout, code } = await new Deno.Command(command, { args: [...args, "doctor"], stderr: "inherit" })
    .output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text);
  assert.match(text, /executor: ready after \d+ ms, no permissions left: ok/);
  assert.match(text, /python, warm run: [\d.]+ ms: ok/);
  assert.match(text, /javascript, warm run: [\d.]+ ms: ok/);
  assert.match(text, /Deno 2\.\d+\.\d+, V8 /);
});

Deno.test(`[${UNDER_TEST}] doctor checks the configuration that it is given, and fails where no server would start`, async () => {
  const { command, args } = serverCommand();
  const config = await Deno.makeTempFile({ suffix: ".toml" });
  await Deno.writeTextFile(config, "[transport_http]\nport = true\n");
  const { stdout, code } = await new Deno.Command(command, { args: [...args, "doctor", "--config", config] })
    .output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 1, text);
  assert.match(
    text,
    /^configuration: FAILED: it has mistakes, with which no server starts:\n {2}.*port/m,
  );
  assert.match(text, /python, warm run: [\d.]+ ms: ok/);
});

Deno.test({
  name:
    "[executable] doctor sees that an executable was changed, by a byte of an asset or by losing them all",
  ignore: UNDER_TEST !== "executable",
  fn: async () => {
    const directory = await Deno.makeTempDir();
    const copy = `${directory}/wasmbox`;
    await Deno.copyFile(serverCommand().command, copy);
    const image = elfImageBytes((await Deno.readFile(copy)).subarray(0, ELF_HEADER_BYTES));
    const overwrite = async (position: number) => {
      using file = await Deno.open(copy, { write: true });
      await file.seek(position, Deno.SeekMode.Start);
      await file.write(new Uint8Array([0xa5, 0x5a]));
    };
    const doctor = async () => {
      const { code, stdout } = await new Deno.Command(copy, { args: ["doctor"] }).output();
      return { code, text: new TextDecoder().decode(stdout) };
    };
    await overwrite(image + 1_000_000);
    const changed = await doctor();
    assert.equal(changed.code, 1);
    assert.match(changed.text, /assets: .* FAILED: \S+ differs/);
    await overwrite(image);
    const lost = await doctor();
    assert.equal(lost.code, 1);
    assert.match(lost.text, /assets: FAILED: this executable has no assets/);
    await Deno.remove(directory, { recursive: true });
  },
});

Deno.test(`[${UNDER_TEST}] the command line answers --version, --help and mistakes`, async () => {
  const { command, args } = serverCommand();
  const run = async (...more: string[]) => {
    const { stdout, stderr, code } = await new Deno.Command(command, { args: [...args, ...more] }).output();
    return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  };
  assert.match((await run("--version")).out, /^wasmbox \d+\.\d+\.\d+\n$/);
  assert.match((await run("--help")).out, /Usage: wasmbox/);
  const unknown = await run("fly");
  assert.deepEqual([unknown.code, unknown.out], [2, ""]);
  assert.match(unknown.err, /unknown command "fly"/);
});
