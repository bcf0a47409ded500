/** Stored sessions under attack: servers that die, share a directory, have no room, or find what is not theirs. */

import assert from "node:assert/strict";
import { decodeHead, encodeHead } from "../../src/checkpoints/head.ts";
import { Keys } from "../../src/checkpoints/keys.ts";
import { recordsOf } from "../../src/checkpoints/store.ts";
import { eventually } from "../support/eventually.ts";
import { residentMegabytes, type TestServer, UNDER_TEST } from "../support/harness.ts";
import { StoredServers } from "../support/stored_server.ts";

type Replied = { error?: { error_code: string; message: string; retryable?: boolean } };

function errorOf({ structured }: { structured: Record<string, unknown> }): string | undefined {
  return (structured as Replied).error?.error_code;
}

function durable(reply: unknown): unknown {
  return (reply as { durable: unknown }).durable;
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.remove(to, { recursive: true }).catch(() => {});
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
}

/** Where the sessions of the local principal are. */
async function sessionsDirectory({ path }: StoredServers): Promise<string> {
  const [principal] = await Array.fromAsync(Deno.readDir(`${path}/sessions`));
  return `${path}/sessions/${principal!.name}`;
}

/** What a client did to a session, and what it was told of that. */
interface Log {
  readonly id: string;
  next: number;
  /** Numbers whose change was told to be durable. */
  readonly acknowledged: number[];
}

Deno.test(`[${UNDER_TEST}] servers killed amid twenty busy sessions lose nothing that was acknowledged, and run nothing twice`, async () => {
  await using servers = await StoredServers.make({ max_sessions: 40, max_sessions_per_client: 40 });
  const logs: Log[] = Array.from({ length: 20 }, (_, i) => ({ id: `s${i}`, next: 0, acknowledged: [] }));
  /** One change after another until the server is gone. */
  const work = async (server: TestServer, log: Log) => {
    for (;;) {
      const number = log.next++;
      const code =
        `done = globals().get("done", []); done.append(${number}); open("log", "a").write("${number}\\n")`;
      const shell = `echo ${number} >> log; done="$done ${number}"`;
      const reply = await (log.id.endsWith("5") ? server.run("shell", shell, { session_id: log.id }) : server
        .python(code, { session_id: log.id }));
      if (reply.status !== "completed") continue;
      assert.equal(durable(reply), true, `${log.id}: ${JSON.stringify(reply)}`);
      log.acknowledged.push(number);
    }
  };
  for (let round = 0; round < 3; round++) {
    const server = await servers.start();
    const working = logs.map((log) => work(server, log).catch(() => {}));
    const enough = logs.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0) + 20 + 17 * round;
    await eventually(
      "they have done something",
      () => logs.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
      (count) => count >= enough,
    );
    await servers.crash(server);
    await Promise.all(working);
  }
  const server = await servers.start();
  for (const { id, acknowledged } of logs) {
    const inShell = id.endsWith("5");
    const { stdout, status } = inShell
      ? await server.run("shell", `echo $done; cat log`, { session_id: id })
      : await server.python(`print(*done)\nprint(open("log").read(), end="")`, { session_id: id });
    if (acknowledged.length === 0 && status !== "completed") continue;
    const [first = "", ...rest] = stdout.trim().split("\n");
    const variables = first.split(" ").filter(Boolean).map(Number);
    assert.deepEqual(variables, rest.map(Number), `${id}: variables and files are of the same moment`);
    assert.deepEqual(variables, [...new Set(variables)].sort((a, b) => a - b), `${id}: each once, in order`);
    for (const number of acknowledged) assert.ok(variables.includes(number), `${id} lost ${number}`);
  }
});

Deno.test(`[${UNDER_TEST}] two servers on one store: each client has a session of its own, and a shared one is in one place`, async () => {
  await using servers = await StoredServers.make();
  const [one, two] = [await servers.start(), await servers.start()];
  await one.python("x = 'one'");
  await two.python("x = 'two'");
  assert.deepEqual([(await one.python("x")).result, (await two.python("x")).result], ["'one'", "'two'"]);
  assert.deepEqual((await two.python("x")).session_id, "default-2");

  await one.python("y = 1", { session_id: "shared" });
  const refused = await two.call("execute_code", { code: "y = 2", session_id: "shared" });
  assert.equal(errorOf(refused), "SESSION_ELSEWHERE");
  assert.equal((refused.structured as Replied).error!.retryable, true);
  assert.equal(errorOf(await two.call("destroy_session", { session_id: "shared" })), "SESSION_ELSEWHERE");
  assert.equal(errorOf(await two.call("fork_session", { session_id: "shared" })), "SESSION_ELSEWHERE");
  await servers.stop(one);
  assert.equal((await two.python("y", { session_id: "shared" })).result, "1");
  const three = await servers.start();
  const reply = await three.python("x");
  assert.deepEqual([reply.session_id, reply.result], ["default", "'one'"]);
});

Deno.test(`[${UNDER_TEST}] a session that another server hibernates for want of room can be taken over`, async () => {
  await using servers = await StoredServers.make({ max_sessions_per_client: 2 });
  const one = await servers.start();
  await one.python("x = 1", { session_id: "a" });
  const two = await servers.start();
  assert.equal(errorOf(await two.call("execute_code", { code: "x", session_id: "a" })), "SESSION_ELSEWHERE");
  await one.python("x = 2", { session_id: "b" });
  await one.python("x = 3", { session_id: "c" });
  const taken = await eventually(
    "it is free",
    () => two.call("execute_code", { code: "x", session_id: "a" }),
    ({ isError }) => !isError,
  );
  assert.equal(taken.structured["result"], "1");
  assert.equal(errorOf(await one.call("execute_code", { code: "x", session_id: "a" })), "SESSION_ELSEWHERE");
  assert.equal((await one.python("x", { session_id: "b" })).result, "2");
});

Deno.test(`[${UNDER_TEST}] more sessions than may be live go to the store and come back, forks and all`, async () => {
  await using servers = await StoredServers.make({ max_sessions_per_client: 2 });
  const server = await servers.start();
  for (let i = 0; i < 6; i++) await server.python(`x = ${i}`, { session_id: `s${i}` });
  for (let i = 0; i < 6; i++) {
    assert.equal((await server.python("x", { session_id: `s${i}` })).result, `${i}`);
  }
  const forked = await server.call("fork_session", { session_id: "s1", new_session_id: "f", count: 8 });
  assert.equal(forked.isError, false, forked.text);
  for (let i = 1; i <= 8; i++) {
    assert.equal((await server.python(`x += ${i}; x`, { session_id: `f-${i}` })).result, `${1 + i}`);
  }
  assert.equal((await server.python("x", { session_id: "s1" })).result, "1");
  assert.equal((await server.sessions()).filter(({ state }) => state === "hibernated").length, 12);
  const destroyed = await server.call("destroy_session", { session_id: "s3" });
  assert.equal(destroyed.isError, false, destroyed.text);
  assert.equal((await server.python("'x' in dir()", { session_id: "s3" })).result, "False");
});

Deno.test(`[${UNDER_TEST}] branches for which there is no room are refused, and do not take one another's`, async () => {
  await using servers = await StoredServers.make({ max_sessions_per_client: 3 });
  const server = await servers.start();
  const at = { session_id: "tried" };
  await server.python("x = 0", at);
  const branched = async (branches: string[]) =>
    await server.call("execute_code", { ...at, code: "", branches, keep: "best" });
  assert.equal(errorOf(await branched(["x += 1; x", "x += 2; x", "x += 3; x"])), "TOO_MANY_SESSIONS");
  const { structured, text } = await branched(["x += 1; x", "x += 2; x"]);
  assert.equal(structured["kept"], 1, text);
  assert.equal((await server.python("x", at)).result, "2");
  assert.equal((await server.sessions()).length, 1);
});

Deno.test(`[${UNDER_TEST}] a session that can't be read hides no other one from the list`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  for (const id of ["unreadable", "good"]) await before.python("x = 1", { session_id: id });
  await servers.stop(before);
  const head = `${await sessionsDirectory(servers)}/unreadable/head`;
  await Deno.remove(head);
  await Deno.mkdir(head);
  const server = await servers.start();
  const ids = (await server.sessions()).map(({ session_id }) => session_id);
  assert.deepEqual(ids, ["good"]);
  const refused = await server.call("execute_code", { code: "x", session_id: "unreadable" });
  assert.equal(errorOf(refused), "STORE_UNAVAILABLE");
});

Deno.test(`[${UNDER_TEST}] what is stored and not to be trusted is refused with the reason, kept aside, and the server goes on`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  for (const id of ["damaged", "foreign", "replayed", "later", "good", "keyless"]) {
    await before.python("x = 1", { session_id: id });
  }
  const directory = await sessionsDirectory(servers);
  await copy(`${directory}/replayed`, `${servers.directory}/old`);
  await before.python("x = 2", { session_id: "replayed" });
  await servers.stop(before);
  const head = await Deno.readFile(`${directory}/damaged/head`);
  head[head.length - 5]! ^= 1;
  await Deno.writeFile(`${directory}/damaged/head`, head);
  await copy(`${directory}/good`, `${directory}/foreign`);
  await copy(`${servers.directory}/old`, `${directory}/replayed`);
  await Deno.writeTextFile(`${directory}/later/head`, "wasmbox-session-9 a b\n{}");
  const own = Keys.parse(await Deno.readTextFile(`${servers.path}/key`));
  const keyless = decodeHead(await Deno.readFile(`${directory}/keyless/head`), own);
  await Deno.writeFile(`${directory}/keyless/head`, encodeHead(keyless, Keys.parse(Keys.generate())));

  const after = await servers.start();
  const reasons: Record<string, RegExp> = {
    damaged: /it is damaged, or was changed/,
    foreign: /it is another session's/,
    replayed: /it is older than what was stored last/,
    later: /another version of wasmbox wrote it/,
    keyless: /signed with a key that this server does not have/,
  };
  for (const [id, reason] of Object.entries(reasons)) {
    const refused = await after.call("execute_code", { code: "x", session_id: id });
    assert.equal(errorOf(refused), "SESSION_REFUSED");
    assert.match((refused.structured as Replied).error!.message, reason);
    const again = await after.python("'x' in dir()", { session_id: id });
    assert.deepEqual([again.result, again.session_created], ["False", true]);
  }
  assert.equal((await after.python("x", { session_id: "good" })).result, "1");
  assert.equal((await Array.fromAsync(Deno.readDir(`${servers.path}/aside`))).length, 5);
});

Deno.test(`[${UNDER_TEST}] heaps of another build are reset and told, files are kept`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.python("x = 1; open('a.txt', 'w').write('kept')", { session_id: "s" });
  await before.javascript("let y = 2", { session_id: "s" });
  await servers.stop(before);
  const path = `${await sessionsDirectory(servers)}/s/head`;
  const own = Keys.parse(await Deno.readTextFile(`${servers.path}/key`));
  const head = decodeHead(await Deno.readFile(path), own);
  for (const record of recordsOf(head)) {
    Object.assign(record, { bases: { ...record.bases, python: "another" } });
  }
  await Deno.writeFile(path, encodeHead(head, own));
  const after = await servers.start();
  const woken = await after.python("'x' in dir(), open('a.txt').read()", { session_id: "s" });
  assert.equal(woken.result, "(False, 'kept')");
  assert.match(woken.notice ?? "", /Python variables could not be brought back/);
  assert.equal((await after.javascript("y", { session_id: "s" })).result, "2");
});

Deno.test(`[${UNDER_TEST}] a full store says so, keeps what it has, and goes on when there is room`, async () => {
  await using servers = await StoredServers.make({}, { max_bytes: 3 * 2 ** 20 });
  const server = await servers.start();
  // In pieces: else the heap would go on holding all of it.
  const noise = (thousands: number) =>
    `import os\nwith open("noise", "wb") as f:\n  for _ in range(${thousands}): f.write(os.urandom(1000))\n`;
  await server.python(`x = 1\n${noise(1000)}`, { session_id: "kept" });
  const full = await server.python(noise(4000));
  assert.equal(durable(full), false);
  assert.match(full.notice ?? "", /would not survive the loss of the server: the store is full/);
  assert.equal((await server.python("x = 7; x")).result, "7");
  for (
    const [tool, args] of [
      ["write_file", { path: "f", content: "a" }],
      ["edit_file", { path: "f", edits: [{ old_text: "a", new_text: "b" }] }],
      ["move_file", { from: "f", to: "g" }],
      ["checkpoint_session", { name: "c" }],
      ["delete_checkpoint", { checkpoint: "c" }],
      ["delete_file", { path: "g" }],
    ] as const
  ) {
    const { structured, text } = await server.call(tool, args);
    assert.equal(structured["durable"], false, `${tool}: ${text}`);
    assert.match(text, /\[What this call left behind would not survive .*: the store is full/, tool);
  }
  const looked = await server.call("list_files");
  assert.ok(!("durable" in looked.structured) && !looked.text.includes("survive"), looked.text);
  await server.run("shell", "rm noise");
  const stored = await server.call("write_file", { path: "f", content: "a" });
  assert.ok(!("durable" in stored.structured) && !stored.text.includes("survive"), stored.text);
  const again = await server.python("x");
  assert.deepEqual([again.result, durable(again)], ["7", true], again.notice ?? "");
  await servers.crash(server);
  const after = await servers.start();
  assert.equal((await after.python("x")).result, "7");
});

Deno.test(`[${UNDER_TEST}] what is not stored when a server is killed is told, be it that it was too large or found no room`, async () => {
  await using servers = await StoredServers.make({ checkpoint_max_bytes: 8 * 2 ** 20 });
  for (const end of ["crash", "stop"] as const) {
    const server = await servers.start();
    const session_id = `too-large-${end}`;
    await server.python("x = 1", { session_id });
    const large = await server.python("x = 2; import os; b = os.urandom(20_000_000)", { session_id });
    assert.equal(durable(large), false);
    const missing = await server.call("restore_session", { session_id, checkpoint: "none" });
    assert.equal(errorOf(missing), "CHECKPOINT_NOT_FOUND");
    assert.equal((await server.python("x", { session_id })).result, "2"); // nothing was changed by that
    await servers[end](server);
    const after = await servers.start();
    const woken = await after.python("x", { session_id });
    assert.equal(woken.result, "1");
    assert.match(woken.notice ?? "", /could not be stored: what it did is lost/);
    await servers.stop(after);
  }
});

Deno.test(`[${UNDER_TEST}] checkpoint tools beside other calls: each is done whole, or refused`, async () => {
  await using servers = await StoredServers.make({ max_checkpoints: 3, undo_depth: 2 });
  const server = await servers.start();
  const at = { session_id: "s" };
  await server.python("x = 1", at);
  for (const name of ["a", "..", "constructor"]) {
    assert.equal((await server.call("checkpoint_session", { ...at, name })).isError, false, name);
  }
  assert.equal(
    errorOf(await server.call("checkpoint_session", { ...at, name: "d" })),
    "TOO_MANY_CHECKPOINTS",
  );
  for (const name of ["", "a/b", "ü", "x".repeat(101)]) {
    assert.equal((await server.call("checkpoint_session", { ...at, name })).isError, true, name);
  }
  for (let x = 2; x < 30; x++) await server.python(`x = ${x}`, at);
  assert.equal((await server.call("list_checkpoints", at)).structured["undoable"], 2);
  assert.equal(errorOf(await server.call("restore_session", { ...at, undo: 3 })), "CHECKPOINT_NOT_FOUND");

  const running = server.python("import time\ntime.sleep(1)\nx = 100", at);
  const [, forks, waited] = await Promise.all([
    server.call("restore_session", { ...at, undo: 1 }),
    server.call("fork_session", { ...at, new_session_id: "f", checkpoint: ".." }),
    server.python("x", at),
    running,
  ]);
  assert.equal(forks.isError, false, forks.text);
  assert.equal((await server.python("x", { session_id: "f" })).result, "1");
  assert.ok(["29", "100"].includes(waited.result!), waited.result!);

  // It ends while calls wait for it: they are refused, and nothing of it comes back.
  const last = server.python("while True: pass", at).catch(() => undefined);
  const queued = [
    server.call("fork_session", { ...at, new_session_id: "late" }),
    server.call("checkpoint_session", { ...at, name: "a" }),
    server.call("restore_session", { ...at, checkpoint: "a" }),
  ];
  const destroyed = await server.call("destroy_session", at);
  assert.equal(destroyed.isError, false, destroyed.text);
  await last;
  for (const { isError } of await Promise.all(queued)) assert.equal(isError, true);
  await servers.stop(server);
  const after = await servers.start();
  assert.deepEqual((await after.sessions()).map(({ session_id }) => session_id), ["f"]);
});

Deno.test(`[${UNDER_TEST}] eight forks at once of a heap of 100 MB cost the server nothing that stays`, async () => {
  await using servers = await StoredServers.make({ max_sessions_per_client: 20 });
  const server = await servers.start();
  const at = { session_id: "s" };
  await server.python("b = bytearray(100_000_000); b[::4096] = b'x' * len(b[::4096]); x = 1", at);
  const fork = (i: number) => server.call("fork_session", { ...at, new_session_id: `f${i}` });
  const forks = await Promise.all(Array.from({ length: 8 }, (_, i) => fork(i)));
  for (const { isError, text } of forks) assert.equal(isError, false, text);
  assert.equal((await server.python("len(b), x", { session_id: "f7" })).result, "(100000000, 1)");
  for (let i = 0; i < 8; i++) await server.call("destroy_session", { session_id: `f${i}` });
  await server.call("destroy_session", at);
  assert.equal((await Array.fromAsync(Deno.readDir(await sessionsDirectory(servers)))).length, 1); // the default session's
  const held = () => residentMegabytes(server.transport.pid!);
  await eventually("it is small again", held, (megabytes) => megabytes < 500);
});
