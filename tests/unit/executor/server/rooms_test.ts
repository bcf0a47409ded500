/** Workers that sessions share: who has one, and who waits for it. */

import assert from "node:assert/strict";
import { Rooms } from "../../../../src/executor/server/rooms.ts";
import type { Standing } from "../../../../src/executor/server/tenant.ts";

/** Sessions that sit in one Worker, of whom none has it. There are more processors. */
function shared(channels: readonly number[], standing: (channel: number) => Standing = () => "idle"): Rooms {
  const rooms = new Rooms(standing, 2);
  rooms.seats = channels.length;
  const numbers = channels.map((channel) => {
    const room = rooms.enter(channel, false);
    giveUp(rooms, channel);
    return room;
  });
  assert.equal(new Set(numbers).size, 1);
  return rooms;
}

function giveUp(rooms: Rooms, channel: number): void {
  rooms.done(channel);
  rooms.rest(channel);
}

Deno.test("sessions that wait for a Worker get it one after another, in the order in which they came", async () => {
  const rooms = shared([1, 2, 3, 4]);
  assert.equal(await rooms.claim(1), true);
  const order: number[] = [];
  const claims = [2, 3, 4].map(async (channel) => {
    assert.equal(await rooms.claim(channel), true, `${channel}`);
    order.push(channel);
    giveUp(rooms, channel);
  });
  giveUp(rooms, 1);
  await Promise.all(claims);
  assert.deepEqual(order, [2, 3, 4]);
});

Deno.test("whoever has had a Worker for long is not waited for, and keeps it", async () => {
  const rooms = shared([1, 2]);
  assert.equal(await rooms.claim(1), true);
  assert.equal(await rooms.claim(2), false);
  assert.equal(await rooms.claim(1), true);
  giveUp(rooms, 1);
  assert.equal(await rooms.claim(2), true);
});

Deno.test("who waits for a Worker that is gone meanwhile has to move", async () => {
  const rooms = shared([1, 2]);
  assert.equal(await rooms.claim(1), true);
  rooms.begin(1);
  const claim = rooms.claim(2);
  rooms.leave(1); // what it ran goes on for a while
  assert.equal(await claim, false);
});

Deno.test("where every processor has a Worker that is called, who waits does so as long as another one would take", async () => {
  const rooms = new Rooms(() => "idle", 1);
  rooms.seats = 3;
  rooms.enter(1, false);
  await new Promise((resolve) => setTimeout(resolve, 200)); // what is made takes that long
  rooms.entered(1);
  giveUp(rooms, 1);
  for (const channel of [2, 3]) {
    rooms.enter(channel, false);
    giveUp(rooms, channel);
  }
  assert.equal(await rooms.claim(1), true);
  const [second, third] = [rooms.claim(2), rooms.claim(3)];
  // Twice what one waits elsewhere.
  setTimeout(() => giveUp(rooms, 1), 20);
  assert.equal(await second, true);
  assert.equal(await third, false, "the second goes on and on");
});

Deno.test("of those whose neighbour has their Worker for long no more leave at once than there are processors for", async () => {
  const rooms = shared([1, 2, 3, 4]);
  assert.equal(await rooms.claim(1), true);
  const claims = [2, 3, 4].map((channel) => rooms.claim(channel));
  assert.equal(await claims[0], false);
  giveUp(rooms, 1);
  assert.equal(await claims[1], true);
  giveUp(rooms, 2);
  rooms.leave(3);
  giveUp(rooms, 3);
  assert.equal(await claims[2], true);
});

Deno.test("who can't leave, and asks again and again, keeps nobody else from leaving", async () => {
  let saved = true;
  const rooms = shared([1, 2, 3], (channel) => channel === 2 && !saved ? "unsaved" : "idle");
  assert.equal(await rooms.claim(1), true);
  saved = false;
  for (let look = 0; look < 5; look++) assert.equal(await rooms.claim(2), false);
  // Where others had left it would wait for as long as another Worker takes.
  const later = new Promise((resolve) => setTimeout(resolve, 0, "it waits"));
  assert.equal(await Promise.race([rooms.claim(3), later]), false);
});

Deno.test("who has programs that go on keeps its Worker to itself: neighbours that want it leave", async () => {
  let serves = false;
  const rooms = shared([1, 2], (channel) => channel === 1 && serves ? "serving" : "idle");
  assert.equal(await rooms.claim(1), true);
  giveUp(rooms, 1);
  serves = true;
  assert.equal(await rooms.claim(2), false);
  assert.equal(await rooms.claim(1), true);
});
