/** What sessions of JavaScript cost: first results, memory, and what they keep. */

import { childrenOf, residentMegabytes, TestServer } from "../../tests/support/harness.ts";
import { loadAssets, Session, StoredImage } from "../../tests/unit/image/session.ts";
import type { Subject } from "./calls.ts";
import { repeat, type Row, sample, timed } from "./stats.ts";

/** Sessions that are opened one after another. */
const COUNT = 20;

async function expectTwo(server: TestServer, session: string): Promise<void> {
  const reply = await server.javascript("1+1", { session_id: session });
  if (reply.result !== "2") throw new Error(`1+1 gave ${JSON.stringify(reply)}`);
}

export async function javascript(subject: Subject): Promise<Row[]> {
  await using server = await TestServer.start(subject.server);
  for (let i = 0; i < 3; i++) await expectTwo(server, `warm${i}`);
  const paused = await repeat(COUNT, async (i) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return await timed(() => expectTwo(server, `new${i}`));
  });
  const [executor] = childrenOf(server.transport.pid ?? 0);
  const before = residentMegabytes(executor!);
  for (let i = 0; i < COUNT; i++) await server.javascript("x = 1", { session_id: `idle${i}` });
  const each = (residentMegabytes(executor!) - before) / COUNT;
  return [
    {
      what: `new session → first JavaScript result, ${subject.title}, running executor`,
      value: sample(paused),
      unit: "ms",
      goal: 20,
    },
    {
      what: `memory (PSS) per idle session of JavaScript, ${subject.title}`,
      value: sample([each]),
      unit: "MB",
      goal: 15,
    },
    ...await kept(),
    ...await computed(server),
  ];
}

const andBack = (encoding: string) =>
  `const bytes = Buffer.alloc(10e6, "0123456789");
    const start = performance.now(); const back = Buffer.from(bytes.toString("${encoding}"), "${encoding}");
    console.log(back.length === 10e6 && performance.now() - start);`;

/** Programs over megabytes, each of which prints how many milliseconds they took. */
const PROGRAMS = {
  "Buffer: 10 MB to base64 and back": andBack("base64"),
  "Buffer: 10 MB to UTF-8 text and back": andBack("utf8"),
  "Buffer: 10 MB to hexadecimal digits and back": andBack("hex"),
  "SHA-256 of 10 MB": `const bytes = Buffer.alloc(10e6, 1); const { createHash } = require("node:crypto");
    const start = performance.now(); createHash("sha256").update(bytes).digest("hex");
    console.log(performance.now() - start);`,
};

/** What they take here, and in the installed Node. */
async function computed(server: TestServer): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, code] of Object.entries(PROGRAMS)) {
    const here = await repeat(5, async (i) => {
      const { stdout, error } = await server.javascript(`{ ${code} }`, { session_id: `computes${i % 2}` });
      if (error) throw new Error(error.message);
      return Number(stdout);
    });
    const there = await repeat(5, async () => {
      const { stdout } = await new Deno.Command("node", { args: ["-e", code] }).output();
      return Number(new TextDecoder().decode(stdout));
    });
    rows.push({ what: `JavaScript: ${what}`, value: sample(here), unit: "ms" });
    rows.push({ what: "… in Node", value: sample(there), unit: "ms" });
  }
  return rows;
}

/** What a checkpoint of a small heap has. */
async function kept(): Promise<Row[]> {
  const session = new Session(loadAssets());
  const stored = new StoredImage();
  const bytes: number[] = [];
  for (const code of ["x = 1", "y = 2"]) {
    await session.javascript(code);
    const entries = session.capture(stored);
    bytes.push(entries.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0));
  }
  const [first, second] = bytes;
  return [
    { what: "JavaScript: the first checkpoint, after `x = 1`", value: sample([first! / 1024]), unit: "KB" },
    { what: "JavaScript: the next one, after `y = 2`", value: sample([second! / 1024]), unit: "KB" },
  ];
}
