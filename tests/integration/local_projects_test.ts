/** `pip install .` and `pip install -e .`: projects of the session's own. */

import assert from "node:assert/strict";
import { LocalIndex } from "../support/packages/local_index.ts";
import { makeWheel } from "../support/packages/wheel.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

/** Its files, and what it says of itself. */
interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  readonly says: string;
}

const PROJECTS: Readonly<Record<string, Project>> = {
  "in src, by the standard's table": {
    files: {
      "pyproject.toml":
        '[project]\nname = "one-lib"\nversion = "1.5"\ndependencies = ["needed"]\n[project.optional-dependencies]\n' +
        'dev = ["extra-part"]\n[project.scripts]\none = "one.cli:main"\n',
      "src/one/__init__.py": "",
      "src/one/cli.py":
        "import extra_part, needed, sys\nfrom importlib import metadata, resources\ndef main():\n" +
        "    text = resources.files('one').joinpath('data/a.txt').read_text()\n" +
        "    print(sys.argv[1:], metadata.version('one-lib'), needed.VERSION, text)\n",
      "src/one/data/a.txt": "data",
    },
    command: "one x",
    says: "['x'] 1.5 2.0 data\n",
  },
  "beside its tests, with a version in a module": {
    files: {
      "pyproject.toml":
        '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "two"\ndynamic = ["version"]\n[project.scripts]\ntwo = "two:main"\n',
      "two/__init__.py":
        '__version__ = "2.5"\nimport importlib.metadata\ndef main(): print(importlib.metadata.version("two"))\n',
      "tests/test_two.py": "",
    },
    command: "two",
    says: "2.5\n",
  },
  "by a call of setup": {
    files: {
      "setup.py":
        "from setuptools import find_packages, setup\nsetup(name='three', version='3', packages=find_packages(),\n" +
        "      entry_points={'console_scripts': ['three=three.main:run']})\n",
      "three/__init__.py": "",
      "three/main.py": "def run(): print('three runs')\n",
    },
    command: "three",
    says: "three runs\n",
  },
  "of one module, by setup.cfg": {
    files: {
      "setup.py": "import setuptools\nsetuptools.setup()\n",
      "setup.cfg":
        "[metadata]\nname = four\nversion = attr: four.__version__\n[options]\npy_modules = four\n" +
        "[options.entry_points]\nconsole_scripts =\n    four = four:main\n",
      "four.py": "__version__ = '4.1'\ndef main(): print('four', __version__)\n",
    },
    command: "four",
    says: "four 4.1\n",
  },
  "by Poetry's table": {
    files: {
      "pyproject.toml":
        '[tool.poetry]\nname = "five"\nversion = "5.0"\n[tool.poetry.dependencies]\npython = "^3.9"\nneeded = "^1.0"\n' +
        '[tool.poetry.scripts]\nfive = "five:main"\n',
      "five/__init__.py": "import needed\ndef main(): print('five', needed.VERSION)\n",
    },
    command: "five",
    says: "five 1.2\n",
  },
};

Deno.test({
  name: `[${UNDER_TEST}] projects of a session's own`,
  sanitizeResources: false,
  async fn(t) {
    const index = new LocalIndex();
    index.add("needed", await makeWheel("needed", "1.2"), await makeWheel("needed", "2.0"));
    index.add("extra-part", await makeWheel("extra_part", "0.1"));
    const policy = await Deno.makeTempFile({ suffix: ".toml" });
    await Deno.writeTextFile(policy, `timeout_seconds = 300\n[packages]\nindex_url = "${index.url}"\n`);
    const { command, args } = serverCommand();
    const main = args.pop();
    const allowed = main === undefined ? [] : ["--allow-net", "--allow-write", main];
    await using server = await TestServer.start({
      command,
      args: [...args, ...allowed, "serve", "--policy", policy],
    });
    const shell = async (command: string, session_id: string) => {
      const { structured } = await server.call("execute_command", { command, session_id });
      return `${structured["stdout"]}${structured["stderr"] ?? ""}`;
    };
    const put = async (path: string, content: string, session_id: string) => {
      await server.call("write_file", { path: `/app/project/${path}`, content, session_id });
    };

    for (const [what, { files, command, says }] of Object.entries(PROJECTS)) {
      for (const how of [".[dev]", "-e .[dev]", "/app/project[dev]"]) {
        await t.step(`${what}, are installed by ${how}`, async () => {
          const session = `${command.split(" ")[0]}-${how.length}`;
          for (const [path, content] of Object.entries(files)) await put(path, content, session);
          assert.match(
            await shell(`cd /app/project; pip install ${how}`, session),
            /Successfully installed /,
          );
          assert.equal(await shell(`cd /; ${command}`, session), says);
          await server.call("destroy_session", { session_id: session });
        });
      }
    }

    await t.step(
      "and installed with -e are as their files are, and can be installed anew and removed",
      async () => {
        const session = "live";
        await put("pyproject.toml", '[project]\nname = "live"\nversion = "1"\n', session);
        await put("src/live/__init__.py", "VALUE = 1\n", session);
        await put("src/live/part.py", "VALUE = 2\ndef fail(): raise KeyError(1)\n", session);
        await shell("cd /app/project; pip install -e .", session);
        const run =
          "cd /; python3 -c 'import live, live.part; print(live.VALUE, live.part.VALUE, live.__file__)'";
        assert.equal(await shell(run, session), "1 2 /app/project/src/live/__init__.py\n");
        await put("src/live/__init__.py", "VALUE = 10\n", session);
        await put("src/live/part.py", "VALUE = 20\n", session);
        assert.equal(await shell(run, session), "10 20 /app/project/src/live/__init__.py\n");
        assert.match(await shell("cd /app/project; pip install .", session), /Successfully installed live-1/);
        await put("src/live/part.py", "VALUE = 30\n", session);
        assert.match(await shell(run, session), /^10 20 \/opt\/python\//);
        assert.match(await shell("pip uninstall live", session), /Successfully uninstalled live-1/);
      },
    );

    await t.step("and so are those that a list of requirements names", async () => {
      await put("pyproject.toml", '[project]\nname = "listed"\nversion = "1"\n', "list");
      await put("listed.py", "VALUE = 1\n", "list");
      await put("requirements.txt", "# all\nneeded==1.2\n-e .  # itself\n", "list");
      await shell("cd /app/project; pip install -r requirements.txt", "list");
      await put("listed.py", "VALUE = 2\n", "list");
      const run = "cd /; python3 -c 'import listed, needed; print(listed.VALUE, needed.VERSION)'";
      assert.equal(await shell(run, "list"), "2 1.2\n");
    });

    await t.step("that say nothing of themselves are pip's to refuse, and nothing is changed", async () => {
      await put("pyproject.toml", "[tool.black]\n", "empty");
      assert.match(
        await shell("cd /app/project; pip install . && echo INSTALLED; ls /opt/python 2>&1", "empty"),
        /ERROR: /,
      );
      assert.doesNotMatch(
        await shell("cd /app/project; pip install . && echo INSTALLED", "empty"),
        /INSTALLED/,
      );
    });
  },
});
