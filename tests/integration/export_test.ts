/** Sessions as files, from one server to another. */

import assert from "node:assert/strict";
import { Keys } from "../../src/checkpoints/keys.ts";
import { type TestServer, TestServer as Server, UNDER_TEST } from "../support/harness.ts";
import { StoredServers } from "../support/stored_server.ts";

const PATH = "session.wasmbox";

function test(name: string, body: () => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, body);
}

function errorOf({ structured }: { structured: Record<string, unknown> }): string | undefined {
  return (structured["error"] as { error_code?: string } | undefined)?.error_code;
}

/** The file that a session is exported to. @returns Base64. */
async function exported(server: TestServer, session_id: string): Promise<string> {
  const { isError, text } = await server.call("export_session", { session_id });
  assert.ok(!isError, text);
  const { structured, text: read } = await server.call("read_file", {
    session_id,
    path: PATH,
    encoding: "base64",
    max_bytes: 1_048_576,
  });
  assert.equal(structured["truncated"] ?? false, false, read);
  return structured["content"] as string;
}

/** Imports a file into a server that has nothing of it yet. */
async function imported(server: TestServer, content: string, new_session_id?: string) {
  await server.call("write_file", { session_id: "inbox", path: PATH, content, encoding: "base64" });
  return await server.call("import_session", {
    session_id: "inbox",
    ...new_session_id && { new_session_id },
  });
}

async function withKey(text: string): Promise<StoredServers> {
  const servers = await StoredServers.make();
  await Deno.mkdir(servers.path, { recursive: true });
  await Deno.writeTextFile(`${servers.path}/key`, text, { mode: 0o600 });
  return servers;
}

test("an exported session goes on in another server of the same key, with all of its languages, as a session of its own", async () => {
  const key = Keys.generate();
  await using one = await withKey(key);
  await using other = await withKey(key);
  const from = await one.start();
  const to = await other.start();
  await from.python("import random, sqlite3\nwords = iter(['first', 'second'])\nnext(words)", {
    session_id: "a",
  });
  await from.run("javascript", "let count = 41", { session_id: "a" });
  await from.run("shell", "place=there; echo kept > kept.txt", { session_id: "a" });
  const content = await exported(from, "a");
  for (const new_session_id of ["b", "c"]) {
    const { isError, text, structured } = await imported(to, content, new_session_id);
    assert.ok(!isError, text);
    assert.equal(structured["session_id"], new_session_id);
  }
  const draws: unknown[] = [];
  for (const session_id of ["b", "c"]) {
    assert.equal((await to.python("next(words)", { session_id })).result, "'second'");
    assert.equal((await to.run("javascript", "++count", { session_id })).result, "42");
    assert.equal(
      (await to.run("shell", "echo $place $(cat kept.txt)", { session_id })).stdout,
      "there kept\n",
    );
    draws.push((await to.python("random.random()", { session_id })).result);
  }
  assert.notEqual(draws[0], draws[1], "copies draw random numbers of their own");
  assert.equal((await from.python("next(words)", { session_id: "a" })).result, "'second'");
  assert.equal(errorOf(await imported(to, content, "b")), "SESSION_EXISTS");
  const { structured } = await imported(to, content);
  assert.match(structured["session_id"] as string, /^session_/);
});

test("a file of another key, cut short, or changed anywhere is refused, and nothing is begun", async () => {
  await using one = await StoredServers.make();
  await using other = await StoredServers.make();
  const from = await one.start();
  const to = await other.start();
  await from.python("secret = 1", { session_id: "a" });
  const content = await exported(from, "a");
  assert.match((await imported(to, content, "x")).text, /signed by a server with another key/);
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  const encode = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
    const changed = bytes.slice();
    changed[at]! ^= 0x10;
    for (const spoiled of [changed, bytes.subarray(0, at)]) {
      const reply = await imported(from, encode(spoiled), "x");
      assert.equal(errorOf(reply), "IMPORT_REFUSED", `${at}: ${reply.text}`);
    }
  }
  for (const server of [from, to]) {
    assert.equal(errorOf(await server.call("destroy_session", { session_id: "x" })), "SESSION_NOT_FOUND");
  }
  assert.ok(!(await imported(from, content, "x")).isError);
  assert.equal((await from.python("secret", { session_id: "x" })).result, "1");
});

test("a server that trusts imports takes what another key signed, in no higher limits than its own", async () => {
  await using one = await StoredServers.make({ memory_bytes: 512 * 1024 * 1024 });
  await using other = await StoredServers.make({ memory_bytes: 64 * 1024 * 1024 });
  const from = await one.start();
  const to = await other.start("--trust-import");
  await from.python("x = 7", { session_id: "a" });
  await from.python("big = bytearray(100_000_000)", { session_id: "big" });
  const { isError, text } = await imported(to, await exported(from, "a"), "b");
  assert.ok(!isError, text);
  assert.equal((await to.python("x", { session_id: "b" })).result, "7");
  const over = await to.python("bytearray(100_000_000)", { session_id: "b" });
  assert.equal(over.status, "out_of_memory", JSON.stringify(over));
  assert.ok(!(await imported(to, await exported(from, "big"), "c")).isError);
  const reply = await to.python("len(big)", { session_id: "c" });
  assert.equal(reply.status, "failed");
  assert.match(reply.notice ?? "", /bound/);
});

test("a server without a store lists neither tool, and says what they need", async () => {
  await using server = await Server.start();
  const { tools } = await server.client.listTools();
  assert.ok(!tools.some(({ name }) => /^(export|import)_session$/.test(name)));
  await server.python("1", { session_id: "a" });
  const reply = await server.call("export_session", { session_id: "a" });
  assert.equal(errorOf(reply), "EXPORT_UNAVAILABLE");
  assert.match(reply.text, /--persist/);
});

test("an export holds no earlier one of its place, and what else was there until it takes it", async () => {
  await using servers = await StoredServers.make();
  const server = await servers.start();
  await server.python("import random\ndata = random.randbytes(100_000)", { session_id: "a" });
  const sizes: number[] = [];
  for (let run = 0; run < 3; run++) {
    const { structured } = await server.call("export_session", { session_id: "a" });
    sizes.push(structured["size"] as number);
  }
  assert.ok(Math.max(...sizes) < Math.min(...sizes) + 20_000, `${sizes}`);
  await server.call("write_file", { session_id: "a", path: PATH, content: "mine" });
  const content = await exported(server, "a");
  await imported(server, content, "b");
  const { structured } = await server.call("read_file", { session_id: "b", path: PATH });
  assert.equal(structured["content"], "mine");
  await servers.stop(server);
});
