/** What becomes of a session's state when an execution, or the process it runs in, ends badly. */

import assert from "node:assert/strict";
import { childrenOf, type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

/** A native loop that no interrupt reaches: it must be stopped by force. It says when it has come to it. */
const UNSTOPPABLE = {
  python: "import itertools\nprint('up', flush=True)\nsum(itertools.repeat(1))",
  javascript: "const s = 'a'.repeat(1 << 24); console.log('up'); while (1) s.indexOf('ab')",
};

/** Stops a program once it prints. @returns Its reply. */
async function stopped(server: TestServer, language: keyof typeof UNSTOPPABLE, code: string): Promise<Reply> {
  const { reply } = await server.begin(language, code);
  await server.call("cancel_execution");
  return await reply;
}

function executorsOf(server: TestServer): number[] {
  return childrenOf(server.transport.pid ?? 0);
}

function state(reply: Reply) {
  return [reply.status, reply.state, reply.notice];
}

for (const language of ["python", "javascript"] as const) {
  Deno.test(`[${UNDER_TEST}] a hard stop in ${language} brings variables and files back to before the execution`, async () => {
    const server = await sharedServer();
    await server.python("x = [1, 2]; open('kept.txt', 'w').write('before')");
    await server.javascript("let y = { n: 5 }; const f = () => ++y.n");
    const change = language === "python"
      ? "x.append(3); open('kept.txt', 'w').write('during'); open('new.txt', 'w').close()\\n"
      : "f(); const fs = await import('fs'); fs.writeFileSync('kept.txt', 'during'); fs.writeFileSync('new.txt', '');";
    const hit = await stopped(server, language, change.replace("\\n", "\n") + UNSTOPPABLE[language]);
    assert.deepEqual([hit.status, hit.state], ["cancelled", "rolled_back"], JSON.stringify(hit));
    assert.match(hit.error?.message ?? "", /as they were before this execution/);
    const python = await server.python("import os; (x, open('kept.txt').read(), os.listdir('.'))");
    assert.equal(python.result, "([1, 2], 'before', ['kept.txt'])");
    assert.equal((await server.javascript("f()")).result, "6");
  });
}

Deno.test(`[${UNDER_TEST}] what is said of a program that ends its interpreter is true of its session`, async () => {
  const server = await sharedServer();
  await server.python("import os\nx = 1");
  const aborted = await server.call("execute_code", { code: "y = 2\nos.abort()" });
  const { state, error } = aborted.structured as { state: string; error: Record<string, unknown> };
  assert.equal(state, "rolled_back");
  assert.doesNotMatch(JSON.stringify(error["recovery_suggestions"]), /Define the variables again/);
  assert.equal((await server.python("x, 'y' in dir()")).result, "(1, False)");
  const left = await server.python("open('kept.txt', 'w').close()\nos._exit(3)");
  assert.deepEqual([left.exit_code, left.state], [3, "reset"]);
  assert.match(left.error?.message ?? "", /Python variables are lost; its files are kept, as are/);
  assert.equal(
    (await server.python("import os\n'x' in dir(), os.listdir()")).result,
    "(False, ['kept.txt'])",
  );
});

Deno.test(`[${UNDER_TEST}] an open file goes on where it was when the state is rolled back`, async () => {
  const server = await sharedServer();
  await server.python("f = open('log.txt', 'w'); f.write('one '); f.flush()");
  await stopped(server, "python", `f.write('lost '); f.flush()\n${UNSTOPPABLE.python}`);
  const reply = await server.python("f.write('two'); f.close(); open('log.txt').read()");
  assert.equal(reply.result, "'one two'");
});

Deno.test(`[${UNDER_TEST}] on_failure = "rollback" makes a failed execution leave no trace`, async () => {
  const server = await sharedServer();
  await server.python("n = 1");
  const failed = await server.python("n = 2\nopen('trace', 'w').close()\n1 / 0", { on_failure: "rollback" });
  assert.deepEqual([failed.status, failed.state], ["failed", "rolled_back"]);
  const interrupted = await server.python("n = 3\nwhile True: pass", {
    on_failure: "rollback",
    timeout: 0.3,
  });
  assert.deepEqual([interrupted.status, interrupted.state], ["timeout", "rolled_back"]);
  assert.equal((await server.python("n = 4", { on_failure: "rollback" })).state, "kept");
  assert.equal((await server.python("import os; (n, os.listdir('.'))")).result, "(4, [])");
});

Deno.test(`[${UNDER_TEST}] sessions go on with heaps and files after their process was killed`, async () => {
  await using server = await TestServer.start();
  const ids = ["a", "b", "c"];
  for (const id of ids) {
    await server.python(
      `import sqlite3\nme = '${id}'\ng = (i * i for i in range(100)); next(g); next(g)\n` +
        "db = sqlite3.connect(':memory:'); _ = db.execute('create table t(a)'); _ = db.execute('insert into t values (7)')\n" +
        "open('who.txt', 'w').write(me)",
      { session_id: id },
    );
    await server.javascript(`const m = new Map([['who', '${id}']]); let n = 1`, { session_id: id });
  }
  await server.checkpointed();
  for (const pid of executorsOf(server)) Deno.kill(pid, "SIGKILL");
  for (const id of ids) {
    let reply = await server.python(
      "(me, next(g), db.execute('select a from t').fetchone(), open('who.txt').read())",
      {
        session_id: id,
      },
    );
    if (reply.status === "crashed") { // sent before the server knew
      assert.deepEqual([reply.state, reply.error?.retryable], ["rolled_back", true]);
      reply = await server.python(
        "(me, next(g), db.execute('select a from t').fetchone(), open('who.txt').read())",
        {
          session_id: id,
        },
      );
    }
    assert.deepEqual(state(reply), ["completed", "kept", null]);
    assert.equal(reply.result, `('${id}', 4, (7,), '${id}')`);
    assert.equal((await server.javascript("m.get('who') + n++", { session_id: id })).result, `'${id}1'`);
  }
});

Deno.test(`[${UNDER_TEST}] a process lost in the middle of an execution loses that execution only`, async () => {
  await using server = await TestServer.start();
  await server.python("done = ['first']");
  await server.checkpointed();
  const running = await server.begin("python", "done.append('second')\nprint('up')\nwhile True: pass");
  for (const pid of executorsOf(server)) Deno.kill(pid, "SIGKILL");
  const hit = await running.reply;
  assert.equal(hit.stdout, "up\n");
  assert.deepEqual([hit.status, hit.state, hit.error?.retryable, hit.notice], [
    "crashed",
    "rolled_back",
    true,
    null,
  ]);
  assert.equal((await server.python("done")).result, "['first']");
});

Deno.test(`[${UNDER_TEST}] restored sessions don't repeat each other's randomness`, async () => {
  await using server = await TestServer.start();
  const seen = new Set<string | null>();
  for (const id of ["a", "b"]) {
    await server.python("import random", { session_id: id });
    await server.checkpointed();
    for (const pid of executorsOf(server)) Deno.kill(pid, "SIGKILL");
    let reply = await server.python("random.random()", { session_id: id });
    if (reply.status === "crashed") reply = await server.python("random.random()", { session_id: id });
    seen.add(reply.result);
  }
  assert.equal(seen.size, 2);
});

Deno.test(`[${UNDER_TEST}] resetting a workspace is kept as well when its process is lost`, async () => {
  await using server = await TestServer.start();
  await server.python("x = 1; open('f', 'w').close()");
  await server.call("reset_workspace");
  await server.checkpointed();
  for (const pid of executorsOf(server)) Deno.kill(pid, "SIGKILL");
  let reply = await server.python("import os; ('x' in globals(), os.listdir('.'))");
  if (reply.status === "crashed") {
    reply = await server.python("import os; ('x' in globals(), os.listdir('.'))");
  }
  assert.equal(reply.result, "(False, [])", JSON.stringify(reply));
});

Deno.test({
  name:
    "a session too large for a checkpoint says that its state is lost, keeps files where it can, and goes on",
  ignore: UNDER_TEST !== "source",
  async fn() {
    const fixture = new URL("./fixtures/server.ts", import.meta.url);
    await using server = await TestServer.start(fixture, { checkpointMaxBytes: 1 << 20 });
    await server.python("import os; open('f', 'w').close(); big = os.urandom(3 << 20)");
    const failed = await server.python("1 / 0", { on_failure: "rollback" });
    assert.deepEqual([failed.state, /could not be rolled back/.test(failed.notice ?? "")], ["kept", true]);
    const hit = await server.python(UNSTOPPABLE.python, { timeout: 0.3 });
    assert.deepEqual([hit.status, hit.state], ["timeout", "reset"]);
    assert.match(hit.error?.message ?? "", /Python variables are lost; its files are kept, as are/);
    assert.equal(
      (await server.python("import os; ('big' in globals(), os.listdir('.'))")).result,
      "(False, ['f'])",
    );
    await server.python("big = os.urandom(3 << 20)");
    for (const pid of executorsOf(server)) Deno.kill(pid, "SIGKILL");
    let next = await server.python("'big' in globals()");
    if (next.status === "crashed") next = await server.python("'big' in globals()");
    else assert.deepEqual([next.state, /lost/.test(next.notice ?? "")], ["rolled_back", true]);
    assert.equal(next.result, "False");
  },
});

Deno.test({
  name:
    "a heap that is lost in a session too large for a checkpoint is what was last captured of it, and the rest goes on",
  ignore: UNDER_TEST !== "source",
  async fn() {
    const fixture = new URL("./fixtures/server.ts", import.meta.url);
    await using server = await TestServer.start(fixture, {
      checkpointMaxBytes: 4 << 20,
      memoryBytes: 64 << 20,
    });
    await server.run("shell", "X=5; f() { echo f$1; }; exec 3> open.txt; rm open.txt");
    await server.python("import os; big = os.urandom(6 << 20)");
    await server.javascript("let y = 7; const g = () => ++y");
    await server.run("shell", "X=6; exec 3>&-; echo kept > kept.txt");
    const hit = await server.run("shell", "dd if=/dev/zero of=/tmp/bigf bs=1M count=100");
    assert.deepEqual([hit.status, hit.state], ["out_of_memory", "rolled_back"]);
    assert.match(
      hit.error?.message ?? "",
      /The session's shell variables are those of an earlier call, .*; its files are kept, as are the variables/,
    );
    assert.equal(
      (await server.run("shell", "echo $X; f 1; cat kept.txt; ls")).stdout,
      "5\nf1\nkept\nkept.txt\n",
    );
    assert.equal((await server.python("len(big)")).result, String(6 << 20));
    assert.equal((await server.javascript("g()")).result, "8");

    const lost = await server.javascript(UNSTOPPABLE.javascript, { timeout: 0.3 });
    assert.deepEqual([lost.status, lost.state], ["timeout", "reset"]);
    assert.match(lost.error?.message ?? "", /JavaScript variables are lost; its files are kept, as are/);
    assert.equal((await server.javascript("typeof y")).result, "'undefined'");
    assert.equal((await server.run("shell", "echo $X")).stdout, "5\n");
  },
});

Deno.test(`[${UNDER_TEST}] a session that moves keeps what each language has, whichever runs first there`, async () => {
  for (const prepared of ["python", "javascript"] as const) {
    await using server = await TestServer.start();
    await server.run(prepared, "1", { session_id: "other" }); // what is prepared for the next is of its kind
    await server.checkpointed();
    for (const first of ["python", "javascript"] as const) {
      const session_id = `first-${first}`;
      await server.python("x = 'python'", { session_id });
      await server.javascript("let y = 'javascript'", { session_id });
      await server.run("shell", "z=shell", { session_id });
      await server.run(prepared, "1", { session_id });
      await server.checkpointed();
      const { isError, text } = await server.call("restore_session", { session_id, undo: 1 });
      assert.ok(!isError, text);
      const programs = { python: "x", javascript: "y", shell: "echo $z" };
      for (const language of [first, "python", "javascript", "shell"] as const) {
        const { result, stdout } = await server.run(language, programs[language], { session_id });
        assert.equal(
          language === "shell" ? stdout.trim() : result,
          language === "shell" ? "shell" : `'${language}'`,
        );
      }
    }
  }
});
