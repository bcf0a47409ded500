/** A session whose executor is lost, at each phase of what it does: what replies say is what is there afterwards. */

import assert from "node:assert/strict";
import { WasmboxError } from "../../../src/errors.ts";
import type { Outcome } from "../../../src/session/outcome.ts";
import type { Session } from "../../../src/session/session.ts";
import type { TelemetryEvent } from "../../../src/telemetry/events.ts";
import { inTime } from "../../support/eventually.ts";
import { begin, checkpointed, outcomeOf, request, run, Sessions, told } from "./sessions.ts";

/** No test kills more processes one after the other, each of which may take a call with it. */
const MOST_LOST = 4;

/** Asks what `n` is until it is told. @returns That, and whether it was said that a call's state was lost. */
async function ask(session: Session): Promise<{ n: string | null; lost: boolean }> {
  let lost = false;
  const reasons: unknown[] = [];
  for (let attempt = 0; attempt < MOST_LOST; attempt++) {
    const { status, state, error, result, notice } = await run(session, "globalThis.n");
    lost ||= notice !== null;
    if (status === "completed") {
      assert.equal(state, notice === null ? "kept" : "rolled_back");
      return { n: result, lost };
    }
    reasons.push(error?.message);
    // It was sent to the process that was being lost.
    assert.deepEqual([status, error?.error_code, error?.retryable], ["crashed", "EXECUTOR_LOST", true]);
  }
  throw new Error(`it was lost ${MOST_LOST} times: ${reasons.join("; ")}`);
}

/** When in the second call of a session its process is killed, and what that call may then say of itself. */
const PHASES: Record<
  string,
  { kill: TelemetryEvent["type"] | "before" | "output"; may: Outcome["status"][] }
> = {
  "before a call, unnoticed": { kill: "before", may: ["completed", "crashed"] },
  "while a call waits for its turn": { kill: "execution_queued", may: ["completed", "crashed"] },
  "as a program starts": { kill: "execution_started", may: ["completed", "crashed"] },
  "while a program runs": { kill: "output", may: ["crashed"] },
  "between a reply and its checkpoint": { kill: "execution_ended", may: ["completed"] },
  "right after a checkpoint": { kill: "checkpoint", may: ["completed"] },
};

Deno.test("whenever the process is lost, a reply says what became of the state, and that is so", async (t) => {
  await using sessions = new Sessions();
  for (const [name, { kill, may }] of Object.entries(PHASES)) {
    await t.step(name, async () => {
      const session = await sessions.create(name.replaceAll(/\W/g, "_"));
      await run(session, "globalThis.n = 1");
      await checkpointed(session);
      sessions.onEvent = ({ type }) => {
        if (type === kill) {
          sessions.onEvent = () => {};
          sessions.crash();
        }
      };
      if (kill === "before") sessions.crash();
      const code = `globalThis.n = 2; console.log("up"); ${kill === "output" ? "for (;;);" : ""}`;
      const onOutput = () => kill === "output" && sessions.crash();
      const second = await run(session, code, { onOutput });
      assert.ok(may.includes(second.status), JSON.stringify(second));
      if (second.status === "crashed") {
        assert.deepEqual([second.state, second.notice, second.error?.retryable], ["rolled_back", null, true]);
      } else assert.deepEqual([second.state, second.notice], ["kept", null]);
      const { n, lost } = await ask(session);
      assert.equal(n, second.status === "crashed" || lost ? "1" : "2");
      await session.close();
    });
  }
});

Deno.test("a session that loses its process before it has a checkpoint starts fresh, and says so", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const running = await begin(session, "globalThis.n = 1; console.log('up'); for (;;);");
  sessions.crash();
  const lost = await outcomeOf(running);
  assert.deepEqual([lost.status, lost.state], ["crashed", "reset"]);
  assert.match(lost.error?.message ?? "", /the next call starts fresh/);
  assert.deepEqual(await ask(session), { n: null, lost: false });
});

Deno.test("what waits behind a program whose process is lost runs in the next one, in order", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  await run(session, "globalThis.seen = []");
  await checkpointed(session);
  const running = await begin(session, "seen.push('lost'); console.log('up'); for (;;);");
  const waiting = [1, 2, 3].map((n) => session.execute(request(`seen.push(${n}); seen.join()`)));
  const written = session.files.write("after", new TextEncoder().encode("four"));
  sessions.crash();
  assert.equal((await outcomeOf(running)).status, "crashed");
  const results = (await Promise.all(waiting.map(outcomeOf))).map(({ result }) => result);
  assert.deepEqual(results, ["'1'", "'1,2'", "'1,2,3'"]);
  assert.equal((await inTime("the file is written", written)).created, true);
});

Deno.test("a process that is lost before a session is in it costs nothing: another is tried, three in all", async () => {
  await using sessions = new Sessions();
  let kills = 0;
  const killStarts = (count: number) => {
    kills = count;
    sessions.onEvent = ({ type }) => {
      if (type !== "executor_started" || kills === 0) return;
      kills--;
      queueMicrotask(() => sessions.crash());
    };
  };
  const session = await sessions.create();
  killStarts(2);
  assert.deepEqual(told(await run(session, "globalThis.n = 1")), ["completed", "kept", "1", null]);
  await checkpointed(session);

  // While it is restored from its checkpoint, too.
  killStarts(2);
  sessions.crash();
  assert.deepEqual(await ask(session), { n: "1", lost: false });
  assert.equal(kills, 0);

  await checkpointed(session);
  killStarts(Infinity);
  sessions.crash();
  const refused = await run(session, "globalThis.n = 2");
  assert.deepEqual([refused.status, refused.state, refused.error?.retryable], [
    "crashed",
    "rolled_back",
    true,
  ]);
  killStarts(0);
  assert.deepEqual(await ask(session), { n: "1", lost: false });
});

Deno.test("an operation on files whose process is lost is done, once, in the next one", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  await session.files.write("old", new TextEncoder().encode("old"));
  await checkpointed(session);
  /** Once what was done before is safe, the process is killed while the operation is on its way. */
  const crash = async <T>(operate: () => Promise<T>): Promise<T> => {
    await checkpointed(session);
    const operation = operate();
    sessions.crash();
    return await inTime("the operation is done", operation);
  };
  const { files } = session;
  assert.equal((await crash(() => files.write("new", new TextEncoder().encode("new")))).created, true);
  assert.equal((await crash(() => files.move("old", "moved", false))).size, 3);
  assert.equal((await crash(() => files.delete("new", false))).size, 3);
  assert.equal((await crash(() => session.usage())).files, 1);
  const { entries } = await crash(() => files.list("", { limit: 10 }));
  assert.deepEqual(entries.map(({ path }) => path), ["moved"]);
});

Deno.test("an upload whose pieces are lost with the process is refused as a whole, and what was there stays", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  await session.files.write("f", new TextEncoder().encode("before"));
  await checkpointed(session);
  async function* body() {
    yield new Uint8Array(3 << 20);
    await session.files.stat("f"); // the first pieces are there
    sessions.crash();
    yield new Uint8Array(3 << 20);
  }
  await assert.rejects(
    inTime("the upload ends", session.files.upload("f", body())),
    (error: unknown) =>
      error instanceof WasmboxError && error.info.error_code === "EXECUTOR_LOST" && error.info.retryable,
  );
  const { bytes } = await session.files.read("f", 0, 100);
  assert.equal(new TextDecoder().decode(bytes), "before");
});

Deno.test("a session can be closed while it has no process, and while it gets the next one", async () => {
  await using sessions = new Sessions();
  for (const gone of [true, false]) {
    const session = await sessions.create(`gone_${gone}`);
    await run(session, "globalThis.n = 1");
    const ended = (await sessions.executor()).ended;
    sessions.crash();
    if (gone) await inTime("the process is gone", ended);
    const execution = session.execute(request("globalThis.n"));
    await inTime("the session ends", session.close());
    const { status } = await outcomeOf(execution);
    assert.ok(["cancelled", "crashed"].includes(status), status);
  }
  assert.equal((await run(await sessions.create("next"), "'next'")).result, "'next'");
});

Deno.test("sessions of one process that is lost all go on, each from its own checkpoint", async () => {
  await using sessions = new Sessions();
  const three = await Promise.all(["a", "b", "c"].map((id) => sessions.create(id)));
  await Promise.all(three.map((session, n) => run(session, `globalThis.n = ${n}`)));
  await Promise.all(three.map(checkpointed));
  sessions.crash();
  const found = await Promise.all(three.map(ask));
  assert.deepEqual(found, ["0", "1", "2"].map((n) => ({ n, lost: false })));
  assert.equal(sessions.executors.length, 1);
});
