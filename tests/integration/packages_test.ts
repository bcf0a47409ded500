/** install_package against an index on loopback: real server, real pip. */

import assert from "node:assert/strict";
import { LocalIndex } from "../support/packages/local_index.ts";
import { makeWheel } from "../support/packages/wheel.ts";
import { hasScience } from "../support/science.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

const index = new LocalIndex();
const directory = await Deno.makeTempDir();

/** A server whose index is {@link index}. */
async function start(policy = ""): Promise<TestServer> {
  const path = await Deno.makeTempFile({ dir: directory, suffix: ".toml" });
  await Deno.writeTextFile(
    path,
    `timeout_seconds = 300\nworkspace_bytes = 8_000_000\n[packages]\nindex_url = "${index.url}"\ncache_directory = "${directory}/cache"\n${policy}`,
  );
  const { command, args } = serverCommand();
  const main = args.pop();
  const allowed = main === undefined ? [] : ["--allow-net", "--allow-write", main];
  return await TestServer.start({ command, args: [...args, ...allowed, "serve", "--policy", path] });
}

interface Reply {
  isError: boolean;
  text: string;
  installed: string[];
  there: string[];
  code: string | undefined;
  message: string;
}

async function install(
  server: TestServer,
  requirements: string | string[],
  more: Record<string, unknown> = {},
  options: Parameters<TestServer["call"]>[2] = {},
): Promise<Reply> {
  const wanted = typeof requirements === "string" ? { package_name: requirements } : { requirements };
  const { isError, text, structured } = await server.call("install_package", { ...wanted, ...more }, options);
  const shown = (list: unknown) =>
    (list as { name: string; version: string }[] ?? []).map(({ name, version }) => `${name} ${version}`);
  const error = structured["error"] as { error_code: string; message: string } | undefined;
  return {
    isError,
    text,
    installed: shown(structured["installed"]).sort(),
    there: shown(structured["already_satisfied"]),
    code: error?.error_code,
    message: error?.message ?? "",
  };
}

/** What the session has in the place for packages, and the files of the workspace. */
const FILES = `import os
sorted(os.path.join(path, name) for top in ("/opt", "/app", "/tmp") for path, _, names in os.walk(top) for name in names)`;

async function fill(): Promise<void> {
  const evil = new TextEncoder().encode("owned");
  const bomb = new Uint8Array(40_000_000);
  index.add("base", await makeWheel("base", "1.0"), await makeWheel("base", "2.0"));
  index.add(
    "app",
    await makeWheel("app", "1.0", {
      requires: [
        "base<2",
        'never-there; sys_platform == "win32"',
        'marked; python_version >= "3.10"',
        // What it does without in WebAssembly.
        'native; sys_platform != "emscripten"',
      ],
      extras: { more: ["extra-part"] },
    }),
  );
  index.add("marked", await makeWheel("marked", "1.0"));
  const modules = {
    "compiled/__init__.py": "",
    "compiled/used.py": "x = 1",
    "compiled/unused.py": "x = 2",
    "compiled/wrong.py": "def :",
  };
  index.add("compiled", await makeWheel("compiled", "1.0", { modules }));
  index.add("extra-part", await makeWheel("Extra.Part", "0.1"));
  index.add("newer", await makeWheel("newer", "1.0", { requires: ["base>=2"] }));
  const yanked = { wheel: await makeWheel("choice", "2.0"), yanked: "it was bad" };
  const future = await makeWheel("choice", "4.0", { requiresPython: ">=3.99" });
  index.add("choice", await makeWheel("choice", "1.0"), yanked, await makeWheel("choice", "3.0rc1"), future);
  index.add("foo-bar", await makeWheel("Foo_Bar", "1.0"));
  index.add("liar", await makeWheel("liar", "1.0", { claims: { name: "somebody-else" } }));
  index.add("older", await makeWheel("older", "1.0", { claims: { version: "0.5" } }));
  index.add(
    "slip",
    await makeWheel("slip", "1.0", { more: [{ name: "../../../../../../app/owned.py", bytes: evil }] }),
  );
  index.add(
    "bomb",
    await makeWheel("bomb", "1.0", { more: [{ name: "zeros", bytes: bomb, deflate: true }] }),
  );
  index.add("native", await makeWheel("native", "1.0", { tag: "cp313-cp313-manylinux_2_17_x86_64" }));
  index.add("polars", await makeWheel("polars", "2.0", { tag: "cp313-cp313-manylinux_2_17_x86_64" }));
  index.add("needs-native", await makeWheel("needs-native", "1.0", { requires: ["native"] }));
  index.add(
    "plotly",
    await makeWheel("plotly", "6.0", { modules: { "plotly/io/_renderers.py": "nbformat = None\n" } }),
  );
  index.add("false", { wheel: await makeWheel("false", "1.0"), sha256: "0".repeat(64) });
  index.add("coverage", await makeWheel("coverage", "7.0", { modules: COVERAGE }));
  const lame = new TextEncoder().encode("import _no_such_native_part");
  index.add("lame", await makeWheel("lame", "1.0", { more: [{ name: "lame_part.py", bytes: lame }] }));
  index.add("hangs", await makeWheel("hangs", "1.0", { requires: ["waits"] }));
}

/** What the real one asks of Python, in its words: which files are the library's, and how modules are run. */
const COVERAGE = {
  "coverage/__init__.py": "",
  "coverage/core.py": "IMPORT_ERROR = \"No module named 'coverage.tracer'\"\n",
  "coverage/inorout.py": `import sysconfig
def _add_stdlib_paths(paths):
    paths.add(sysconfig.get_paths()["stdlib"])
def _add_third_party_paths(paths):
    paths.add(sysconfig.get_paths()["purelib"])
def is_library(filename):
    paths = set()
    _add_stdlib_paths(paths)
    _add_third_party_paths(paths)
    return any(filename.startswith(f"{path}/") for path in paths)
`,
  "coverage/execfile.py": `import importlib.util, inspect, os, sys, types
def find_module(modulename):
    spec = importlib.util.find_spec(modulename)
    if spec.submodule_search_locations:
        spec = importlib.util.find_spec(modulename + ".__main__")
    return spec.origin, spec.name.rpartition(".")[0], spec
def make_code_from_py(filename):
    with open(filename) as file:
        return compile(file.read(), filename, "exec")
class PyRunner:
    def __init__(self, args, as_module):
        self.args, self.arg0, self.as_module = args, args[0], as_module
    def prepare(self):
        top = os.path.dirname(inspect.stack()[-1].frame.f_code.co_filename)
        if not sys.flags.safe_path and sys.path[0] == top:
            sys.path[0] = os.getcwd() if self.as_module else os.path.dirname(os.path.realpath(self.arg0))
    def run(self):
        module, package = types.ModuleType("__main__"), None
        if self.as_module:
            self.arg0, package, _ = find_module(self.arg0)
        module.__file__, module.__package__ = self.arg0, package
        sys.modules["__main__"], sys.argv = module, [self.arg0, *self.args[1:]]
        exec(make_code_from_py(self.arg0), module.__dict__)
`,
  "coverage/__main__.py": `import sys, threading
from coverage import core, execfile, inorout
assert core.IMPORT_ERROR == ""
assert inorout.is_library(threading.__file__) and inorout.is_library(inorout.__file__) and not inorout.is_library("/app/a.py")
as_module = sys.argv[2] == "-m"
runner = execfile.PyRunner(sys.argv[3 if as_module else 2:], as_module)
runner.prepare()
runner.run()
`,
};

Deno.test({
  name: `[${UNDER_TEST}] packages`,
  sanitizeResources: false,
  async fn(t) {
    await fill();
    await using server = await start();

    await t.step(
      "come with their dependencies, extras and markers, and can be imported at once",
      async () => {
        await server.python("kept = [1]\ntry:\n    import app\nexcept ImportError:\n    pass");
        const lines: string[] = [];
        const reply = await install(server, "app[more]>=1", {}, { onProgress: (line) => lines.push(line) });
        assert.deepEqual(reply.installed, ["Extra.Part 0.1", "app 1.0", "base 1.0", "marked 1.0"]);
        assert.ok(lines.some((line) => line.startsWith("Collecting base")), lines.join());
        const { result } = await server.python(
          "import app, base, marked, extra_part\n[app.VERSION, base.VERSION, kept]",
        );
        assert.equal(result, "['1.0', '1.0', [1]]");
        const again = await install(server, ["app", "jinja2"]);
        assert.deepEqual([again.installed, again.there], [[], ["app 1.0", "Jinja2 3.1.6"]]);
        const shell = await server.call("execute_command", {
          command: "ls /opt/python/lib/python3.13/site-packages",
        });
        assert.match(shell.text, /app-1\.0\.dist-info/);
        const elsewhere = await server.python("import app", { session_id: "other" });
        assert.equal(elsewhere.error?.type, "ModuleNotFoundError");
      },
    );

    await t.step("that a program installs in a line of its own can be imported in the next one", async () => {
      const code =
        "x = [1]\n!pip install -q marked\n%pip install -q foo-bar\nimport marked, foo_bar\nmarked.VERSION, x";
      const reply = await server.python(code, { session_id: "notebook" });
      assert.deepEqual([reply.result, reply.error], ["('1.0', [1])", null]);
      const missing = await server.python("!pip install nowhere-to-be-found\n_exit_code", {
        session_id: "notebook",
      });
      assert.deepEqual([missing.result, missing.status], ["1", "completed"]);
      assert.match(missing.stderr, /nowhere-to-be-found/);
      const native = await server.python("!pip install -q polars needs-native\n_exit_code", {
        session_id: "notebook",
      });
      assert.match(native.stderr, /HINT: polars has native code.*can't run here\. Instead: (pandas|csv)/);
    });

    await t.step(
      "with charts show them without the format of notebooks, of which plotly asks the version",
      async () => {
        const code =
          "!pip install -q plotly\nfrom plotly.io import _renderers\n_renderers.nbformat.__version__ > '4.2'";
        assert.equal((await server.python(code, { session_id: "notebook" })).result, "True");
      },
    );

    await t.step(
      "with coverage run the library's modules as programs, and do not measure the library",
      async () => {
        const command = `pip install -q coverage; mkdir -p sub; cd sub; echo 'def one(): return 1' > own.py
printf 'import own\\ndef test_one(): assert own.one() == 1\\n' > test_own.py; echo 'import own; print(__file__)' > run.py
python3 -m coverage run -m pytest -q -k none; python3 -m coverage run -m json.tool --compact <<< '[1, 2]'
cd ..; python3 -m coverage run sub/run.py; python3 -P -m coverage run sub/run.py || echo refused`;
        const { structured } = await server.call("execute_command", { command, session_id: "notebook" });
        const { stdout, stderr } = structured as { stdout: string; stderr: string };
        assert.match(stdout, /1 deselected/, stderr);
        assert.deepEqual(stdout.split("\n").slice(-4), ["[1,2]", "sub/run.py", "refused", ""], stderr);
      },
    );

    await t.step("that contradict each other are told apart from those that do not exist", async () => {
      const before = (await server.python(FILES, { session_id: "conflicts" })).result;
      const replies = [
        await install(server, ["app", "newer"], { session_id: "conflicts" }),
        await install(server, "base==7", { session_id: "conflicts" }),
        await install(server, "nobody-made-this", { session_id: "conflicts" }),
        await install(server, "not a requirement", { session_id: "conflicts" }),
        await install(server, "x @ https://example.invalid/x-1.0-py3-none-any.whl", {
          session_id: "conflicts",
        }),
      ];
      assert.deepEqual(replies.map((reply) => reply.code), [
        "PACKAGE_CONFLICT",
        "PACKAGE_NOT_FOUND",
        "PACKAGE_NOT_FOUND",
        "PACKAGE_FAILED",
        "PACKAGE_FAILED",
      ]);
      assert.match(replies[0]!.message, /app 1\.0: base<2; newer 1\.0: base>=2/);
      assert.match(replies[1]!.message, /from versions: 1\.0, 2\.0/);
      assert.match(replies[4]!.message, /only packages of the server's index/);
      for (const name of ["lodash", "lodash@^4", "@scope/one"]) {
        const { isError, text } = await install(server, name, { session_id: "conflicts" });
        assert.deepEqual([isError, /give language: "javascript"/.test(text)], [true, true], text);
      }
      for (const { text } of replies) assert.doesNotMatch(text, /javascript/);
      assert.equal((await server.python(FILES, { session_id: "conflicts" })).result, before);
    });

    await t.step(
      "are chosen as pip does: no yanked ones, no pre-releases, none for another Python",
      async () => {
        const session = { session_id: "choice" };
        assert.deepEqual((await install(server, "choice", session)).installed, ["choice 1.0"]);
        assert.deepEqual((await install(server, "choice>=3.0rc1", session)).installed, ["choice 3.0rc1"]);
        assert.deepEqual((await install(server, "choice==2.0", session)).installed, ["choice 2.0"]);
        assert.equal((await server.python("import choice; choice.VERSION", session)).result, "'2.0'");
        assert.deepEqual((await install(server, "choice", { ...session, upgrade: true })).installed, []);
      },
    );

    await t.step("without a pure wheel say so, and name what could do instead", async () => {
      const polars = await install(server, "polars");
      assert.equal(polars.code, "PACKAGE_NOT_PURE");
      assert.match(polars.text, /pandas|sqlite3/);
      const dependent = await install(server, "needs-native");
      assert.equal(dependent.code, "PACKAGE_NOT_PURE");
      assert.match(dependent.message, /native, which needs-native 1\.0 needs,/);
    });

    await t.step({
      name:
        "that are built in are there in one version, which stands for others that are asked for, and that is said",
      ignore: !hasScience(),
      fn: async () => {
        const { text, installed } = await install(server, ["numpy==1.26.4", "pandas>=2", "base"], {
          session_id: "pinned",
        });
        assert.deepEqual(installed, ["base 2.0"]);
        assert.match(
          text,
          /Warning: numpy==1\.26\.4 can't be installed, since it has native code: numpy [\d.]+, which is built in, stands for it\./,
        );
        assert.doesNotMatch(text, /pandas>=2/);
        const { structured } = await server.call("execute_command", {
          command: "echo 'Pillow<9' > r.txt; pip install -q -r r.txt; echo $?",
          session_id: "pinned",
        });
        assert.equal(structured["stdout"], "0\n");
        assert.match(
          String(structured["stderr"]),
          /^WARNING: Pillow<9 can't be installed.* stands for it\.\n$/,
        );
        await server.call("destroy_session", { session_id: "pinned" });
      },
    });

    await t.step("that can't be imported after all are there, with a word about why", async () => {
      const { isError, installed, text } = await install(server, ["base", "lame"], { session_id: "lame" });
      assert.deepEqual([isError, installed], [false, ["base 2.0", "lame 1.0"]]);
      assert.match(
        text,
        /"import lame_part" fails here: ModuleNotFoundError: No module named '_no_such_native_part'/,
      );
      assert.doesNotMatch(text, /import base/);
    });

    await t.step(
      "are compiled as they are imported, and that is kept, of what is installed alone",
      async () => {
        const session_id = "compiled";
        const run = async (code: string) => {
          const { structured } = await server.call("execute_code", { code, session_id });
          return [
            structured["stdout"],
            (structured["error"] as { traceback?: string } | undefined)?.traceback,
          ];
        };
        await install(server, "compiled", { session_id });
        const compiled =
          "import glob, sys\nprint(sorted(p.rpartition('/')[2] for top in ('/opt/python', '/app') " +
          "for p in glob.glob(top + '/**/*.pyc', recursive=True)), sys.dont_write_bytecode)";
        assert.deepEqual(await run(compiled), ["[] True\n", undefined]);
        await run("open('own.py', 'w').write('from compiled import used')\nimport own");
        const kept = "['__init__.cpython-313.pyc', 'used.cpython-313.pyc'] True\n";
        assert.deepEqual(await run(compiled), [kept, undefined]);
        const [, traceback] = await run("import compiled.wrong");
        assert.match(
          String(traceback),
          /^Traceback .*\n {2}File "<execution 5>".*\n.*\n(?: *\^+\n)? {2}File ".*wrong.py", line 1\n/,
        );
        assert.deepEqual(await run(compiled), [kept, undefined]);
        await server.call("destroy_session", { session_id });
      },
    );

    await t.step("have one name, however it is spelled", async () => {
      assert.deepEqual((await install(server, "Foo.Bar", { session_id: "names" })).installed, [
        "Foo_Bar 1.0",
      ]);
      assert.deepEqual((await install(server, "foo--bar", { session_id: "names" })).there, ["Foo_Bar 1.0"]);
    });

    await t.step("that are not what they seem leave no trace", async () => {
      const session = { session_id: "wicked" };
      const before = (await server.python(FILES, session)).result;
      const codes: Record<string, string | undefined> = {};
      for (const name of ["liar", "older", "slip", "bomb", "false"]) {
        codes[name] = (await install(server, ["base", name], session)).code;
      }
      assert.deepEqual(codes, {
        liar: "PACKAGE_CORRUPT",
        older: "PACKAGE_CORRUPT",
        slip: "PACKAGE_CORRUPT",
        bomb: "WORKSPACE_FULL",
        false: "PACKAGE_CORRUPT",
      });
      assert.equal((await server.python(FILES, session)).result, before);
    });

    await t.step("that are cancelled while they are fetched leave the session as it was", async () => {
      const session = { session_id: "cancelled" };
      await server.python("x = 1", session);
      const before = (await server.python(FILES, session)).result;
      const cancel = new AbortController();
      index.special.set("/simple/waits/", () => {
        cancel.abort();
        return new Response(new ReadableStream());
      });
      await assert.rejects(install(server, "hangs", session, { signal: cancel.signal }));
      assert.equal((await server.python(FILES, session)).result, before);
      assert.equal((await server.python("x", session)).result, "1");
    });

    await t.step("are listed, installed and uninstalled by pip in the shell", async () => {
      const shell = async (command: string) => {
        const { structured } = await server.call("execute_command", { command, session_id: "shell" });
        return { code: structured["exit_code"], out: `${structured["stdout"]}${structured["stderr"]}` };
      };
      assert.match(
        (await shell("echo 'base<2  # old' > wanted.txt; pip install -r wanted.txt")).out,
        /base-1\.0/,
      );
      assert.match(
        (await shell("pip freeze | grep base; python3 -c 'import base; print(base.VERSION)'")).out,
        /base==1\.0\n1\.0/,
      );
      assert.match((await shell("python3 -m pip show base")).out, /Location: \/opt\/python\/lib/);
      assert.deepEqual(await shell("pip install base==9 2>/dev/null || echo no"), { code: 0, out: "no\n" });
      assert.match((await shell("pip uninstall base")).out, /Successfully uninstalled base-1\.0/);
      assert.equal((await shell("python3 -c 'import base'")).code, 1);
      assert.match((await shell("pip uninstall jinja2")).out, /outside environment/);
      assert.match((await shell("pip config list")).out, /not available here/);
      const elsewhere = await shell("pip install --index-url http://127.0.0.1:1/simple/ base");
      assert.equal(elsewhere.code, 1);
      await shell("echo 'x @ git+https://a.example/x.git' > r.txt");
      for (
        const wanted of [
          "git+https://a.example/b/c.git@v1",
          "-e git+https://a.example/c.git#egg=c",
          "-r r.txt",
        ]
      ) {
        const { code, out } = await shell(`pip install ${wanted}`);
        assert.equal(code, 1);
        assert.match(out, /ERROR: .*a\.example.*there is no network for git here\..*upload a wheel/);
      }
    });

    await t.step("can't be had by a guest on its own: no URL, no other operation", async () => {
      const code = `import _wasmbox, json
def ask(**request):
    try:
        return _wasmbox.host_call("packages", json.dumps(request).encode())[0].decode()
    except OSError as error:
        return str(error)
[ask(kind="project", name="x", url="${index.url}"), ask(kind="file", sha256="1" * 64)]`;
      const reply = await server.python(code, { session_id: "names" });
      const { result } = reply;
      assert.match(result ?? "", /bad request/, JSON.stringify(reply));
      assert.match(result ?? "", /this file is not permitted, or on no page of the index/);
    });
  },
});

Deno.test({
  name: `[${UNDER_TEST}] packages are not fetched where the operator forbids it; wrong arguments are told`,
  sanitizeResources: false,
  async fn() {
    await using server = await start("enabled = false\n");
    assert.equal((await install(server, "base")).code, "PACKAGES_DISABLED");
    assert.deepEqual((await install(server, "jinja2")).there, ["Jinja2 3.1.6"]);
    for (
      const args of [{}, { package_name: "a", requirements: ["b"] }, { package_name: "a\nb" }, {
        requirements: [],
      }]
    ) {
      const { structured } = await server.call("install_package", args);
      assert.equal((structured["error"] as { error_code: string }).error_code, "INVALID_ARGUMENTS");
    }
  },
});

Deno.test({
  name: `[${UNDER_TEST}] packages that the operator's list forbids can't be had by a URL with their hash`,
  sanitizeResources: false,
  async fn() {
    const [old, fresh] = [await makeWheel("forbidden", "1.0"), await makeWheel("forbidden", "2.0")];
    index.add("forbidden", old, fresh);
    await using server = await start('deny = ["forbidden<2"]\n');
    assert.equal((await install(server, "forbidden==1.0")).isError, true);
    assert.deepEqual((await install(server, "forbidden")).installed, ["forbidden 2.0"]);
    const asked = await server.python(`import _wasmbox, json
def ask(**request):
    return json.loads(_wasmbox.host_call("packages", json.dumps(request).encode())[0])
ask(kind="project", name="forbidden")
[ask(kind="file", sha256="${old.sha256}").get("refused", {}).get("reason"), "size" in ask(kind="file", sha256="${fresh.sha256}")]`);
    assert.equal(asked.result, "['not_found', True]");
    const place = "https://index.invalid/files";
    const url = `${place}/${old.sha256}/forbidden-1.0-py3-none-any.whl`;
    for (const wanted of [url, `forbidden @ ${url}`, `forbidden @ ${url}#sha256=${old.sha256}`]) {
      const { isError, installed } = await install(server, wanted, { session_id: "by-url" });
      assert.deepEqual([isError, installed], [true, []], wanted);
      const shell = await server.call("execute_command", {
        command: `pip install '${wanted}' && echo INSTALLED`,
        session_id: "by-url",
      });
      assert.doesNotMatch(shell.text, /INSTALLED/);
    }
  },
});

globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
