/** How time and memory grow: with files, heap, output and sessions. */

import type { TestServer } from "../../../tests/support/harness.ts";
import { treeMegabytes } from "../../memory.ts";
import { repeat, type Sample, sample, timed } from "../stats.ts";
import { ran } from "./computing.ts";
import type { Start } from "./limits.ts";

const CALLS = 30;
const MEGABYTE = 1e6;
const RANDOM = "import random; some = random.Random(1)";
/** Until what a call left behind is a checkpoint, and memory is given back. */
const SETTLE_MS = 1000;

export interface Point {
  readonly x: number;
  /** In milliseconds. */
  readonly time: Sample;
  /** Of the server and its executors, in MB. */
  readonly memory: number;
}

export interface Growth {
  /** Of its chart. */
  readonly name: string;
  readonly title: string;
  /** What is counted along it. */
  readonly of: string;
  readonly timed: string;
  readonly points: readonly Point[];
}

async function memoryOf(server: TestServer): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return treeMegabytes([server.transport.pid ?? 0]);
}

async function point(server: TestServer, x: number, call: () => Promise<unknown>): Promise<Point> {
  for (let i = 0; i < 5; i++) await call();
  const time = sample(await repeat(CALLS, () => timed(call)));
  return { x, time, memory: await memoryOf(server) };
}

async function files(start: Start): Promise<Growth> {
  await using server = await start();
  const points: Point[] = [];
  let there = 0;
  for (const count of [0, 10, 100, 1000, 10_000]) {
    await ran(
      server,
      "files",
      `for i in range(${there}, ${count}):\n    with open(f"{i}.txt", "w") as f: f.write(str(i) * 100)`,
    );
    there = count;
    points.push(await point(server, count, () => ran(server, "files", "1 + 1")));
  }
  return { name: "files", title: "Files in the workspace", of: "files", timed: "`1 + 1`", points };
}

async function heap(start: Start): Promise<Growth> {
  await using server = await start();
  const points: Point[] = [];
  for (const megabytes of [1, 3, 10, 30, 100]) {
    await ran(
      server,
      "heap",
      `${RANDOM}; data = [some.randbytes(${MEGABYTE}) for _ in range(${megabytes})]`,
    );
    points.push(await point(server, megabytes, () => ran(server, "heap", "x = 1")));
  }
  return { name: "heap", title: "Size of the heap", of: "MB", timed: "`x = 1`", points };
}

async function output(start: Start): Promise<Growth> {
  await using server = await start();
  const points: Point[] = [];
  for (const bytes of [1e3, 1e4, 1e5, 1e6, 1e7]) {
    const lines = bytes / 100;
    const code = `print(("x" * 99 + "\\n") * ${lines}, end="")`;
    const call = async () => {
      const { structured, isError, text } = await server.call("execute_code", { code, session_id: "output" });
      const saved = structured["output_files"] as { size: number }[] | undefined;
      const whole = saved?.[0]?.size ?? (structured["stdout"] as string).length;
      if (isError || whole !== bytes) throw new Error(`${whole} bytes of ${bytes}: ${text.slice(0, 200)}`);
    };
    points.push(await point(server, bytes / 1000, call));
  }
  return { name: "output", title: "Output of a call", of: "KB", timed: "printing it", points };
}

/** @param server Whose sessions s0, s1 … are made here. */
export async function idle(server: TestServer, most: number): Promise<Growth> {
  const points: Point[] = [];
  let there = 0;
  await ran(server, "warm", "1 + 1");
  for (let count = 1; count <= most; count *= 4) {
    const made: number[] = [];
    for (; there < count; there++) made.push(await timed(() => ran(server, `s${there}`, "x = 1")));
    points.push({ x: count, time: sample(made), memory: await memoryOf(server) });
  }
  return {
    name: "sessions",
    title: "Idle sessions",
    of: "sessions",
    timed: "a new session's `x = 1`",
    points,
  };
}

export async function growths(start: Start): Promise<Growth[]> {
  return [await files(start), await heap(start), await output(start)];
}
