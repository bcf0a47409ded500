/** Sessions that go to the interpreter with numpy and its kind when a program of theirs needs it. */

import assert from "node:assert/strict";
import { childrenOf, TestServer } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";
import { completed, inSession, test } from "../support/science_session.ts";
import { patientServer, sharedServer } from "../support/shared.ts";

test("a session that began without numpy has it when a later program imports it, with all that it made before", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "began" };
  const made =
    "rows = [{'a': 1}, {'a': 2}]\nclass Shop:\n    def total(self): return pd.DataFrame(rows).a.sum()\nshop = Shop()";
  completed(await server.python(made, session));
  const moved = completed(await server.python("import pandas as pd\nint(shop.total())", session));
  assert.equal(moved.result, "3");
  assert.match(moved.notice ?? "", /variables, functions, classes and own modules came along/);
  await server.checkpointed();
  const again = completed(await server.python("rows.append({'a': 4})\nint(shop.total())", session));
  assert.deepEqual([again.result, again.notice], ["7", null]);
  await server.checkpointed();
  for (const pid of childrenOf(server.transport.pid!)) Deno.kill(pid, "SIGKILL");
  assert.equal(
    (await eventually(
      "the session goes on in another process",
      () => server.python("int(shop.total())", session),
      ({ status }) => status === "completed",
    )).result,
    "7",
  );
});

test("a program that fails or is stopped after its session has moved leaves it as asked", async () => {
  const server = await sharedServer(patientServer);
  const session = { session_id: "moves" };
  completed(await server.python("x = [1]", session));
  const rolledBack = await server.python("import numpy\nx.append(2)\n1 / 0", {
    ...session,
    on_failure: "rollback",
  });
  assert.equal(rolledBack.status, "failed");
  assert.equal(
    (await server.python("import sys\n(x, 'numpy' in sys.modules)", session)).result,
    "([1], False)",
  );
  const endless = "import numpy\nx.append(3)\nprint('up', flush=True)\nwhile True: pass";
  const running = await server.begin("python", endless, session);
  await server.call("cancel_execution", session);
  assert.equal((await running.reply).status, "cancelled");
  assert.equal((await server.python("x", session)).result, "[1, 3]");
  await server.call("destroy_session", session);
});

test("a session that can't go there says why, and its variables stay", async () => {
  const server = await sharedServer();
  const session = { session_id: "stays" };
  completed(await server.python("rows = (n for n in range(3))\nnext(rows)", session));
  const { error } = await server.python("import numpy", session);
  assert.match(error?.message ?? "", /could not go, because of rows \(generator\)\. Delete/);
  assert.equal((await server.python("next(rows)", session)).result, "1");
  completed(await server.python("del rows", session));
  assert.equal(completed(await server.python("import numpy\nint(numpy.ones(3).sum())", session)).result, "3");
  await server.call("destroy_session", session);
});

test("who looks for packages first, by whatever means, finds those of the other interpreter, also where the session is not there", async () => {
  const probes = [
    `import importlib
found = {}
for name in ["numpy", "pandas", "matplotlib", "nonesuch"]:
    try: found[name] = bool(importlib.import_module(name).__version__)
    except ImportError: found[name] = False
[*found.values()]`,
    `import importlib.util as util
[util.find_spec(name) is not None for name in ("numpy", "pandas", "mat" "plotlib", "nonesuch")]`,
    `[__import__(name) is not None for name in ("numpy", "pandas", "matplotlib")] + [False]`,
    `import pkgutil
there = {each.name for each in pkgutil.iter_modules()}
[name in there for name in ("num" "py", "sympy", "rich", "nonesuch")]`,
    `from importlib import metadata
there = {each.name for each in metadata.distributions()}
[bool(metadata.version("num" "py")), "pillow" in there, "python-docx" in there, "nonesuch" in there]`,
    `from importlib import util
[util.find_spec(f"{name}{rest}") is not None for name, rest in (("num", "py"), ("pan", "das"), ("mat", "plotlib"), ("none", "such"))]`,
  ];
  for (const probe of probes) {
    assert.equal(completed(await inSession(probe)).result, "[True, True, True, False]", probe);
    assert.equal(completed(await inSession("x = 1", probe)).result, "[True, True, True, False]", probe);
  }
  const { error } = await inSession(
    "from importlib import util\nname = 'num' + 'py'\nutil.module_from_spec(util.find_spec(name))",
  );
  assert.match(error?.message ?? "", /No module named 'numpy'\. It comes with an interpreter of its own/);
});

test("what a program writes as a module, or runs as a text, has them", async () => {
  const module = "import numpy as np\\ntotal = int(np.arange(4).sum())\\n";
  for (
    const program of [
      `open("made.py", "w").write("${module}")\nimport made\nmade.total`,
      `exec("import numpy as np; total = int(np.arange(4).sum())")\ntotal`,
      `open("made.py", "w").write("${module}")\nexec(open("made.py").read())\ntotal`,
      `open("made.py", "w").write("${module}")\nimport runpy\nrunpy.run_path("made.py")["total"]`,
    ]
  ) assert.equal(completed(await inSession(program)).result, "6", program);
  const later = completed(
    await inSession(`text = "${module}"\n_ = open("made.py", "w").write(text)`, "%run made.py\ntotal"),
  );
  assert.equal(later.result, "6");
});

test("networkx and sympy have numpy and matplotlib in a session that began without them", async () => {
  const graph = "import networkx as nx\nlen(nx.spring_layout(nx.path_graph(3), seed=1))";
  assert.equal(completed(await inSession("x = 1", graph)).result, "3");
  const { displays } = await inSession("x = 1", "from sympy import *\n_ = plot(symbols('t') ** 2)");
  assert.deepEqual(displays.map(({ mime_type }) => mime_type), ["image/png"]);
});

test("modules that are run by their names in the shell have them, and tests, from subprocess too", async () => {
  const server = await sharedServer();
  const session = { session_id: "modules" };
  const { structured } = await server.call("execute_command", {
    ...session,
    command: String
      .raw`printf 'import numpy as np\ndef test_it(): assert np.ones(3).sum() == 3\nprint("ran")\n' > test_it.py
python3 -m test_it; pytest -q | tail -1; python3 -m pytest -q | tail -1
mkdir app; cp test_it.py app/__main__.py; python3 app; cd app; mv __main__.py helper.py; echo 'import helper' > main.py; python3 main.py`,
  });
  assert.match(String(structured["stdout"]), /^ran\n1 passed.*\n1 passed.*\nran\nran\n$/);
  const { stdout } = completed(
    await server.python(
      `import subprocess, sys
for command in (["pytest", "-q", "test_it.py"], [sys.executable, "-m", "test_it"]):
    print(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[-1][:8])`,
      session,
    ),
  );
  assert.equal(stdout, "1 passed\nran\n");
  await server.call("destroy_session", session);
});

test("scripts of the shell have them too, and pip knows that they are there", async () => {
  const server = await sharedServer();
  const session = { session_id: "shell" };
  const script = String.raw`import pandas as pd\nprint(pd.Series([1, 2]).sum())\n`;
  const { structured } = await server.call("execute_command", {
    ...session,
    command: `printf '${script}' > sum.py && python3 sum.py && pip install pandas`,
  });
  assert.match(String(structured["stdout"]), /^3\n(.|\n)*already satisfied: pandas/);
  await server.call("destroy_session", session);
});
