/** Older releases, where the newest can't run here: real server, real pip, an index on loopback. */

import assert from "node:assert/strict";
import { LocalIndex } from "../support/packages/local_index.ts";
import { makeWheel, type WheelOptions } from "../support/packages/wheel.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

const index = new LocalIndex();
const directory = await Deno.makeTempDir();
const NATIVE = { tag: "cp313-cp313-manylinux_2_17_x86_64" };

async function start(): Promise<TestServer> {
  const path = await Deno.makeTempFile({ dir: directory, suffix: ".toml" });
  await Deno.writeTextFile(
    path,
    `timeout_seconds = 300\n[packages]\nindex_url = "${index.url}"\ncache_directory = "${directory}/cache"\n`,
  );
  const { command, args } = serverCommand();
  const main = args.pop();
  const allowed = main === undefined ? [] : ["--allow-net", "--allow-write", main];
  return await TestServer.start({ command, args: [...args, ...allowed, "serve", "--policy", path] });
}

/** A module as `makeWheel` makes it, that wants something before. */
const wanting = (name: string, version: string, line: string): WheelOptions => ({
  modules: { [`${name}.py`]: `${line}\nVERSION = "${version}"\n` },
});

async function add(name: string, releases: Readonly<Record<string, WheelOptions>>): Promise<void> {
  for (const [version, options] of Object.entries(releases)) {
    index.add(name, await makeWheel(name, version, options));
  }
}

async function fill(): Promise<void> {
  // As pydantic was: pure, and of no use without something native.
  await add("marshmallow-core", { "2.41": NATIVE });
  await add("marshmallow", { "1.10.1": {}, "2.0": { requires: ["marshmallow-core==2.41"] } });
  await add("arrow", {
    "1.0": {},
    "1.5": { requires: ["marshmallow>=1"] },
    "2.0": { requires: ["marshmallow>=2"] },
  });
  // The newest releases have native wheels only.
  await add("humanize", { "1.0": {}, "1.1": NATIVE, "2.0": NATIVE, "2.1rc1": NATIVE });
  // Tried by importing.
  const part = "import _toolz_native";
  await add("toolz", {
    "0.9.7": {},
    "1.0.0": wanting("toolz", "1.0.0", part),
    "1.0.4": wanting("toolz", "1.0.4", part),
    "1.1.0": wanting("toolz", "1.1.0", "import statsmodels"),
    "1.1.2": wanting("toolz", "1.1.2", "import ctypes\nctypes.CDLL('libtoolz.so')"),
  });
  await add("natsort", { "1.0": {}, "2.0": wanting("natsort", "2.0", "from natsort import _sorting") });
  await add("helper", { "1.0": {} });
  await add("funcy", {
    "1.0": wanting("funcy", "1.0", "import _funcy_native"),
    "2.0": { ...wanting("funcy", "2.0", "import _funcy_native"), requires: ["helper"] },
  });
  await add("blinker", { "1.0": {}, "2.0": wanting("blinker", "2.0", "import statsmodels") });
  await add("munch", { "1.0": {}, "2.0": wanting("munch", "2.0", "raise ValueError('a mistake')") });
}

interface Installed {
  readonly installed: { name: string; version: string }[];
  readonly notice: string | null;
}

Deno.test({
  name: `[${UNDER_TEST}] older releases are taken where the newest can't run here, and it is said`,
  sanitizeResources: false,
  async fn(t) {
    await fill();
    await using server = await start();
    let sessions = 0;
    const install = async (...requirements: string[]) => {
      const session_id = `older${sessions++}`;
      const { structured } = await server.call("install_package", { requirements, session_id });
      const { installed, notice } = structured as unknown as Installed;
      const shown = installed.map(({ name, version }) => `${name} ${version}`).sort().join(", ");
      return { shown, notice: notice ?? "", session_id };
    };
    const modules = async (session_id: string) => {
      const site = "/opt/python/lib/python3.13/site-packages";
      const { result } = await server.python(`import os\nsorted(os.listdir("${site}"))`, { session_id });
      return result ?? "";
    };

    await t.step("since it needs what has native code, with a word about another major version", async () => {
      const { shown, notice } = await install("marshmallow");
      assert.equal(shown, "marshmallow 1.10.1");
      assert.match(
        notice,
        /^marshmallow 1\.10\.1 was taken instead of 2\.0: marshmallow 2\.0 needs marshmallow-core==2\.41, which has no wheel in pure Python\. This is marshmallow 1, not marshmallow 2: /,
      );
    });

    await t.step("and so for what depends on it", async () => {
      const { shown, notice } = await install("arrow");
      assert.equal(shown, "arrow 1.5, marshmallow 1.10.1");
      assert.match(
        notice,
        /arrow 1\.5 was taken instead of 2\.0: marshmallow 2\.0 needs marshmallow-core==2\.41/,
      );
    });

    await t.step("since it has native wheels only", async () => {
      const { shown, notice } = await install("humanize");
      assert.equal(shown, "humanize 1.0");
      assert.match(
        notice,
        /^humanize 1\.0 was taken instead of 2\.0: humanize 2\.0 has no wheel in pure Python\./,
      );
      assert.equal((await install("humanize<1.1")).notice, "");
    });

    await t.step("since it can't be imported; nothing else of it remains", async () => {
      const { shown, notice, session_id } = await install("toolz", "helper");
      assert.equal(shown, "helper 1.0, toolz 0.9.7");
      assert.match(
        notice,
        /^toolz 0\.9\.7 was taken instead of 1\.1\.2: "import toolz" of toolz 1\.1\.2 fails here: OSError: .*native libraries/,
      );
      const there = await modules(session_id);
      assert.doesNotMatch(there, /toolz-1/);
      assert.equal((await server.python("import toolz\ntoolz.VERSION", { session_id })).result, "'0.9.7'");
    });

    await t.step("since it imports what is known to be native", async () => {
      const { shown, notice } = await install("blinker");
      assert.equal(shown, "blinker 1.0");
      assert.match(
        notice,
        /"import blinker" of blinker 2\.0 fails here: ModuleNotFoundError: .*'statsmodels'/,
      );
    });

    await t.step("or the newest stays, and the reply says that the others fail too", async () => {
      const { shown, notice, session_id } = await install("funcy");
      assert.equal(shown, "funcy 2.0, helper 1.0");
      assert.match(
        notice,
        /^funcy is installed, but "import funcy" fails here, as it does with 1\.0: ModuleNotFoundError/,
      );
      assert.match(await modules(session_id), /'funcy-2\.0\.dist-info'.*'helper\.py'/);
    });

    await t.step("never in place of a version that was asked for, nor for a mistake", async () => {
      const pinned = await install("toolz==1.1.2");
      assert.equal(pinned.shown, "toolz 1.1.2");
      assert.match(pinned.notice, /"import toolz" fails here: OSError/);
      const mistaken = await install("munch");
      assert.equal(mistaken.shown, "munch 2.0");
      assert.match(mistaken.notice, /"import munch" fails here: ValueError: a mistake/);
    });

    await t.step("also when a program imports it", async () => {
      const tried = await server.python("import natsort\nnatsort.VERSION", { session_id: "import" });
      assert.equal(tried.result, "'1.0'", tried.error?.message);
      assert.match(
        tried.notice ?? "",
        /^Installed for the program's imports: natsort 1\.0\. natsort 1\.0 was taken instead of 2\.0: /,
      );
      const resolved = await server.python("import marshmallow\nmarshmallow.VERSION", {
        session_id: "import",
      });
      assert.equal(resolved.result, "'1.10.1'");
      assert.match(resolved.notice ?? "", /This is marshmallow 1, not marshmallow 2/);
    });
  },
});

globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
