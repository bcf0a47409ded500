/** What a process that was taken over can make the server hold: a real process, and the server's end of the pipe. */

import assert from "node:assert/strict";
import { Checkpoints } from "../../../../src/checkpoints/checkpoints.ts";
import { imageBudget } from "../../../../src/checkpoints/image_budget.ts";
import { MemoryStore } from "../../../../src/checkpoints/memory_store.ts";
import { openHistory } from "../../checkpoints/histories.ts";
import { DEFAULT_LIMITS } from "../../../../src/config/limits.ts";
import { ExecutorProcess } from "../../../../src/executor/server/executor_process.ts";
import { MemoryGuard } from "../../../../src/executor/server/memory_guard.ts";
import { OutputBuffer } from "../../../../src/session/output_buffer.ts";
import { UNOBSERVED } from "../../../../src/telemetry/events.ts";
import type { WorkerSettings } from "../../../../src/executor/wire/to_executor.ts";
import type { Attack } from "../../../support/compromised_executor.ts";

const MIB = 2 ** 20;

function start(attack: Attack): ExecutorProcess {
  const program = new URL("../../../support/compromised_executor.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", program, JSON.stringify(attack)],
    cwd: new URL("../../../../", import.meta.url),
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  // It answers no ping, however long it takes to do what it is to do.
  return new ExecutorProcess({ ...DEFAULT_LIMITS, executorWatchdogMs: 600_000 }, { child });
}

/** Opens two sessions in it. @returns Settles with what the second one hears last. */
function openTwo(
  executor: ExecutorProcess,
  checkpoints?: Checkpoints,
  output: (bytes: Uint8Array) => void = () => {},
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const last of [false, true]) {
    executor.open({ settings: {} as WorkerSettings }, {
      message(message) {
        if (message.type === "checkpoint") checkpoints?.commit(message.change, message.complete, {});
        if (last && message.type === "lost") resolve("all was read");
        if (message.type === "host_call") {
          const answer = { ok: false, message: "x".repeat(10_000) } as const;
          executor.send(1, { type: "host_reply", call: message.call, answer });
        }
      },
      imageSent: () => {},
      output: (_stream, bytes) => output(bytes),
      image: (batch) => last || checkpoints?.receive(batch),
      executorLost: resolve,
      standing: () => "running",
      evict: () => {},
    });
  }
  return promise;
}

/**
 * What this end held more at most while `work` ran. Collected first: garbage says how busy the machine is, and resident
 * memory is also that of the tests which run beside in this process.
 */
async function growth(work: Promise<unknown>): Promise<number> {
  const before = held();
  let most = before;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const begun = performance.now();
    most = Math.max(most, held());
    timer = setTimeout(look, Math.max(50, 10 * (performance.now() - begun))); // collecting is to take little of the time
  };
  look();
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
  return Math.max(most, held()) - before;
}

/** Bytes of objects and buffers that something refers to. */
function held(): number {
  (globalThis as unknown as { gc(): void }).gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

Deno.test("600 MiB of begun messages on sessions that don't exist are dropped as they come", async () => {
  using executor = start({ kind: "parts", firstChannel: 3, channels: 40, bytes: 15 * MIB });
  const heard = openTwo(executor);
  const grown = await growth(heard);
  assert.equal(await heard, "all was read");
  assert.ok(executor.alive);
  assert.ok(grown < 200 * MIB, `${Math.round(grown / MIB)} MiB more`);
  executor.kill("shutdown", "the test is over");
  await executor.ended;
});

Deno.test("messages begun on two sessions beyond the bound of all of them cost the executor its life", async () => {
  using executor = start({ kind: "parts", firstChannel: 1, channels: 2, bytes: 15 * MIB });
  const heard = openTwo(executor);
  const grown = await growth(heard);
  assert.match(await heard, /broke the protocol: .*too many messages are begun/);
  assert.equal((await executor.ended).cause, "protocol");
  assert.ok(grown < 200 * MIB, `${Math.round(grown / MIB)} MiB more`);
});

Deno.test("millions of entries of no bytes cost the session its image, and neither memory nor time of the server", async () => {
  const checkpointMaxBytes = 64 * MIB;
  const budget = imageBudget(DEFAULT_LIMITS);
  const history = await openHistory(new MemoryStore(budget), { maxBytes: checkpointMaxBytes, budget });
  const checkpoints = new Checkpoints(history, { checkpointMaxBytes }, budget);
  await checkpoints.begin();
  checkpoints.change(1);
  using executor = start({ kind: "entries", entries: 1_000_000 });
  const heard = openTwo(executor, checkpoints);
  let longest = 0;
  let last = performance.now();
  const look = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 10);
  const grown = await growth(heard);
  clearInterval(look);
  assert.equal(await heard, "all was read");
  assert.ok(grown < 300 * MIB, `${Math.round(grown / MIB)} MiB more`);
  assert.ok(longest < 5000, `the event loop stood still for ${Math.round(longest)} ms`);
  assert.equal(checkpoints.state, "none");
  executor.kill("shutdown", "the test is over");
  await executor.ended;
});

Deno.test("a megabyte of output that comes byte by byte takes the server a megabyte or two", async () => {
  const pieces = 1_000_000;
  using executor = start({ kind: "output", pieces });
  const buffer = new OutputBuffer(MIB);
  const heard = openTwo(executor, undefined, (bytes) => void buffer.push(bytes));
  const grown = await growth(heard);
  assert.equal(buffer.text(), "x".repeat(pieces));
  // A million frames leave garbage behind; what is held would be half a gigabyte.
  assert.ok(grown < 350 * MIB, `${Math.round(grown / MIB)} MiB more`);
  executor.kill("shutdown", "the test is over");
  await executor.ended;
});

Deno.test("an executor that asks without end and reads no answer is killed before these fill the server", async () => {
  using executor = start({ kind: "deaf" });
  const heard = openTwo(executor);
  const grown = await growth(heard);
  assert.match(await heard, /did not read what it was sent/);
  assert.equal((await executor.ended).cause, "unresponsive");
  assert.ok(grown < 600 * MIB, `${Math.round(grown / MIB)} MiB more`);
});

Deno.test("an executor that lies about its memory is seen through, and killed", async () => {
  using executor = start({ kind: "memory", bytes: 400 * MIB });
  const limits = { ...DEFAULT_LIMITS, totalRssBytes: 300 * MIB };
  await using _guard = new MemoryGuard(() => [executor], limits, UNOBSERVED);
  assert.match(await openTwo(executor), /its process held \d+ MiB of memory; 300 MiB are allowed/);
  assert.equal((await executor.ended).cause, "memory");
});
