/** Clients that others wrote, over both transports: each lists the tools, prints, and finds its state again. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { LIBRARIES } from "../support/clients/libraries.ts";
import { PROGRAMS } from "../support/clients/programs.ts";
import { pythonWithClient, runPythonClient } from "../support/clients/python.ts";
import type { IndependentClient, Target } from "../support/clients/target.ts";
import { type Reply, serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const PRINTS = "x = 41\nprint('hello')";
const ASKS = "x + 1";

const ofWasmbox = serverCommand();

function expectReplies(tools: readonly string[], printed: Reply, asked: Reply | undefined): void {
  assert.ok(tools.includes("execute_code"), tools.join());
  assert.deepEqual([printed.status, printed.stdout], ["completed", "hello\n"]);
  if (asked) assert.deepEqual([asked.status, asked.result], ["completed", "42"]);
}

async function use(client: IndependentClient, target: Target): Promise<void> {
  await using connection = await client.connect(target);
  const tools = await connection.list();
  const printed = await connection.run(PRINTS, client.name.replaceAll(/\W/g, "-"));
  const sharesServer = client.staysConnected || target.kind === "http";
  const asked = sharesServer ? await connection.run(ASKS, client.name.replaceAll(/\W/g, "-")) : undefined;
  expectReplies(tools, printed, asked);
}

/** A file that starts the server: what a person puts into a client's configuration. */
async function executableFile(directory: string): Promise<string> {
  const path = join(directory, "wasmbox");
  const quoted = [ofWasmbox.command, ...ofWasmbox.args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`);
  await Deno.writeTextFile(path, `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`, { mode: 0o755 });
  return path;
}

/** Runs a step for each client, two at a time: most of it is the start of processes. */
async function each<Item>(
  t: Deno.TestContext,
  items: readonly Item[],
  name: (item: Item) => string,
  step: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      const current = item;
      await t.step({
        name: name(current),
        fn: () => step(current),
        sanitizeOps: false,
        sanitizeResources: false,
        sanitizeExit: false,
      });
    }
  };
  await Promise.all([lane(), lane()]);
}

const CLIENTS = [...LIBRARIES, ...PROGRAMS];

Deno.test({
  name: `[${UNDER_TEST}] independent clients work over HTTP`,
  fn: async (t) => {
    const { command, args } = ofWasmbox;
    await using server = await HttpServer.spawn({
      command,
      args: [...args, "serve", "--http", "--port", "0"],
    });
    await each(t, CLIENTS, ({ name }) => name, (client) => use(client, { kind: "http", url: server.url }));
  },
});

Deno.test({
  name: `[${UNDER_TEST}] independent clients work over stdio`,
  fn: async (t) => {
    const directory = await Deno.makeTempDir();
    try {
      const command = await executableFile(directory);
      await each(t, CLIENTS, ({ name }) => name, (client) => use(client, { kind: "stdio", command }));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: `[${UNDER_TEST}] Python's client works with sessions and without, and over stdio`,
  fn: async () => {
    const found = await pythonWithClient();
    if ("missing" in found) return console.log(`skipped: ${found.missing}`);
    const directory = await Deno.makeTempDir();
    try {
      const { command, args } = ofWasmbox;
      await using server = await HttpServer.spawn({
        command,
        args: [...args, "serve", "--http", "--port", "0"],
      });
      const http = { kind: "http", url: server.url } as const;
      const stdio = { kind: "stdio", command: await executableFile(directory) } as const;
      const runs = [[http, "legacy"], [http, "2026-07-28"], [stdio, "legacy"]] as const;
      await Promise.all(runs.map(async ([target, mode]) => {
        const session = `python-${mode}`;
        const { tools, replies } = await runPythonClient(found.python, target, mode, session, [PRINTS, ASKS]);
        expectReplies(tools, replies[0]!, replies[1]!);
      }));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
