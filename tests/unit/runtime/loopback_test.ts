import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { type Connection, Loopback } from "../../../src/runtime/loopback.ts";
import { Sockets } from "../../../src/runtime/sockets.ts";

const text = (value: string) => new TextEncoder().encode(value);
const MIB = 1024 * 1024;

function connected(loopback: Loopback, port = 80): [Connection, Connection] {
  const listener = loopback.listen(port)!;
  const near = loopback.connect(port)!;
  const far = listener.accept()!;
  listener.close();
  return [near, far];
}

Deno.test("what one end writes the other reads, up to the end that either makes", () => {
  const [near, far] = connected(new Loopback());
  equal(near.read(9), "nothing_yet");
  equal(near.write(text("abc")), 3);
  deepEqual(far.read(2), text("ab"));
  near.end();
  equal(near.write(text("x")), "gone");
  deepEqual(far.read(9), text("c"));
  equal(far.read(9), "end");
  equal(far.write(text("still")), 5);
  deepEqual(near.read(9), text("still"));
  near.close();
  equal(far.write(text("x")), "gone");
});

Deno.test("a port has one listener, and who waits at one that goes sees the end", () => {
  const loopback = new Loopback();
  const listener = loopback.listen(80)!;
  equal(loopback.listen(80), undefined);
  equal(loopback.connect(81), undefined);
  const waiting = loopback.connect(80)!;
  listener.close();
  equal(waiting.read(1), "end");
  equal(loopback.connect(80), undefined);
  ok(loopback.listen(80));
  ok(loopback.freePort() !== loopback.freePort());
});

Deno.test("connections hold no more than their bounds, each and all together, and what is closed makes room", () => {
  const loopback = new Loopback();
  const piece = new Uint8Array(MIB);
  const [near, far] = connected(loopback);
  equal(near.write(piece), 256 * 1024);
  equal(near.write(piece), 0);
  const ends = Array.from({ length: 500 }, () => connected(loopback));
  const taken = ends.map(([each]) => each.write(piece) as number);
  const all = taken.reduce((sum, each) => sum + each, 0);
  ok(all < 16 * MIB + 500 * 16 * 1024 + 256 * 1024, `${all}`);
  equal(taken.at(-1), 16 * 1024);
  for (const [one, other] of ends) {
    one.close();
    other.close();
  }
  const [again] = connected(loopback);
  equal(again.write(piece), 256 * 1024);
  near.close();
  far.close();
});

Deno.test("so many wait at a port, and so many are open, and no more", () => {
  const loopback = new Loopback();
  const listener = loopback.listen(80)!;
  let open = 0;
  const all: Connection[] = [];
  for (let near; (near = loopback.connect(80)); open++) all.push(near);
  equal(open, 128);
  for (let n = 0; n < 2000; n++) {
    const accepted = listener.accept();
    if (accepted) all.push(accepted);
    const near = loopback.connect(80);
    if (near) all.push(near);
  }
  equal(loopback.connect(80), undefined);
  for (const each of all) each.close();
  listener.close();
  ok(loopback.listen(80));
  ok(loopback.connect(80));
});

Deno.test("a process asks by numbers of its own sockets only, and leaves none open", () => {
  const loopback = new Loopback();
  const one = new Sockets(loopback, () => true);
  const other = new Sockets(loopback, () => false);
  const ask = (sockets: Sockets, operation: string, request: unknown, bytes?: Uint8Array) => {
    const { json } = sockets.perform(`net.${operation}`, text(JSON.stringify(request)), bytes)!;
    return JSON.parse(new TextDecoder().decode(json));
  };
  deepEqual(ask(other, "listen", { port: 80 }), { served: false });
  const { id } = ask(one, "listen", { port: 80 });
  ok(one.listens);
  equal(ask(one, "listen", { port: 80 }).id, null);
  const near = ask(other, "connect", { port: 80 }).id;
  throws(() => ask(other, "accept", { id }), /no socket that listens/);
  throws(() => ask(one, "read", { id, most: 1 }), /no connection/);
  const far = ask(one, "accept", { id }).id;
  equal(ask(other, "write", { id: near }, text("abc")).taken, 3);
  equal(ask(one, "read", { id: far, most: 9 }).state, "bytes");
  for (const request of [{}, { port: 0 }, { port: 65_536 }, { port: "80" }, null, [1]]) {
    throws(() => ask(one, "connect", request), /not one for sockets/);
  }
  throws(() => one.perform("net.connect", new Uint8Array(2000)), /too long/);
  throws(() => one.perform("net.nothing", text("{}")), /no operation/);
  equal(one.perform("display", text("{}")), undefined);
  one.close();
  equal(ask(other, "read", { id: near, most: 9 }).state, "end");
  equal(ask(other, "connect", { port: 80 }).id, null);
});
