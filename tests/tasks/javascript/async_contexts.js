const { AsyncLocalStorage } = require("node:async_hooks");
const als = new AsyncLocalStorage();
const other = new AsyncLocalStorage();
const EventEmitter = require("events");
const fs = require("fs/promises");
const { setTimeout: sleep } = require("timers/promises");
const log = (...a) => console.log(als.getStore()?.get?.("id") ?? als.getStore() ?? "-", ...a);
async function* gen() {
  log("gen a");
  yield 1;
  await sleep(1);
  log("gen b");
  yield 2;
}
async function work(n) {
  log("start", n);
  await null;
  log("after null");
  try {
    await Promise.reject(new Error("x"));
  } catch {
    log("caught");
  } finally {
    log("finally");
  }
  for await (const x of gen()) log("item", x);
  await Promise.all([1, 2].map(async (i) => {
    await sleep(i);
    log("inner", i);
  }));
  await {
    then(r) {
      log("thenable");
      r(1);
    },
  };
  log("after thenable");
  await fs.writeFile("/tmp/als" + n, "x");
  log("file");
  await new Promise((r) => process.nextTick(r));
  log("tick");
  queueMicrotask(() => log("micro"));
  await Promise.resolve().then(() => log("then")).catch(() => {}).finally(() => log("fin"));
  const p = new Promise((_, rej) => setTimeout(rej, 1, new Error("late")));
  await p.catch(() => log("late caught"));
  await Promise.race([sleep(1), sleep(5)]);
  log("raced");
  class Q extends Promise {}
  await new Q((r) => setTimeout(r, 1));
  log("sub");
  for await (const v of [Promise.resolve(1), 2]) log("sync iter", v);
  return n;
}
(async () => {
  log("root");
  const a = als.run(new Map([["id", "A"]]), () => work(1));
  const b = als.run(new Map([["id", "B"]]), () => work(2));
  log("root still");
  console.log(await a, await b);
  log("root end");
  await als.run("C", async () => {
    await other.run("O", async () => {
      await sleep(1);
      console.log(als.getStore(), other.getStore());
    });
    log("c");
    console.log(other.getStore());
    await als.exit(async () => {
      await null;
      log("exited");
    });
    als.enterWith("D");
    await null;
    log("entered");
    const e = new EventEmitter();
    e.on("x", () => log("listener"));
    als.run("E", () => e.emit("x"));
    const shared = sleep(2);
    const t = ["F", "G"].map((k) =>
      als.run(k, async () => {
        await shared;
        log("shared");
      })
    );
    await Promise.all(t);
    const settled = Promise.resolve(7);
    await Promise.all(["H", "I"].map((k) =>
      als.run(k, async () => {
        await settled;
        log("settled");
        await settled;
        log("settled2");
      })
    ));
    let res;
    const man = new Promise((r) => res = r);
    const w = ["J", "K"].map((k) =>
      als.run(k, async () => {
        log(await man);
      })
    );
    als.run("L", () => res("m"));
    await Promise.all(w);
    log("done");
  });
  log("root out");
})();
