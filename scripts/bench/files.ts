/** What files cost: in calls of tools, and in a workspace that is full of them. */

import { serverCommand, TestServer } from "../../tests/support/harness.ts";
import { type Row, sample, timed } from "./stats.ts";

const SERVER = new URL("./server.ts", import.meta.url);
const MEGABYTE = "0123456789abcde\n".repeat(65_536);
const ROUNDS = 50;
const CALLS = 300;
/** Files in a mapped directory. */
const MAPPED = 1000;
const ROUNDS_MAPPED = 7;

async function called(server: TestServer, name: string, args: Record<string, unknown>): Promise<void> {
  const { isError, text } = await server.call(name, args);
  if (isError) throw new Error(`${name}: ${text.slice(0, 500)}`);
}

export async function files(): Promise<Row[]> {
  await using server = await TestServer.start(SERVER);
  const write: number[] = [];
  const read: number[] = [];
  const paths = { path: "big.txt" };
  for (let i = 0; i < ROUNDS; i++) {
    write.push(await timed(() => called(server, "write_file", { ...paths, content: MEGABYTE })));
    read.push(await timed(() => called(server, "read_file", { ...paths, max_bytes: 1024 * 1024 })));
  }
  const { empty, full } = await crowded();
  const { list, open } = await mapped();
  return [
    { what: "`write_file`, 1 MiB of text", value: sample(write), unit: "ms" },
    { what: "`read_file`, 1 MiB of text", value: sample(read), unit: "ms" },
    { what: `\`os.stat\` of each of ${MAPPED} files in a mapped directory`, value: sample(list), unit: "ms" },
    { what: `… reading each of them`, value: sample(open), unit: "ms" },
    { what: 'warm `execute_code("1+1")`, 1,000 files in the workspace', value: sample(full), unit: "ms" },
    {
      what: "… against an empty one, in turns (ratio of medians)",
      value: sample([sample(full).median / sample(empty).median]),
      unit: "×",
    },
  ];
}

/** What a program takes to go through a directory of the host. */
async function mapped(): Promise<{ list: number[]; open: number[] }> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (let i = 0; i < MAPPED; i++) await Deno.writeTextFile(`${directory}/${i}.txt`, "x");
    const { command, args } = serverCommand();
    await using server = await TestServer.start({
      command,
      args: [...args, "serve", "--volume", `${directory}:/data/mapped`],
    });
    const list: number[] = [];
    const open: number[] = [];
    const through = (work: string) =>
      called(server, "execute_code", { code: `import os\nfor entry in os.scandir('/data/mapped'): ${work}` });
    for (let i = 0; i < ROUNDS_MAPPED; i++) {
      list.push(await timed(() => through("os.stat(entry.path)")));
      open.push(await timed(() => through("open(entry.path).read()")));
    }
    return { list, open };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Warm calls in a session without files and in one with a thousand, in turns. */
async function crowded(): Promise<{ empty: number[]; full: number[] }> {
  await using server = await TestServer.start(SERVER);
  const run = (session_id: string, code: string) => called(server, "execute_code", { code, session_id });
  await run("full", `for i in range(1000):\n    with open(f"{i}.txt", "w") as f: f.write(str(i) * 100)`);
  for (let i = 0; i < CALLS; i++) for (const id of ["empty", "full"]) await run(id, "1+1");
  const empty: number[] = [];
  const full: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    empty.push(await timed(() => run("empty", "1+1")));
    full.push(await timed(() => run("full", "1+1")));
  }
  return { empty, full };
}
