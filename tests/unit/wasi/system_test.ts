import assert from "node:assert/strict";
import { Guest, RESULT } from "./guest.ts";

const [IN, OUT] = [1024, 2048];

/** Puts a clock's subscription into memory. */
function clock(guest: Guest, index: number, timeout: bigint, { id = 1, absolute = false } = {}): void {
  const at = IN + index * 48;
  new Uint8Array(guest.memory.buffer, at, 48).fill(0);
  guest.view.setBigUint64(at, BigInt(100 + index), true);
  guest.view.setUint32(at + 16, id, true);
  guest.view.setBigUint64(at + 24, timeout, true);
  guest.view.setUint16(at + 40, absolute ? 1 : 0, true);
}

/** Puts a descriptor's subscription into memory. @param type 1: read, 2: write. */
function readiness(guest: Guest, index: number, type: 1 | 2, fd: number): void {
  const at = IN + index * 48;
  new Uint8Array(guest.memory.buffer, at, 48).fill(0);
  guest.view.setBigUint64(at, BigInt(100 + index), true);
  guest.view.setUint8(at + 8, type);
  guest.view.setUint32(at + 16, fd, true);
}

function poll(
  guest: Guest,
  count: number,
): { userdata: number; error: number; type: number; flags: number }[] {
  assert.equal(guest.call("poll_oneoff", IN, OUT, count, RESULT), "SUCCESS");
  return Array.from({ length: guest.u32() }, (_, index) => {
    const at = OUT + index * 32;
    const { view } = guest;
    return {
      userdata: Number(view.getBigUint64(at, true)),
      error: view.getUint16(at + 8, true),
      type: view.getUint8(at + 10),
      flags: view.getUint16(at + 24, true),
    };
  });
}

Deno.test("a sleep waits once, as long as the earliest clock says", () => {
  const guest = new Guest();
  clock(guest, 0, 90_000_000n);
  clock(guest, 1, 20_500_000n);
  assert.deepEqual(poll(guest, 2).map(({ userdata }) => userdata), [101]);
  clock(guest, 0, guest.time + 5_000_000n, { id: 0, absolute: true });
  assert.equal(poll(guest, 1).length, 1);
  clock(guest, 0, guest.time / 2n - 1n, { absolute: true });
  assert.equal(poll(guest, 1).length, 1);
  clock(guest, 0, 2n ** 64n - 1n);
  poll(guest, 1);
  assert.deepEqual(guest.waits.slice(0, 2), [20.5, 5]);
  assert.equal(guest.waits.length, 3);
  assert.ok(guest.waits[2]! > 1e13);
});

Deno.test("an interrupted sleep ends well, and the host hears of it", () => {
  const guest = new Guest({ wait: () => "interrupted" });
  clock(guest, 0, 1_000_000_000n);
  assert.deepEqual(poll(guest, 1), [{ userdata: 100, error: 0, type: 0, flags: 0 }]);
  assert.equal(guest.interrupts, 1);
});

Deno.test("what a wait throws passes through", () => {
  const stop = new Error("aborted");
  const guest = new Guest({
    wait: () => {
      throw stop;
    },
  });
  clock(guest, 0, 1n);
  assert.throws(() => poll(guest, 1), (error) => error === stop);
});

Deno.test("descriptors are ready at once, stdin at its end, and unknown ones say so", () => {
  const guest = new Guest();
  clock(guest, 0, 1_000_000_000n);
  readiness(guest, 1, 1, 0);
  readiness(guest, 2, 2, 1);
  readiness(guest, 3, 1, 99);
  assert.deepEqual(poll(guest, 4), [
    { userdata: 101, error: 0, type: 1, flags: 1 },
    { userdata: 102, error: 0, type: 2, flags: 0 },
    { userdata: 103, error: 8, type: 1, flags: 0 },
  ]);
  assert.deepEqual(guest.waits, []);
});

Deno.test("a poll that could never wake, or of things that are none, is refused", () => {
  const guest = new Guest();
  assert.equal(guest.call("poll_oneoff", IN, OUT, 0, RESULT), "EINVAL");
  assert.equal(guest.call("poll_oneoff", IN, OUT, 5_000, RESULT), "EINVAL");
  guest.view.setUint8(IN + 8, 3);
  assert.equal(guest.call("poll_oneoff", IN, OUT, 1, RESULT), "EINVAL");
  clock(guest, 0, 1n, { id: 2 });
  assert.deepEqual(poll(guest, 1), [{ userdata: 100, error: 58, type: 0, flags: 0 }]);
});

Deno.test("arguments, environment, clocks and random bytes come from the host", () => {
  const guest = new Guest();
  assert.equal(guest.call("args_sizes_get", RESULT, RESULT + 4), "SUCCESS");
  assert.deepEqual([guest.u32(), guest.u32(RESULT + 4)], [2, 11]);
  assert.equal(guest.call("args_get", RESULT, 512), "SUCCESS");
  assert.deepEqual([guest.u32(), guest.u32(RESULT + 4)], [512, 520]);
  assert.equal(guest.text(512, 11), "program\0é\0");
  assert.equal(guest.call("environ_sizes_get", RESULT, RESULT + 4), "SUCCESS");
  assert.equal(guest.call("environ_get", RESULT, 512), "SUCCESS");
  assert.equal(guest.text(512, 10), "HOME=/app\0");
  assert.equal(guest.call("clock_time_get", 0, 0n, RESULT), "SUCCESS");
  assert.equal(guest.u64(), guest.time);
  assert.equal(guest.call("clock_time_get", 1, 0n, RESULT), "SUCCESS");
  assert.equal(guest.u64(), guest.time / 2n);
  assert.equal(guest.call("clock_time_get", 9, 0n, RESULT), "EINVAL");
  assert.equal(guest.call("random_get", 512, 100_000), "SUCCESS");
  assert.ok(guest.bytes(512, 100_000).every((byte) => byte === 7));
  assert.equal(guest.bytes(100_512, 1)[0], 0);
  assert.equal(guest.call("sock_send", 1, 0, 0, 0, 0), "ENOTSUP");
});
