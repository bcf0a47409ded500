/** numpy, pandas and matplotlib: sessions that start with them or go to them, and their work against a native numpy's. */

import { fileURLToPath } from "node:url";
import { childrenOf, type Reply, residentMegabytes, TestServer } from "../../tests/support/harness.ts";
import { hasScience } from "../../tests/support/science.ts";
import { startWeighed, type Subject, WEIGHED } from "./calls.ts";
import { repeat, type Row, sample, timed } from "./stats.ts";

/** As the assets have them. */
const NATIVE = ["numpy==2.2.6", "pandas==2.2.3", "matplotlib==3.10.8"];
/** Goals, against native ones of one thread. */
const GOALS: Readonly<Record<string, number>> = { "500×500 matmul": 4, "sort of 10⁶ numbers": 5 };
/** A frame of a million rows, its text and what a merge makes of it are more than a session has by default. */
const MEMORY_BYTES = 1024 ** 3;
const DESCRIBE = "import pandas as pd\nprint(pd.DataFrame({'a': [1, 2, 3]}).describe())";

type Times = Readonly<Record<string, number>>;

/** The programs' times, by this system's own Python with the same packages; undefined where it can't have them. */
async function native(code: string): Promise<Times | undefined> {
  const target = await Deno.makeTempDir();
  try {
    const pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", target, ...NATIVE];
    const run = (args: string[]) =>
      new Deno.Command("python3", {
        args,
        env: { PYTHONPATH: target, OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1" },
        stderr: "null",
      }).output();
    if (!(await run(pip)).success) return undefined;
    const { stdout, success } = await run(["-c", code]);
    return success ? JSON.parse(new TextDecoder().decode(stdout)) : undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return undefined;
  } finally {
    await Deno.remove(target, { recursive: true });
  }
}

async function ran(server: TestServer, code: string, more: Record<string, unknown>): Promise<Reply> {
  const reply = await server.python(code, more);
  if (reply.status !== "completed") throw new Error(`the benchmark ended as ${JSON.stringify(reply)}`);
  return reply;
}

/** What a server reads and compiles for the first session that wants it. */
async function firstOfServer(subject: Subject): Promise<Row> {
  const first: number[] = [];
  for (let i = 0; i < 7; i++) {
    await using server = await TestServer.start(subject.server);
    await ran(server, "1 + 1", {});
    first.push(await timed(() => ran(server, DESCRIBE, { session_id: "first" })));
  }
  return { what: `… a server's first one, ${subject.title}`, value: sample(first), unit: "ms" };
}

async function sessions(subject: Subject): Promise<Row[]> {
  await using server = await TestServer.start(subject.server);
  for (let i = 0; i < 3; i++) await ran(server, DESCRIBE, { session_id: `warm${i}` });
  const described = await repeat(10, async (i) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return await timed(() => ran(server, DESCRIBE, { session_id: `new${i}` }));
  });
  const moved = await repeat(10, async (i) => {
    const session = { session_id: `moves${i}` };
    await ran(server, "rows = list(range(10_000))\ndef total(): return sum(rows)", session);
    return await timed(() => ran(server, "import numpy as np\nnp.sum(rows) == total()", session));
  });
  return [
    {
      what: `new session → df.describe(), ${subject.title}`,
      value: sample(described),
      unit: "ms",
      goal: 120,
    },
    await firstOfServer(subject),
    {
      what: "session with 10,000 numbers and a function → np.sum: it moves",
      value: sample(moved),
      unit: "ms",
    },
    {
      what: "memory (PSS) per idle session with numpy",
      value: sample([await weigh(subject)]),
      unit: "MB",
      goal: 50,
    },
  ];
}

/** Megabytes that a further idle session with an array takes. */
async function weigh(subject: Subject): Promise<number> {
  await using server = await startWeighed(subject.server);
  const make = (name: string) => ran(server, "import numpy as np\na = np.arange(10)", { session_id: name });
  for (let i = 0; i < 3; i++) await make(`warm${i}`);
  const resident = () =>
    childrenOf(server.transport.pid ?? 0).reduce((sum, pid) => sum + residentMegabytes(pid), 0);
  const before = resident();
  for (let i = 0; i < WEIGHED; i++) await make(`idle${i}`);
  return (resident() - before) / WEIGHED;
}

/** Nothing if the assets have none of that. */
export async function science(subject: Subject): Promise<Row[]> {
  if (!hasScience()) return [];
  const code = await Deno.readTextFile(fileURLToPath(new URL("./science.py", import.meta.url)));
  const theirs = await native(code);
  Deno.env.set("WASMBOX_POLICY_MEMORY_BYTES", String(MEMORY_BYTES));
  await using server = await TestServer.start(subject.server);
  Deno.env.delete("WASMBOX_POLICY_MEMORY_BYTES");
  const rounds: Times[] = [];
  for (let i = 0; i < 3; i++) {
    const { stdout } = await ran(server, code, { session_id: `round${i}`, timeout: 300 });
    rounds.push(JSON.parse(stdout));
    await server.call("destroy_session", { session_id: `round${i}` });
  }
  const work = Object.keys(rounds[0] ?? {}).flatMap((name): Row[] => {
    const times = rounds.map((round) => round[name] ?? NaN);
    const theirTime = theirs?.[name];
    if (theirTime === undefined) return [{ what: name, value: sample(times), unit: "ms" }];
    const goal = GOALS[name];
    return [{
      what: `${name}: ${sample(times).median.toFixed(1)} ms, against native ones`,
      value: sample(times.map((time) => time / theirTime)),
      unit: "×",
      ...(goal !== undefined && { goal }),
    }];
  });
  return [...await sessions(subject), ...work];
}
