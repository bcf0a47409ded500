import assert from "node:assert/strict";
import { PIECE_BYTES } from "../../../src/host_calls/bounds.ts";
import { Aborted, ControlCell } from "../../../src/control/cell.ts";
import {
  allocateReplyBuffer,
  HostCaller,
  HostCallError,
  HostReplier,
} from "../../../src/host_calls/bridge.ts";
import { FUEL_GRACE, FuelMeter, OutOfFuel } from "../../../src/control/meter.ts";

Deno.test("a stop reaches the execution it names", () => {
  const cell = ControlCell.allocate();
  cell.enter(5);
  assert.equal(cell.requested(), "none");
  cell.interrupt(5);
  assert.equal(cell.requested(), "interrupt");
  cell.abort(5);
  assert.equal(cell.requested(), "abort");
  assert.throws(() => cell.throwIfAborted(), Aborted);
});

Deno.test("a stop that comes late can't hit the next execution", () => {
  const cell = ControlCell.allocate();
  cell.enter(5);
  cell.leave();
  cell.interrupt(5);
  cell.abort(5);
  cell.enter(6);
  assert.equal(cell.requested(), "none");
  cell.throwIfAborted();
});

Deno.test("a stop before its execution has started is not lost", () => {
  const cell = ControlCell.allocate();
  cell.interrupt(7);
  cell.enter(7);
  assert.equal(cell.requested(), "interrupt");
});

Deno.test("a wait ends early on a stop, throws on a hard one, and looks at its condition first", () => {
  const cell = ControlCell.allocate();
  cell.enter(1);
  assert.equal(cell.wait(0), "elapsed");
  assert.equal(cell.wait(Infinity, () => true), "ready");
  cell.interrupt(1);
  assert.equal(cell.wait(Infinity), "interrupted");
  cell.abort(1);
  assert.throws(() => cell.wait(Infinity), Aborted);
});

Deno.test("fuel is counted across slices; a budget interrupts the run, and after a grace ends it", () => {
  const cell = ControlCell.allocate();
  cell.enter(7);
  const fuel = new WebAssembly.Global({ value: "i32", mutable: true }, 0);
  const meter = new FuelMeter(cell);
  meter.refill(); // before it is attached, as a start function may do
  meter.attach(fuel);
  const burn = (units: number) => {
    for (let i = 0; i < units; i++) if (--fuel.value < 0) meter.refill();
  };
  burn(250_000);
  assert.equal(meter.consumed(), 250_000);
  meter.begin(1000);
  burn(1000);
  assert.deepEqual([meter.exhausted, cell.requested()], [false, "none"]);
  burn(1);
  assert.deepEqual([meter.exhausted, cell.requested()], [true, "interrupt"]);
  burn(FUEL_GRACE - 1);
  assert.throws(() => burn(1), OutOfFuel);
  cell.enter(8);
  meter.begin(1000);
  assert.deepEqual([meter.exhausted, cell.requested()], [false, "none"]);
});

Deno.test("work that others do for a guest counts as its own, as far as its budget goes", () => {
  const cell = ControlCell.allocate();
  cell.enter(7);
  const fuel = new WebAssembly.Global({ value: "i32", mutable: true }, 0);
  const meter = new FuelMeter(cell);
  meter.attach(fuel);
  const burn = (units: number) => {
    for (let i = 0; i < units; i++) if (--fuel.value < 0) meter.refill();
  };
  meter.charge(3e10); // without a budget; more than fits into 32 bits
  burn(10);
  assert.deepEqual([meter.consumed(), meter.exhausted], [3e10 + 10, false]);
  meter.begin(1000);
  burn(100);
  meter.charge(800);
  assert.deepEqual([meter.consumed(), meter.exhausted, cell.requested()], [900, false, "none"]);
  meter.charge(5000);
  assert.deepEqual([meter.consumed(), meter.exhausted, cell.requested()], [1000, true, "interrupt"]);
  burn(FUEL_GRACE);
  assert.throws(() => burn(1000), OutOfFuel);
});

/** A Worker's call and the main thread's answers, on one thread: each post is answered before the wait begins. */
function bridge(
  answer: (operation: string, request: string) => Parameters<HostReplier["reply"]>[1],
  maxReply = 1 << 24,
) {
  const cell = ControlCell.allocate();
  cell.enter(1);
  const buffer = allocateReplyBuffer();
  const replier = new HostReplier(buffer, cell);
  const caller = new HostCaller(buffer, cell, maxReply, (message) => {
    if (message.type === "host_more") replier.more(message.call);
    else replier.reply(message.call, answer(message.operation, message.request));
  });
  return { cell, caller, replier };
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("a host call carries its request out and its answer back, however long", () => {
  for (const length of [0, 1, 65_535, 65_536, 300_000]) {
    const { caller } = bridge((operation, request) => ({
      ok: true,
      json: JSON.stringify([operation, request]),
    }));
    const request = JSON.stringify("é".repeat(length));
    assert.deepEqual(JSON.parse(decode(caller.exchange("echo", encode(request)).json)), ["echo", request]);
  }
});

Deno.test("a refused host call is an error with the server's reason", () => {
  const { caller } = bridge(() => ({ ok: false, message: "not allowed" }));
  assert.throws(() => caller.exchange("x", encode("{}")).json, {
    name: "HostCallError",
    message: "not allowed",
  });
});

Deno.test("an answer beyond the bound is an error, and the next call is not disturbed by its rest", () => {
  let size = 500_000;
  const { caller } = bridge(() => ({ ok: true, json: JSON.stringify("x".repeat(size)) }), 100_000);
  assert.throws(() => caller.exchange("x", encode("{}")).json, HostCallError);
  size = 3;
  assert.equal(decode(caller.exchange("x", encode("{}")).json), '"xxx"');
});

Deno.test("a stop ends the wait of a host call, and a late answer is not taken for the next one's", () => {
  const cell = ControlCell.allocate();
  const buffer = allocateReplyBuffer();
  const replier = new HostReplier(buffer, cell);
  let onCall = (_call: number) => {};
  const caller = new HostCaller(buffer, cell, 1000, (message) => onCall(message.call));
  cell.enter(1);
  onCall = () => cell.interrupt(1);
  assert.throws(() => caller.exchange("slow", encode("{}")).json, HostCallError);
  cell.enter(2);
  onCall = (call) => {
    replier.reply(1, { ok: true, json: '"late"' });
    replier.reply(call, { ok: true, json: '"mine"' });
  };
  assert.equal(decode(caller.exchange("quick", encode("{}")).json), '"mine"');
});

Deno.test("bytes go beside a host call's request and beside its answer", () => {
  const cell = ControlCell.allocate();
  const buffer = allocateReplyBuffer();
  const replier = new HostReplier(buffer, cell);
  for (const [asked, answered] of [[0, 0], [1, 1], [PIECE_BYTES, PIECE_BYTES], [1, 600_000]] as const) {
    const sent = new Uint8Array(asked).map((_, index) => index * 7);
    const back = new Uint8Array(answered).map((_, index) => index * 3);
    const caller = new HostCaller(buffer, cell, 1 << 20, (message) => {
      if (message.type === "host_more") return replier.more(message.call);
      assert.deepEqual(message.bytes, sent);
      replier.reply(message.call, { ok: true, json: '"é"' }, back);
    });
    const { json, bytes } = caller.exchange("x", encode("{}"), { bytes: sent });
    assert.deepEqual([decode(json), bytes], ['"é"', back]);
  }
});

Deno.test("more bytes beside a request than the pipe takes are refused before they leave the Worker", () => {
  let posted = 0;
  const cell = ControlCell.allocate();
  const caller = new HostCaller(allocateReplyBuffer(), cell, 1000, () => posted++);
  const bytes = new Uint8Array(PIECE_BYTES + 1);
  assert.throws(() => caller.exchange("x", encode("{}"), { bytes }), HostCallError);
  assert.equal(posted, 0);
});

Deno.test("after a soft stop a host call with patience still gets what comes in time, and gives up on what does not", () => {
  const cell = ControlCell.allocate();
  const buffer = allocateReplyBuffer();
  const replier = new HostReplier(buffer, cell);
  let answers = true;
  const caller = new HostCaller(buffer, cell, 1000, ({ call }) => {
    if (answers) replier.reply(call, { ok: true, json: "1" });
  });
  cell.enter(1);
  cell.interrupt(1);
  assert.throws(() => caller.exchange("x", encode("{}")).json, HostCallError);
  assert.equal(decode(caller.exchange("x", encode("{}"), { patienceMs: 1 }).json), "1");
  answers = false;
  assert.throws(() => caller.exchange("x", encode("{}"), { patienceMs: 1 }), HostCallError);
  cell.abort(1);
  assert.throws(() => caller.exchange("x", encode("{}"), { patienceMs: 1_000_000 }), Aborted);
});

Deno.test("what runs within a time is asked to stop after it, and aborted if it goes on; who waits for it is not", () => {
  const cell = ControlCell.allocate();
  cell.enter(1);
  let left = 50;
  cell.within(() => left, () => {
    assert.equal(cell.requested(), "none");
    left = 0;
    assert.equal(cell.wait(Infinity), "interrupted");
    left = -2000;
    assert.throws(() => cell.throwIfAborted(), Aborted);
    cell.within(() => 1000, () => assert.equal(cell.requested(), "abort"));
  });
  assert.equal(cell.requested(), "none");
  const begun = performance.now();
  cell.within(() => 20 - (performance.now() - begun), () => assert.equal(cell.wait(60_000), "interrupted"));
});
