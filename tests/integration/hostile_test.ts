/** After each of these the server answers the next call, and the reply said what became of the session's state. */

import assert from "node:assert/strict";
import { ATTACKS, type Expect } from "../support/attacks.ts";
import { type Reply, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

/** Less to fill than by default, which takes most of the time. */
const POLICY = "memory_bytes = 134_217_728\nworkspace_bytes = 67_108_864\nworkspace_files = 5000\n";

async function start(): Promise<TestServer> {
  const policy = await Deno.makeTempFile({ suffix: ".toml" });
  try {
    await Deno.writeTextFile(policy, POLICY);
    const { command, args } = serverCommand();
    return await TestServer.start({ command, args: [...args, "serve", "--policy", policy] });
  } finally {
    await Deno.remove(policy);
  }
}

function check(reply: Reply, { anyStatus, stdout, error, ...exact }: Expect): void {
  const seen = JSON.stringify({ ...reply, stdout: reply.stdout.slice(0, 200) });
  for (const [field, value] of Object.entries(exact)) {
    assert.equal(reply[field as keyof Reply], value, `${field}: ${seen}`);
  }
  if (anyStatus) assert.ok(anyStatus.includes(reply.status), seen);
  if (stdout) assert.match(reply.stdout, stdout);
  if (error) assert.match(`${reply.error?.type} ${reply.error?.message}`, error, seen);
  assert.equal(reply.success, reply.status === "completed");
  assert.equal(reply.isError, !["completed", "failed"].includes(reply.status));
  if (!reply.success) assert.ok((reply.error?.message.length ?? 0) > 5, seen);
}

// On the executable the self-test does as much and more.
Deno.test(`[${UNDER_TEST}] hostile programs`, { ignore: UNDER_TEST === "executable" }, async (t) => {
  const server = await sharedServer(start);
  let i = 0;
  for (const { name, language, code, timeout, expect } of ATTACKS) {
    await t.step(`${language}: ${name}`, async () => {
      const session_id = `attack_${i++}`;
      try {
        const [define, use] = language === "python"
          ? ["marker = 'still here'", "globals().get('marker')"]
          : ["globalThis.marker = 'still here'", "globalThis.marker ?? null"];
        await server.run(language, define, { session_id });
        const reply = await server.run(language, code, { session_id, timeout: timeout ?? 30 });
        check(reply, expect);
        const after = await server.run(language, use, { session_id });
        assert.equal(after.status, "completed", JSON.stringify(after));
        const gone = language === "python" ? null : "null";
        assert.equal(after.result, reply.state === "reset" ? gone : "'still here'", JSON.stringify(after));
      } finally {
        await server.call("destroy_session", { session_id });
      }
    });
  }
});

Deno.test(`[${UNDER_TEST}] output past its bound is cut and said so`, async () => {
  const server = await sharedServer(start);
  const reply = await server.python("import sys\nprint('é' * 600000)\nprint('x' * 2000000, file=sys.stderr)");
  assert.deepEqual(reply.truncated, { stdout: true, stderr: true });
  const [{ path }] = (reply as unknown as { output_files: [{ path: string }] }).output_files;
  const whole = await server.python(
    `open(${JSON.stringify(path)}, encoding="utf-8", newline="").read().count("é")`,
  );
  assert.equal(Number(whole.result), (1024 * 1024 - 2) / 2, "all but half a character");
  assert.ok(reply.stdout.length < 31_000 && !reply.stdout.includes("\ufffd"));
  const { text } = await server.call("execute_code", { code: "print('x' * 100000)" });
  assert.ok(text.length < 31_000 && text.includes("left out"));
});
