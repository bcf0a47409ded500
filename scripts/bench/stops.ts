/** How fast programs stop that don't want to, executors are replaced, and checkpoints are made. */

import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { ExecutorProcess } from "../../src/executor/server/executor_process.ts";
import { childrenOf, TestServer } from "../../tests/support/harness.ts";
import { repeat, type Row, sample, timed } from "./stats.ts";

const SERVER = new URL("./server.ts", import.meta.url);

/** Programs that go on for ever, each in its own way; all print a line first. */
const PROGRAMS: readonly { readonly language: "python" | "javascript"; readonly code: string }[] = [
  { language: "python", code: "while True: pass" },
  { language: "python", code: "while True:\n  try:\n    while True: pass\n  except BaseException: pass" },
  { language: "python", code: "10**10**8" },
  { language: "python", code: "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')" },
  { language: "python", code: "import time; time.sleep(1e9)" },
  { language: "python", code: "import itertools; sum(itertools.repeat(1))" },
  { language: "javascript", code: "while (1);" },
  { language: "javascript", code: "/(a+)+$/.exec('a'.repeat(40) + 'b')" },
  { language: "javascript", code: "const s = 'a'.repeat(1 << 24); while (1) s.indexOf('ab')" },
  { language: "javascript", code: "await new Promise((f) => setTimeout(f, 1e9))" },
];

/** From cancel_execution to the reply of what was cancelled. */
export async function cancellations(): Promise<Row[]> {
  await using server = await TestServer.start(SERVER);
  const all: number[] = [];
  for (const { language, code } of PROGRAMS) {
    const up = Promise.withResolvers<void>();
    const announce = language === "python" ? "print('up')\n" : "console.log('up');";
    const running = server.run(language, announce + code, {}, { onProgress: () => up.resolve() });
    await up.promise;
    await server.call("list_runtimes"); // by now it is in its loop
    all.push(
      await timed(async () => {
        await server.call("cancel_execution");
        await running;
      }),
    );
  }
  return [{
    what: "cancel → stopped, ten hostile programs (grace before force: 500 ms)",
    value: sample(all),
    unit: "ms",
  }];
}

/** From the death of an executor to a result in a session that lived there, with its variables. */
export async function replacements(): Promise<Row[]> {
  const all: number[] = [];
  for (let i = 0; i < 5; i++) all.push(...await fewReplacements());
  return [{
    what: "executor killed → its session goes on in a new one",
    value: sample(all),
    unit: "ms",
    goal: 500,
  }];
}

/** Only a few in one server: it takes more for a crash loop, and waits. */
async function fewReplacements(): Promise<number[]> {
  await using server = await TestServer.start(SERVER);
  await server.python("x = 42");
  return await repeat(2, async () => {
    while (!(await isCheckpointed(server)));
    const [pid] = childrenOf(server.transport.pid ?? 0);
    return await timed(async () => {
      Deno.kill(pid ?? 0, "SIGKILL");
      for (;;) {
        const reply = await server.python("x");
        if (reply.result === "42") return;
        if (reply.status !== "crashed") {
          throw new Error(`the session lost its state: ${JSON.stringify(reply)}`);
        }
      }
    });
  });
}

async function isCheckpointed(server: TestServer): Promise<boolean> {
  const { structured } = await server.call("list_sessions");
  return (structured["sessions"] as { checkpoint: string }[]).every((session) =>
    session.checkpoint === "current"
  );
}

/** From the reply to `x = 1` to its checkpoint being with the server, and its size. */
export async function checkpoints(): Promise<Row[]> {
  using executor = new ExecutorProcess(DEFAULT_LIMITS);
  let bytes = 0;
  let onMessage = (_type: string) => {};
  // Two may arrive together: what nobody has waited for yet is there for who does.
  let unread: string[] = [];
  const next = (type: string) =>
    new Promise<void>((resolve) => {
      onMessage = (seen) => {
        if (seen === type) resolve();
        else unread.push(seen);
      };
      if (unread.includes(type)) resolve();
      unread = [];
    });
  const opened = next("opened");
  const settings = {
    ...DEFAULT_LIMITS,
    imageBytes: DEFAULT_LIMITS.checkpointMaxBytes,
    prepare: ["python" as const],
    mappings: [],
    packages: "off" as const,
  };
  const channel = executor.open({ settings }, {
    message: (message) => onMessage(message.type),
    output: () => {},
    image: (batch) => void (bytes += batch.length),
    imageSent: () => {},
    executorLost: () => {},
    standing: () => "running",
    evict: () => {},
  });
  await opened;
  const times: number[] = [];
  const sizes: number[] = [];
  for (let execution = 1; execution <= 60; execution++) {
    const outcome = next("outcome");
    bytes = 0;
    executor.send(channel, {
      type: "execute",
      execution,
      language: "python",
      program: "code",
      code: "x = 1",
      filename: "<bench>",
      resultMaxBytes: 1000,
      fuelBudget: null,
      onFailure: "keep",
      handler: null,
    });
    await outcome;
    const checkpoint = next("checkpoint");
    const time = await timed(() => checkpoint);
    if (execution <= 20) continue; // warming up
    times.push(time);
    sizes.push(bytes / 1024);
  }
  return [
    { what: "checkpoint after `x = 1`: reply → held by the server", value: sample(times), unit: "ms" },
    { what: "checkpoint after `x = 1`: size", value: sample(sizes), unit: "KiB" },
  ];
}
