/** What the shell costs: a command, a pipe over 1 MB, tools over 50 MB, and getting a shell at all. */

import { childrenOf, residentMegabytes, TestServer } from "../../tests/support/harness.ts";
import { startWeighed, WEIGHED } from "./calls.ts";
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
  const first = (session_id: string) => timed(() => expectOutput(server, "echo hi", { session_id }));
  const fresh = await repeat(10, async (i) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return await first(`new${i}`);
  });
  const hurried = await repeat(10, (i) => first(`next${i}`));
  const moved: number[] = [];
  for (let i = 0; i < 10; i++) {
    await server.python("x = 1", { session_id: `moved${i}` });
    moved.push(await timed(() => expectOutput(server, "echo hi", { session_id: `moved${i}` })));
  }
  return [
    { what: "shell: `echo hi`, warm", value: sample(echo), unit: "ms", goal: 3 },
    {
      what: `shell: \`${PIPE}\` over 1 MB`.replaceAll("|", "\\|"),
      value: sample(pipe),
      unit: "ms",
      goal: 30,
    },
    { what: "shell: `python3 -c 'print(1)'`", value: sample(python), unit: "ms" },
    {
      what: "new session → first output of the shell, running executor",
      value: sample(fresh),
      unit: "ms",
      goal: 40,
    },
    {
      what: "new session → first output of the shell, the next at once: its Worker is not ready yet",
      value: sample(hurried),
      unit: "ms",
    },
    { what: "session with Python → first output of the shell: it moves", value: sample(moved), unit: "ms" },
  ];
}

const LARGE_BYTES = 50_000_000;
/** Commands over a file of that size: their output is short, so that it is the work that is measured. */
const LARGE = [
  "grep -c 77 large",
  "sed s/7/seven/ large | tail -n 1",
  "awk '{ s += $2 } END { print s }' large",
  "sort large | tail -n 1",
  "sha256sum large",
];

/** Tools over 50 MB, in times of what those of this machine take. */
export async function largeFiles(): Promise<Row[]> {
  const line = (at: number) => `${(at * 2654435761) % 4294967296} ${at} word\n`;
  const pieces: string[] = [];
  for (let at = 0, length = 0; length < LARGE_BYTES; at++) {
    length += pieces[pieces.push(line(at)) - 1]!.length;
  }
  const directory = await Deno.makeTempDir();
  const rows: Row[] = [];
  try {
    await Deno.writeTextFile(`${directory}/large`, pieces.join(""));
    await using server = await TestServer.start(SERVER);
    await server.python(
      `with open('large', 'w') as file:
    at = length = 0
    while length < ${LARGE_BYTES}:
        length += file.write(f'{at * 2654435761 % 4294967296} {at} word\\n')
        at += 1`,
    );
    for (const command of LARGE) {
      const options = { cwd: directory, env: { LC_ALL: "C.UTF-8" } };
      const native = await repeat(
        3,
        () => timed(() => new Deno.Command("bash", { args: ["-c", command], ...options }).output()),
      );
      const here = await repeat(3, () => timed(() => expectOutput(server, command, { timeout: 300 })));
      const times = here.map((ms) => ms / sample(native).median);
      rows.push({
        what: `shell: \`${command}\` over 50 MB, of what it takes natively`.replaceAll("|", "\\|"),
        value: sample(times),
        unit: "times",
        goal: 8,
      });
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
  return rows;
}

/** Memory of an idle session that has used the shell, and how much more that is than of one that has not. */
export async function idleShells(): Promise<Row[]> {
  const measure = async (use: (server: TestServer, session: string) => Promise<unknown>) => {
    await using server = await startWeighed(SERVER);
    await use(server, "warm");
    const [executor] = childrenOf(server.transport.pid ?? 0);
    if (executor === undefined) throw new Error("the server has no executor");
    const before = residentMegabytes(executor);
    for (let i = 0; i < WEIGHED; i++) await use(server, `idle${i}`);
    return (residentMegabytes(executor) - before) / WEIGHED;
  };
  const alone = await measure((server, session_id) => expectOutput(server, "x=1", { session_id }));
  const python = await measure((server, session_id) => server.python("x = 1", { session_id }));
  const both = await measure(async (server, session_id) => {
    await server.python("x = 1", { session_id });
    await expectOutput(server, "x=1", { session_id });
  });
  return [
    {
      what: "memory (PSS) per idle session that has used the shell alone",
      value: sample([alone]),
      unit: "MB",
    },
    {
      what:
        "memory (PSS) per idle session that has used Python and the shell, above one that has used Python",
      value: sample([both - python]),
      unit: "MB",
      goal: 6,
    },
  ];
}
