/** The comparison with other sandboxes: what it tells, and who is left out. */

import { match, ok } from "node:assert/strict";
import { DriverProcess, pythonDriver } from "../../../scripts/peers/driver.ts";
import type { Computed, Contender, Values } from "../../../scripts/peers/measures.ts";
import { starts } from "../../../scripts/peers/measures.ts";
import { type Peer, Unavailable } from "../../../scripts/peers/peer.ts";
import { type Measured, report } from "../../../scripts/peers/report.ts";

function contender(name: string, more: Partial<Peer> = {}): Contender {
  const absent = () => Promise.reject(new Unavailable("is not here"));
  const peer = { name, what: "a sandbox", lacks: "much", languages: ["python"], install: absent, ...more };
  return { peer: peer as Peer, version: "1.0", start: absent };
}

const NOTHING: Values = new Map();
const UNMEASURED: Computed = { times: new Map(), wrong: new Set() };

function measured(more: Partial<Measured>): Measured {
  return {
    contenders: [
      contender("wasmbox"),
      contender("swift"),
      contender("slow"),
      contender("python3", { native: true }),
    ],
    left: [],
    starts: NOTHING,
    sessions: { fresh: NOTHING, atOnce: NOTHING, warm: NOTHING, weight: NOTHING },
    six: UNMEASURED,
    ten: UNMEASURED,
    five: UNMEASURED,
    ...more,
  };
}

Deno.test("where others are ahead is told before all else, and neither who is slower nor what is native", () => {
  const values = new Map([["wasmbox", [30]], ["swift", [10, 10, 40]], ["slow", [90]], ["python3", [1]]]);
  const text = report(measured({ starts: values }));
  const [, first = ""] = text.split("## ");
  match(
    first,
    /^Where we are behind\n\n.*\n\n- \*\*process start → first result\*\*: 30\.0 ms; swift 10\.0 ms \(3\.00×\)/,
  );
  ok(!first.includes("slow") && !first.includes("python3"), first);
});

Deno.test("programs are compared with the native ones, and other results than theirs are named", () => {
  const times = new Map([["sort", new Map([["wasmbox", [30, 20, 25]], ["swift", [99]], ["python3", [10]]])]]);
  const text = report(measured({ six: { times, wrong: new Set(["swift"]) } }));
  match(text, /\| six programs, native = 1 \| 2\.50 × \(2\.00–3\.00\) \| 9\.90 ×/);
  match(text, /- swift: results of the six programs differ from native ones/);
});

Deno.test("who can't be had, or fails, is left out with the reason", async () => {
  const broken = contender("swift");
  const text = report(measured({
    starts: await starts([broken], 2),
    left: [{ peer: contender("gone").peer, reason: "could not be installed" }],
  }));
  match(text, /- swift, process start → first result: is not here/);
  match(text, /- gone could not be installed\./);
});

Deno.test("a driver keeps sessions apart, and tells what a program raised", async () => {
  await using driver = new DriverProcess(["python3", "-c", await pythonDriver("native")]);
  await driver.run("one", "x = 1");
  match((await driver.run("one", "print(x + 1)")).output, /^2$/m);
  const other = await driver.run("two", "print(x)").catch((error: Error) => error);
  match(String(other), /Unavailable: NameError/);
  ok((await driver.repeat("one", "x += 1", 3)).every((ms) => ms >= 0));
  match((await driver.run("one", "print(x)")).output, /^4$/m);
});
