/** The HTTP server inside, which is for the process alone: others neither reach it nor pass for a client's connection. */

import assert from "node:assert/strict";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";
import { bytesOf, get, RawClient } from "../../src/selftest/raw_http.ts";

const GUESS = `X-Wasmbox-Connection: ${crypto.randomUUID()}`;
const AGES_AGO = new Date(Date.now() - 3_600_000);

async function start(temporary: string): Promise<HttpServer> {
  const { command, args } = serverCommand();
  return await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] }, {
    TMPDIR: temporary,
    WASMBOX_LOGGING_FORMAT: "text",
  });
}

/** Where servers inside listen. */
function directories(temporary: string): string[] {
  const all = [...Deno.readDirSync(temporary)].filter(({ name }) => name.startsWith("wasmbox-http-"));
  return all.map(({ name }) => `${temporary}/${name}`);
}

async function health(server: HttpServer): Promise<number> {
  using client = await RawClient.connect(server, get("/health"));
  return (await client.answer()).status;
}

Deno.test(`[${UNDER_TEST}] requests that name no connection, or guess one, are not served`, async () => {
  const temporary = await Deno.makeTempDir();
  await using server = await start(temporary);
  const [directory = "", ...more] = directories(temporary);
  assert.deepEqual(more, []);
  assert.equal((await Deno.stat(directory)).mode! & 0o777, 0o700);
  for (const request of [get("/health"), get("/health", GUESS)]) {
    using inside = await Deno.connect({ transport: "unix", path: `${directory}/socket` });
    await inside.write(bytesOf(request));
    const buffer = new Uint8Array(4096);
    const read = await inside.read(buffer);
    assert.match(new TextDecoder().decode(buffer.subarray(0, read ?? 0)), /^HTTP\/1.1 403 /);
  }
  using client = await RawClient.connect(server, get("/health", GUESS));
  assert.equal((await client.answer()).status, 403);
  assert.equal(await health(server), 200);
  await server.end("SIGTERM");
  assert.deepEqual(directories(temporary), []);
  await Deno.remove(temporary, { recursive: true });
});

Deno.test(`[${UNDER_TEST}] what a server leaves that is killed is removed by the next; what is in use is not`, async () => {
  const temporary = await Deno.makeTempDir();
  await using killed = await start(temporary);
  const [left = ""] = directories(temporary);
  await killed.end("SIGKILL");
  await using first = await start(temporary);
  assert.equal(directories(temporary).length, 2); // it could be of a process that is about to listen
  const [used = ""] = directories(temporary).filter((directory) => directory !== left);
  for (const directory of [left, used]) await Deno.utime(directory, AGES_AGO, AGES_AGO);
  await using second = await start(temporary);
  const until = performance.now() + 20_000;
  while (directories(temporary).includes(left)) {
    assert.ok(performance.now() < until, "it is still there");
    assert.equal(await health(second), 200);
  }
  assert.equal(directories(temporary).length, 2);
  assert.equal(await health(first), 200);
  for (const server of [first, second]) await server.end("SIGTERM");
  await Deno.remove(temporary, { recursive: true });
});

Deno.test(`[${UNDER_TEST}] without room for a private socket a server says so, and serves`, async () => {
  await using server = await start("/there/is/no/such/directory");
  assert.match(server.log(), /WARNING.*other users of this machine/);
  assert.equal(await health(server), 200);
  using client = await RawClient.connect(server, get("/health", GUESS));
  assert.equal((await client.answer()).status, 403);
});
