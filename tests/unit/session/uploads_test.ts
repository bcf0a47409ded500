/** Files on their way to a session, in a Worker that it has with others. */

import assert from "node:assert/strict";
import { PIECE_BYTES } from "../../../src/host_calls/bounds.ts";
import { inTime } from "../../support/eventually.ts";
import { begin, checkpointed, outcomeOf, run, Sessions } from "./sessions.ts";

Deno.test("a file is not lost to a neighbour that computes while it goes up", async () => {
  await using sessions = new Sessions();
  const [session, neighbour] = [await sessions.create("session"), await sessions.create("neighbour")];
  for (const each of [session, neighbour]) {
    await run(each, "1");
    await checkpointed(each); // who may lose nothing shares its Worker
  }
  const staged = Promise.withResolvers<void>();
  const computes = Promise.withResolvers<void>();
  const upload = session.files.upload(
    "slow",
    (async function* () {
      yield new Uint8Array(PIECE_BYTES);
      staged.resolve();
      await computes.promise;
      yield new Uint8Array(PIECE_BYTES);
    })(),
  );
  await inTime("a part of it is there", staged.promise);
  const execution = await begin(neighbour);
  computes.resolve();
  assert.equal((await inTime("all of it is", upload)).entry.size, 2 * PIECE_BYTES);
  execution.stop("cancelled");
  assert.equal((await outcomeOf(execution)).state, "kept");
});
