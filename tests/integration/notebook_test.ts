/** Programs for notebooks, through the real server. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";
import { patientServer, sharedServer } from "../support/shared.ts";

const in_ = (session_id: string) => ({ session_id });

Deno.test(`[${UNDER_TEST}] a program's commands run in the session's shell, where the program is`, async () => {
  const server = await sharedServer();
  const session = in_("commands");
  const listed = await server.python("open('a.txt', 'w').close()\nfiles = !ls\nfiles", session);
  assert.equal(listed.result, "['a.txt']");
  const mixed = await server.python(
    [
      "import os",
      "os.mkdir('d'); os.chdir('d'); os.environ['WHO'] = \"it's me\"",
      "for i in range(2):",
      "    !echo {i} ${i} $i $WHO {1..2} '{print $1}'; pwd",
      "!cd / && exit 3",
      "print(_exit_code)",
      "!echo error >&2",
      "_exit_code",
    ].join("\n"),
    session,
  );
  assert.equal(
    mixed.stdout,
    "0 0 0 it's me 1 2 {print $1}\n/app/d\n1 1 1 it's me 1 2 {print $1}\n/app/d\n3\n",
  );
  assert.deepEqual([mixed.stderr, mixed.result, mixed.status], ["error\n", "0", "completed"]);
  const { structured } = await server.call("execute_code", { language: "shell", code: "pwd", ...session });
  assert.equal(structured["stdout"], "/app\n", "the session's own shell stays as it is");
});

Deno.test(`[${UNDER_TEST}] a program that is a script of the shell runs there, and python3 in it runs files as they are`, async () => {
  const server = await sharedServer();
  const session = in_("scripts");
  const script = await server.python(
    "%%bash\nfor i in 2 1; do echo $i; done | sort\ncat <<X\n{x}\nX",
    session,
  );
  assert.equal(script.stdout, "1\n2\n{x}\n");
  const failed = await server.python("%%bash\nexit 4", session);
  assert.deepEqual([failed.status, failed.exit_code, failed.state], ["failed", 4, "kept"]);
  await server.python("open('p.py', 'w').write('x = 6\\nprint(x * 7)\\n')", session);
  assert.equal((await server.python("!python3 p.py", session)).stdout, "42\n");
  const captured = await server.python("%%capture out\n!echo hidden\nprint('too')", session);
  assert.equal(captured.stdout, "");
  assert.equal((await server.python("out.stdout", session)).result, "'hidden\\ntoo\\n'");
});

Deno.test(`[${UNDER_TEST}] a command that fails to end is stopped together with its program, which keeps its variables`, async () => {
  const session = in_("stopped");
  const stop = async (server: TestServer, code: string) => {
    const { reply } = await server.begin("python", code, session);
    await server.call("cancel_execution", session);
    const { status, state } = await reply;
    assert.equal((await server.python("x", session)).result, "2");
    return [status, state];
  };
  const code = "x = 1\ntry:\n    !echo up; sleep 1000\nfinally:\n    x = 2\nx = 3";
  assert.deepEqual(await stop(await sharedServer(patientServer), code), ["cancelled", "kept"]);
  const server = await sharedServer();
  await server.python("x = 2", session);
  const stubborn = "x = 3\nwhile True:\n    try:\n        !echo up\n    except BaseException: pass";
  assert.deepEqual(await stop(server, stubborn), ["cancelled", "rolled_back"]);
});

Deno.test(`[${UNDER_TEST}] a session that has a program for notebooks goes on in a Worker with a shell, with all that it had`, async () => {
  await using server = await TestServer.start();
  await server.python("x = [1]\ng = iter([1, 2]); next(g)");
  assert.equal((await server.python("!echo {x[0]}\nnext(g)")).result, "2");
  assert.equal((await server.python("_")).result, "2");
});

Deno.test(`[${UNDER_TEST}] files have one name, whatever a client calls the workspace`, async () => {
  const server = await sharedServer();
  const session = in_("places");
  const made = await server.call("execute_code", {
    code: "open('/mnt/data/chart.csv', 'w').write('1')",
    ...session,
  });
  assert.match(made.text, /\[files: chart\.csv created\]/);
  const read = await server.call("read_file", { path: "/mnt/data/chart.csv", ...session });
  assert.equal(read.structured["path"], "chart.csv");
  const listed = await server.call("list_files", { path: "/home/user", recursive: true, ...session });
  assert.deepEqual((listed.structured["entries"] as { path: string }[]).map(({ path }) => path), [
    "chart.csv",
  ]);
});

Deno.test(`[${UNDER_TEST}] the text of a reply has the end of long output, and progress bars as they looked at last`, async () => {
  const server = await sharedServer();
  const long = await server.call("execute_code", {
    code: "for i in range(300_000): print('line', i)\nprint('the sum is', 42)",
  });
  assert.match(
    long.text,
    /^line 0\nline 1\n[^]*left out[^]*line 299999\nthe sum is 42\n\[the beginning and end of stdout, \d+ bytes: \.output\/[0-9a-f]{8}\.stdout\.txt\. It was more than is kept \(stdout_max_bytes\)\]\n?$/,
  );
  const { stdout, output_files: [file] } = long.structured as {
    stdout: string;
    output_files: [{ path: string; uri: string; whole: boolean }];
  };
  assert.equal(file.whole, false);
  assert.match(stdout, /^line 0\n[^]*\n\[… \d+ characters left out …\]\n[^]*the sum is 42\n$/);
  const { contents: [whole] } = await server.client.readResource({ uri: file.uri });
  assert.match((whole as { text: string }).text, /\n\[… \d+ bytes left out …\]\nline \d+\n/);
  const shorter = await server.call("execute_code", { code: "for i in range(10_000): print('line', i)" });
  assert.match(
    shorter.text,
    /line 9999\n\[all of stdout, 98890 bytes: \.output\/[0-9a-f]{8}\.stdout\.txt\]\n?$/,
  );
  const bar = await server.call("execute_code", {
    code: "for i in range(101): print(f'\\r{i:3}% done', end='', flush=True)\nprint()\nprint('end')",
  });
  assert.match(bar.text, /^100% done\nend\n?/);
});

Deno.test(`[${UNDER_TEST}] code in a block of Markdown and numbers in quotes are taken as they are meant`, async () => {
  const server = await sharedServer();
  const call = async (args: Record<string, unknown>) =>
    (await server.call("execute_code", { session_id: "meant", ...args })).structured;
  assert.equal(
    (await call({ code: "```python\nprint(1)\n```", timeout: "5", background: "false" }))["stdout"],
    "1\n",
  );
  assert.equal((await call({ code: "```bash\necho 2\n```", language: "bash" }))["stdout"], "2\n");
  for (const timeout of ["soon", "5s", "", "1e3"]) {
    const { error_code } = (await call({ code: "1", timeout }))["error"] as { error_code: string };
    assert.equal(error_code, "INVALID_ARGUMENTS", timeout);
  }
});
