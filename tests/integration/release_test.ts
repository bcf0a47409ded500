/** What `deno task release` makes, each installed from its file in a clean directory, and used. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { DENO_VERSION } from "../../scripts/release/program.ts";
import { VERSION } from "../../src/version.ts";
import { type Command, TestServer } from "../support/harness.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const OUTPUT = `${ROOT}dist/release/`;

interface Done {
  readonly success: boolean;
  readonly out: string;
  readonly err: string;
}

async function run(command: string, args: readonly string[], cwd = ROOT): Promise<Done> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd }).output();
  return { success, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

/** Whether an installer is here, and reaches what the packages depend on. */
async function reaches(command: string, args: readonly string[]): Promise<boolean> {
  return await run(command, args).then(({ success }) => success, () => false);
}

const hasNpm = await reaches("npm", ["view", `deno@${DENO_VERSION}`, "version"]);
const hasPip = await reaches("python3", ["-c", "import venv, ensurepip"]) &&
  await reaches("python3", ["-m", "pip", "index", "versions", "deno"]);

/** Made once for all tests; the assets are those that are there, with numpy or without. */
let made: Promise<void> | undefined;
function release(): Promise<void> {
  return made ??= (async () => {
    const isLean = await Deno.stat(`${ROOT}wasm/dist/python-science.wasm`).then(() => false, () => true);
    const { success, err } = await run(Deno.execPath(), ["task", "release", ...isLean ? ["--lean"] : []]);
    assert.ok(success, err);
  })();
}

async function inCleanDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  await release();
  const directory = await Deno.makeTempDir({ prefix: "wasmbox-package-" });
  try {
    await use(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** As the demo has it: state that lives on, an error, a loop that is stopped with its variables intact. */
async function converse(command: Command): Promise<void> {
  await using server = await TestServer.start(command);
  assert.equal((await server.python("x = 41\nx + 1")).result, "42");
  const failed = await server.python("x / 0");
  assert.deepEqual([failed.status, failed.error?.type, failed.state], [
    "failed",
    "ZeroDivisionError",
    "kept",
  ]);
  const stopped = await server.python("while True: x += 1", { timeout: 1 });
  assert.deepEqual([stopped.status, stopped.state], ["timeout", "kept"]);
  assert.equal((await server.python("x > 1000")).result, "True");
  assert.equal((await server.javascript("[3, 1, 2].sort().join()")).result, "'1,2,3'");
  assert.equal((await server.run("shell", "echo $((6 * 7))")).stdout, "42\n");
}

Deno.test("a release has its checksums", async () => {
  await release();
  const { success, out } = await run("sha256sum", ["--check", "SHA256SUMS"], OUTPUT);
  assert.ok(success, out);
  assert.deepEqual(out.match(/: OK$/gm)?.length, 2);
});

Deno.test({
  name: "the package for npm is installed from its file, checks itself, and is used",
  ignore: !hasNpm,
  fn: () =>
    inCleanDirectory(async (directory) => {
      await Deno.writeTextFile(`${directory}/package.json`, "{}");
      const installed = await run(
        "npm",
        ["install", "--no-audit", "--no-fund", `${OUTPUT}wasmbox-${VERSION}.tgz`],
        directory,
      );
      assert.ok(installed.success, installed.err);
      const command = `${directory}/node_modules/.bin/wasmbox`;
      const { success, out } = await run(command, ["doctor"], directory);
      assert.ok(success, out);
      assert.match(out, new RegExp(`^wasmbox ${VERSION}\n`));
      const shown = await run(command, [
        "install",
        "--client",
        "cursor",
        "--dry-run",
        "--file",
        `${directory}/mcp.json`,
      ]);
      assert.match(shown.out, /^\+ +"[^"]*\/node_modules\/wasmbox\/wasmbox\.cjs"$/m);
      const ended = await run(command, ["run", "-c", "import sys; sys.exit(7)"]);
      assert.equal(ended.success, false);
      await converse({ command, args: [] });
    }),
});

Deno.test({
  name: "the wheel is installed from its file, checks itself, and is used",
  ignore: !hasPip,
  fn: () =>
    inCleanDirectory(async (directory) => {
      const venv = await run("python3", ["-m", "venv", `${directory}/venv`]);
      assert.ok(venv.success, venv.err);
      const wheel = `${OUTPUT}wasmbox-${VERSION}-py3-none-any.whl`;
      const installed = await run(`${directory}/venv/bin/pip`, ["install", "--quiet", wheel]);
      assert.ok(installed.success, installed.err);
      const command = `${directory}/venv/bin/wasmbox`;
      const { success, out } = await run(command, ["doctor"], directory);
      assert.ok(success, out);
      await converse({ command, args: [] });
      await converse({ command: `${directory}/venv/bin/python`, args: ["-m", "wasmbox", "serve"] });
    }),
});
