/** Packages that come when a program imports them: real server, real pip, an index on loopback. */

import assert from "node:assert/strict";
import { LocalIndex } from "../support/packages/local_index.ts";
import { makeWheel } from "../support/packages/wheel.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

const index = new LocalIndex();
const directory = await Deno.makeTempDir();
const PURE = ["toolz", "emoji", "humanize", "inflection", "funcy", "addict", "munch", "natsort"];

/** A server whose index is {@link index}. */
async function start(policy = "", limits = ""): Promise<TestServer> {
  const path = await Deno.makeTempFile({ dir: directory, suffix: ".toml" });
  // What is installed for a program takes of its time.
  const packages = `timeout_seconds = 300
${limits}
[packages]\nindex_url = "${index.url}"\ncache_directory = "${directory}/cache"\n${policy}`;
  await Deno.writeTextFile(path, packages);
  const { command, args } = serverCommand();
  const main = args.pop();
  const allowed = main === undefined ? [] : ["--allow-net", "--allow-write", main];
  return await TestServer.start({ command, args: [...args, ...allowed, "serve", "--policy", path] });
}

async function fill(): Promise<void> {
  for (const name of PURE) index.add(name, await makeWheel(name, "1.0"));
  const shared = (path: string) => ({ modules: { [`google/${path}.py`]: "VERSION = '1.0'\n" } });
  index.add("google-auth", await makeWheel("google-auth", "1.0", shared("auth/__init__")));
  const protos = await makeWheel("googleapis-common-protos", "1.0", shared("rpc/status_pb2"));
  index.add("googleapis-common-protos", protos);
  index.add("not-in-the-table", await makeWheel("not-in-the-table", "1.0"));
  index.add("boltons", await makeWheel("boltons", "1.0", { tag: "cp313-cp313-manylinux_2_17_x86_64" }));
}

Deno.test({
  name: `[${UNDER_TEST}] packages of well-known names come when a program imports them`,
  sanitizeResources: false,
  async fn(t) {
    await fill();
    await using server = await start();
    const shell = async (command: string, session_id: string) => {
      const { structured } = await server.call("execute_command", { command, session_id });
      return `${structured["stdout"]}${structured["stderr"]}`;
    };

    await t.step("once, with a word about it, and what else the program imports", async () => {
      const program =
        "import toolz\nfrom emoji import VERSION\n\ndef later():\n    import humanize\n\ntoolz.VERSION + VERSION";
      const first = await server.python(program);
      assert.equal(first.result, "'1.01.0'");
      assert.match(first.notice ?? "", /^Installed for the program's imports: (\w+ 1\.0(, )?){3}\.$/);
      assert.ok(first.fuel_consumed > 1_000_000);
      const again = await server.python("later(); import toolz, emoji, humanize");
      assert.deepEqual([again.status, again.notice], ["completed", null]);
    });

    await t.step(
      "by import_module too, but never a name that a program has made up while it ran",
      async () => {
        const literal = await server.python(
          "import importlib\nimportlib.import_module('inflection').VERSION",
        );
        assert.equal(literal.result, "'1.0'");
        const probe = "for name in ['munch']:\n    importlib.import_module(name)";
        assert.equal((await server.python(probe)).error?.type, "ModuleNotFoundError");
        assert.equal((await server.python("importlib.util.find_spec('munch')")).result, null);
      },
    );

    await t.step("of a name that several share, each by what comes after its dot", async () => {
      const session_id = "shared";
      const both =
        "import google.auth\nfrom google.rpc import status_pb2\ngoogle.auth.VERSION + status_pb2.VERSION";
      const first = await server.python(both, { session_id });
      assert.equal(first.result, "'1.01.0'", first.error?.message);
      assert.match(
        first.notice ?? "",
        /^Installed for the program.s imports: google\S+ 1\.0, google\S+ 1\.0\.$/,
      );
      const alone = { session_id: "later" };
      assert.equal((await server.python("from google import auth\nauth.VERSION", alone)).result, "'1.0'");
      assert.equal(
        (await server.python("import google.rpc.status_pb2 as s\ns.VERSION", alone)).result,
        "'1.0'",
      );
      const { error } = await server.python("import google.nothing", alone);
      assert.equal(error?.type, "ModuleNotFoundError");
    });

    await t.step("but not where the program has something else, unless it only says so", async () => {
      const without = "try:\n    import funcy\nexcept ImportError:\n    funcy = None\nfuncy is None";
      assert.equal((await server.python(without)).result, "True");
      const either =
        "try:\n    import funcy\nexcept ImportError:\n    import addict as funcy\nfuncy.__name__";
      assert.equal((await server.python(either)).result, "'addict'");
      const needed =
        "try:\n    import funcy\nexcept ImportError:\n    print('please install funcy')\n    raise\nfuncy.VERSION";
      assert.equal((await server.python(needed)).result, "'1.0'");
    });

    await t.step(
      "into files of the session and its shell as well, never in place of one's own modules",
      async () => {
        const session_id = "own";
        await server.python("open('munch.py', 'w').write('mine = 1')", { session_id });
        const own = await server.python("import munch\nmunch.mine", { session_id });
        assert.deepEqual([own.result, own.notice], ["1", null]);
        const ran = await shell(
          "python3 -c 'import natsort; print(natsort.VERSION)'; pip list | grep natsort",
          session_id,
        );
        assert.match(ran, /^1\.0\nnatsort +1\.0/);
      },
    );

    await t.step("except those that nobody vouches for", async () => {
      const asked = index.requests.length;
      const { error, notice } = await server.python("import not_in_the_table");
      assert.match(
        error?.message ?? "",
        /No module named 'not_in_the_table'\. There is no such file in \/app .* install_package/,
      );
      assert.deepEqual([notice, index.requests.length], [null, asked]);
    });

    await t.step("whatever a guest asks for by itself", async () => {
      const asked = index.requests.length;
      const { result, notice } = await server.python(`import _wasmbox, json
def ask(request):
    try:
        return json.loads(_wasmbox.host_call("imports", request if type(request) is bytes else json.dumps(request).encode())[0])
    except OSError as error:
        return str(error)
[ask(request) for request in (
    b"", b"[]", {"kind": "install", "names": []}, {"kind": "install", "names": ["toolz"] * 51},
    {"kind": "advice", "name": "x" * 101, "standard": []}, b" " * 70_000,
    {"kind": "install", "names": ["--index-url", "../toolz", "toolz==0.9", "not-in-the-table", "__proto__"]},
)]`);
      const invalid = Array(6).fill("'the request is invalid'").join(", ");
      assert.equal(result, `[${invalid}, {'installed': False}]`);
      assert.deepEqual([notice, index.requests.length], [null, asked]);
    });

    await t.step("within the program's fuel", async () => {
      const session_id = "fuel";
      const short = await server.python("import toolz", { session_id, fuel_budget: 5_000_000 });
      assert.deepEqual([short.status, short.state, short.notice], ["out_of_fuel", "kept", null]);
      const { result } = await server.python("import toolz\ntoolz.VERSION", { session_id });
      assert.equal(result, "'1.0'");
    });

    await t.step("or the program gets its own error, with what is the matter and what to do", async () => {
      const message = async (code: string) => (await server.python(code)).error?.message ?? "";
      assert.match(
        await message("import statsmodels"),
        /^ModuleNotFoundError: No module named 'statsmodels'\. It has native code.*Instead: .*lstsq/,
      );
      assert.match(await message("import skimage.filters"), /It is scikit-image, which has native code/);
      assert.match(
        await message("import boltons"),
        /Its package boltons could not be installed: it has native code/,
      );
      assert.match(await message("import voluptuous"), /Its package voluptuous could not be installed: /);
      assert.match(await message("import itertool"), /Did you mean itertools\?/);
      assert.match(await message("import nupmy"), /Did you mean numpy\?/);
      assert.match(await message("import imp"), /use importlib/);
      assert.match(await message("import json.nothing"), /No module named 'json\.nothing'$/);
      const { result } = await server.python(
        "try:\n    import statsmodels\nexcept ImportError as error:\n    told = error.name, str(error), str(error) == error.args[0]\ntold",
      );
      assert.match(
        result ?? "",
        /^\('statsmodels', .No module named 'statsmodels'\. It has native code.*lstsq.*, True\)$/,
      );
    });

    await t.step("and go again with a run that is rolled back", async () => {
      const session_id = "rolled";
      const failed = await server.python("import toolz\n1/0", { session_id, on_failure: "rollback" });
      assert.deepEqual([failed.state, failed.notice], ["rolled_back", null]);
      const { result } = await server.python("import os\nos.path.exists('/opt/python/lib')", { session_id });
      assert.equal(result, "False");
    });
  },
});

Deno.test({
  name:
    `[${UNDER_TEST}] nothing is installed on import where the operator does not want it, and the error says so`,
  sanitizeResources: false,
  async fn() {
    {
      await using server = await start("install_on_import = false\n");
      const asked = index.requests.length;
      const { error } = await server.python("import toolz");
      assert.match(error?.message ?? "", /It is the package toolz: install_package gets it/);
      assert.equal(index.requests.length, asked);
    }
    await using server = await start("enabled = false\n");
    const { error } = await server.python("import toolz");
    assert.match(
      error?.message ?? "",
      /It is the package toolz, which is not bundled, and this server installs none/,
    );
  },
});

Deno.test({
  name: `[${UNDER_TEST}] an index that is silent does not keep a program from its own error`,
  sanitizeResources: false,
  async fn() {
    index.special.set("/simple/xmltodict/", () => new Response(new ReadableStream()));
    await using server = await start("", "interrupt_grace_seconds = 30");
    const stopped = await server.python("kept = 1\nimport xmltodict", { timeout: 6 });
    assert.deepEqual([stopped.status, stopped.state], ["timeout", "kept"]);
    const { error, status } = await server.python("import xmltodict", { session_id: "patient", timeout: 60 });
    assert.equal(status, "failed");
    assert.match(error?.message ?? "", /Its package xmltodict could not be installed/);
  },
});

globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
