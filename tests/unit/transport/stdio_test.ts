import assert from "node:assert/strict";
import { DEFAULT_STDIO } from "../../../src/config/mcp_schema.ts";
import { StdioTransport } from "../../../src/transport/stdio.ts";

const MIB = 1024 * 1024;

Deno.test("a client that reads no answers is not read either, and gets them all once it reads", async () => {
  const requests = new TransformStream<Uint8Array, Uint8Array>();
  const answers = new TransformStream<Uint8Array, Uint8Array>();
  const transport = new StdioTransport(DEFAULT_STDIO.maxMessageBytes, {
    input: requests.readable,
    output: answers.writable,
  });
  let asked = 0;
  transport.onmessage = (message) => {
    if (!("id" in message)) return;
    asked++;
    const progress = { progressToken: 1, progress: asked };
    transport.send({ jsonrpc: "2.0", method: "notifications/progress", params: progress }).catch(() => {});
    transport.send({ jsonrpc: "2.0", id: message.id!, result: { text: "x".repeat(MIB) } }).catch(() => {});
  };
  await transport.start();
  const writer = requests.writable.getWriter();
  const sent = (async () => {
    for (let id = 1; id <= 100; id++) {
      await writer.write(new TextEncoder().encode(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`));
    }
    await writer.close();
  })();
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve));
  };
  await turns(200);
  assert.ok(asked >= 32 && asked < 40, `${asked} were taken`);

  const answered: unknown[] = [];
  for await (const line of answers.readable) {
    const { id } = JSON.parse(new TextDecoder().decode(line));
    if (id !== undefined) answered.push(id);
    if (answered.length === 100) break;
  }
  await sent;
  assert.deepEqual(answered, Array.from({ length: 100 }, (_, index) => index + 1));
  await transport.close();
});
