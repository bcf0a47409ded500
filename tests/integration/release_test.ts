/** What `deno task release` makes, each installed from its file in a clean directory, and used. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { DENO_VERSION } from "../../scripts/release/program.ts";
import { VERSION } from "../../src/version.ts";
import { type Command, TestServer, UNDER_TEST } from "../support/harness.ts";
import { hasScience, hasScipy } from "../support/science.ts";

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

/** Once is enough, and two at a time would be in each other's way. */
const ignore = UNDER_TEST !== "source";
const hasNpm = !ignore && await reaches("npm", ["view", `deno@${DENO_VERSION}`, "version"]);
const hasPip = !ignore && await reaches("python3", ["-c", "import venv, ensurepip"]) &&
  await reaches("python3", ["-m", "pip", "index", "versions", "deno"]);

/** Made once for all tests; the assets are those that are there, with numpy and scipy or without. */
let made: Promise<void> | undefined;
function release(): Promise<void> {
  return made ??= (async () => {
    const without = [...hasScience() ? [] : ["--lean"], ...hasScipy() ? [] : ["--without-scipy"]];
    const { success, err } = await run(Deno.execPath(), ["task", "release", ...without]);
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

Deno.test("a release has its checksums", { ignore }, async () => {
  await release();
  const { success, out } = await run("sha256sum", ["--check", "SHA256SUMS"], OUTPUT);
  assert.ok(success, out);
  assert.ok((out.match(/: OK$/gm)?.length ?? 0) >= 4, out);
});

Deno.test("a release says what it is made of, and from what", { ignore }, async () => {
  await release();
  const { specVersion, components } = JSON.parse(await Deno.readTextFile(`${OUTPUT}sbom.cdx.json`));
  assert.equal(specVersion, "1.6");
  const purls: string[] = components.map(({ purl }: { purl: string }) => purl);
  assert.equal(new Set(purls).size, purls.length);
  for (
    const part of [
      "pkg:npm/zod@",
      "pkg:npm/sucrase@",
      "pkg:npm/hono@",
      "pkg:deb/debian/python3.13@",
      "pkg:cargo/bashkit@",
      "pkg:npm/%40",
      ...hasScience() ? ["pkg:deb/debian/freetype?", "pkg:deb/debian/fonts-nanum?"] : [],
    ]
  ) {
    assert.ok(purls.some((purl) => purl.startsWith(part)), part);
  }
  for (const { name, version } of components) assert.ok(name && version, name);
  const { version, assets } = JSON.parse(await Deno.readTextFile(`${OUTPUT}provenance.json`));
  assert.deepEqual([version, /^[0-9a-f]{64}$/.test(assets.build)], [VERSION, true]);
});

Deno.test({
  name: "the package for Debian unpacks to a program that works, with its unit, manual page and completions",
  ignore: ignore || !await reaches("dpkg-deb", ["--version"]),
  fn: () =>
    inCleanDirectory(async (directory) => {
      const deb = Array.from(Deno.readDirSync(OUTPUT), ({ name }) => name).find((name) =>
        name.endsWith(".deb")
      );
      if (deb === undefined) return; // nothing to compile with: the release has said so
      const unpacked = await run("dpkg-deb", ["--extract", `${OUTPUT}${deb}`, directory]);
      assert.ok(unpacked.success, unpacked.err);
      const { out } = await run("dpkg-deb", ["--field", `${OUTPUT}${deb}`, "Package", "Version", "Depends"]);
      assert.match(out, new RegExp(`^Package: wasmbox\nVersion: ${VERSION}\nDepends: libc6 `));
      const unit = await Deno.readTextFile(`${directory}/usr/lib/systemd/system/wasmbox.service`);
      assert.match(unit, /^ExecStart=\/usr\/bin\/wasmbox serve --http$/m);
      assert.match(await Deno.readTextFile(`${directory}/usr/share/man/man1/wasmbox.1`), /^\.TH WASMBOX 1 /);
      const command = `${directory}/usr/bin/wasmbox`;
      assert.equal((await run(command, ["version"])).out, `wasmbox ${VERSION}\n`);
      await converse({ command, args: [] });
    }),
});

Deno.test({
  name: "the executable of this machine works where nothing else is",
  ignore,
  fn: () =>
    inCleanDirectory(async (directory) => {
      const name = `wasmbox-${VERSION}-${Deno.build.target}`;
      const there = await Deno.copyFile(`${OUTPUT}${name}`, `${directory}/wasmbox`).then(() => true, () =>
        false);
      if (!there) {
        return; // nothing to compile with: the release has said so
      }
      const command = `${directory}/wasmbox`;
      assert.equal((await run(command, ["version"], directory)).out, `wasmbox ${VERSION}\n`);
      await converse({ command, args: [] });
    }),
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
