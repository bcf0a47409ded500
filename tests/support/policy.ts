/** Servers under a policy of a test's own. */

import { type Command, serverCommand, TestServer } from "./harness.ts";

/** `serve` with that policy.toml. The caller removes the file when the server has read it. */
export async function policyCommand(policy: string, command: Command = serverCommand()) {
  const file = await Deno.makeTempFile({ prefix: "wasmbox-policy-", suffix: ".toml" });
  await Deno.writeTextFile(file, policy);
  return { ...command, args: [...command.args, "serve", "--policy", file], file };
}

export async function serve(policy: string, command?: Command): Promise<TestServer> {
  const { file, ...started } = await policyCommand(policy, command);
  try {
    return await TestServer.start(started);
  } finally {
    await Deno.remove(file);
  }
}
