/** pytest as agents use it: in the shell, by python -m, and inside Python; scripts that are executable files. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

const SUITE = `
mkdir -p tests
cat > conftest.py <<'E'
import pytest
@pytest.fixture
def five(): return 5
E
cat > tests/test_all.py <<'E'
import os
import pytest
def make(x): return {"a": x, "b": [1, 2, 3]}
def test_fixture(five): assert five == 5
@pytest.mark.parametrize("x", [1, 2])
def test_parametrized(x): assert x < 3
def test_tmp_path(tmp_path):
    (tmp_path / "a").write_text("x")
    assert (tmp_path / "a").read_text() == "x"
def test_capsys(capsys):
    print("hi")
    assert capsys.readouterr().out == "hi\\n"
def test_capfd(capfd):
    os.write(1, b"raw\\n")
    assert capfd.readouterr().out == "raw\\n"
def test_monkeypatch(monkeypatch):
    monkeypatch.setenv("A", "b")
    assert os.environ["A"] == "b"
def test_raises():
    with pytest.raises(ZeroDivisionError, match="division"): 1 / 0
def test_wrong(): assert make(1) == {"a": 2, "b": [1, 2, 4]}
@pytest.mark.skip
def test_skipped(): pass
E
`;

Deno.test(`[${UNDER_TEST}] pytest runs from the shell, with fixtures, options, reports and readable failures`, async () => {
  const server = await sharedServer();
  const shell = async (command: string) => {
    const { structured } = await server.call("execute_command", { command, session_id: "pytest" });
    return { code: structured["exit_code"], out: `${structured["stdout"]}${structured["stderr"]}` };
  };
  await shell(SUITE);
  const all = await shell("pytest -q");
  assert.match(all.out, /1 failed, 8 passed, 1 skipped/);
  assert.match(all.out, /E +AssertionError: assert \{'a': 1, .* == \{'a': 2, /);
  assert.equal(all.code, 1);
  const some = await shell(
    "python3 -m pytest -q -k 'fixture or capsys' --junitxml=out.xml && grep -c '<testcase' out.xml",
  );
  assert.match(some.out, /2 passed, 8 deselected/);
  assert.equal(some.code, 0);
  assert.match(
    (await shell("pytest -x -q tests/test_all.py::test_wrong tests/test_all.py")).out,
    /stopping after 1 failures/,
  );
  assert.equal((await shell("pytest -q nothing.py")).code, 4);
  assert.match((await shell("which pytest")).out, /pytest/);
});

Deno.test(`[${UNDER_TEST}] pytest.main sees what has changed since it ran before`, async () => {
  const server = await sharedServer();
  const session_id = "pytest_main";
  const files = (sum: string) =>
    `open("calc.py", "w").write("def add(a, b): return ${sum}")
open("test_calc.py", "w").write("from calc import add\\ndef test_add(): assert add(1, 2) == 3")
import pytest
int(pytest.main(["-q", "test_calc.py"]))`;
  const wrong = await server.python(files("a - b"), { session_id });
  assert.equal(wrong.result, "1");
  assert.match(wrong.stdout, /assert -1 == 3/);
  const right = await server.python(files("a + b"), { session_id });
  assert.deepEqual([right.result, right.status], ["0", "completed"], right.stdout);
});

Deno.test(`[${UNDER_TEST}] files that are executable run by what their first line says`, async () => {
  const server = await sharedServer();
  const shell = async (command: string) => {
    const { structured } = await server.call("execute_command", { command, session_id: "scripts" });
    return `${structured["stdout"]}${structured["stderr"]}`;
  };
  const script = (name: string, text: string) => `printf '${text}' > ${name}; chmod +x ${name}; `;
  const out = await shell(
    script("a.py", "#!/usr/bin/env python3\\nimport sys\\nprint(sys.argv[1:])\\n") + "./a.py x 'y z'; " +
      script("b", "#!/usr/bin/python3.11 -u\\nprint(input())\\n") + "echo in | ./b; " +
      script("c.sh", "#!/bin/bash\\necho $1\\n") + "./c.sh hi; " +
      script("d.js", "#!/usr/bin/env node\\nconsole.log(1 + 1)\\n") + "./d.js; " +
      script("e", "echo plain\\n") + "PATH=$PATH:/app; e; " +
      script("f.py", "#!/usr/bin/env python3\\nraise SystemExit(3)\\n") + "./f.py; echo $?; " +
      "printf '#!/usr/bin/env python3\\n' > g; ./g",
  );
  assert.equal(out, "['x', 'y z']\nin\nhi\n2\nplain\n3\nbash: line 1: ./g: Permission denied\n");
  assert.equal(
    await shell(
      "PATH=$PATH:/app; command -v e; command -V c.sh; command -v nonesuch || echo none; command -v ls",
    ),
    "/app/e\nc.sh is /app/c.sh\nnone\n/usr/bin/ls\n",
  );
  assert.match(await shell("ruff check ."), /ruff: command not found; it is native code/);
  assert.match(await shell("black ."), /black: command not found; pip install black gets it/);
  assert.equal(await shell("nonesuch"), "bash: line 1: nonesuch: command not found\n");
});
