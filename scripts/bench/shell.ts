/** What the shell costs: a command, a pipe over 1 MB, and getting a shell at all. */

import { childrenOf, residentMegabytes, TestServer } from "../../tests/support/harness.ts";
import { repeat, type Row, sample, timed } from "./stats.ts";

const SERVER = new URL("./server.ts", import.meta.url);
const PIPE = "cat data | grep 7 | sort | wc -l";

async function expectOutput(server: TestServer, command: string, more: Record<string, unknown> = {}) {
  const { structured } = await server.call("execute_command", { command, ...more });
  if (structured["status"] !== "completed") throw new Error(`${command}: ${JSON.stringify(structured)}`);
}

export async function shellCommands(): Promise<Row[]> {
  await using server = await TestServer.start(SERVER);
  await server.python("open('data', 'w').write(''.join(f'{i:015}\\n' for i in range(65536)))");
  for (let i = 0; i < 50; i++) await expectOutput(server, "echo hi");
  const echo = await repeat(200, () => timed(() => expectOutput(server, "echo hi")));
  const pipe = await repeat(20, () => timed(() => expectOutput(server, PIPE)));
  const python = await repeat(20, () => timed(() => expectOutput(server, "python3 -c 'print(1)'")));
  const fresh = await repeat(
    10,
    (i) => timed(() => expectOutput(server, "echo hi", { session_id: `new${i}` })),
  );
  const moved: number[] = [];
  for (let i = 0; i < 10; i++) {
    await server.python("x = 1", { session_id: `moved${i}` });
    moved.push(await timed(() => expectOutput(server, "echo hi", { session_id: `moved${i}` })));
  }
  return [
    { what: "shell: `echo hi`, warm", value: sample(echo), unit: "ms" },
    { what: `shell: \`${PIPE}\` over 1 MB`.replaceAll("|", "\\|"), value: sample(pipe), unit: "ms" },
    { what: "shell: `python3 -c 'print(1)'`", value: sample(python), unit: "ms" },
    { what: "new session → first output of the shell, running executor", value: sample(fresh), unit: "ms" },
    { what: "session with Python → first output of the shell: it moves", value: sample(moved), unit: "ms" },
  ];
}

/** Memory of an idle session that has used nothing but the shell. */
export async function idleShells(): Promise<Row[]> {
  await using server = await TestServer.start(SERVER);
  const COUNT = 10;
  await expectOutput(server, "x=1", { session_id: "warm" });
  const [executor] = childrenOf(server.transport.pid ?? 0);
  if (executor === undefined) throw new Error("the server has no executor");
  const before = residentMegabytes(executor);
  for (let i = 0; i < COUNT; i++) await expectOutput(server, "x=1", { session_id: `idle${i}` });
  const each = (residentMegabytes(executor) - before) / COUNT;
  return [{ what: "RSS per idle session that has used the shell alone", value: sample([each]), unit: "MB" }];
}
