import { EventEmitter, once } from "node:events";
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
class Pool extends EventEmitter {
  #running = 0;
  #q = [];
  constructor(n) {
    super();
    this.n = n;
  }
  run(f) {
    return new Promise((res, rej) => {
      this.#q.push({ f, res, rej });
      this.#next();
    });
  }
  #next() {
    while (this.#running < this.n && this.#q.length) {
      const { f, res, rej } = this.#q.shift();
      this.#running++;
      Promise.resolve().then(f).then(res, rej).finally(() => {
        this.#running--;
        this.#next();
        if (!this.#running) this.emit("idle");
      });
    }
  }
}
const p = new Pool(2);
const order = [];
const jobs = [30, 10, 20, 5].map((ms, i) =>
  p.run(async () => {
    order.push(`s${i}`);
    await new Promise((r) => setTimeout(r, ms));
    order.push(`e${i}`);
    if (i === 2) throw new Error("job2");
    return i;
  })
);
const idle = once(p, "idle");
console.log((await Promise.allSettled(jobs)).map((r) => r.value ?? r.reason.message), order.slice(0, 3));
await idle;
const retry = async (f, n, d = 1) => {
  for (let i = 0;; i++) {
    try {
      return await f(i);
    } catch (e) {
      if (i >= n) throw e;
      console.log("retry", i, e.message);
      await new Promise((r) => setTimeout(r, d * 2 ** i));
    }
  }
};
console.log(
  await retry((i) => {
    if (i < 2) throw new Error("fail" + i);
    return "ok" + i;
  }, 3),
);
const debounce = (f, ms) => {
  let t;
  return (...a) => {
    clearTimeout(t);
    t = setTimeout(f, ms, ...a);
  };
};
const d = debounce((x) => console.log("deb", x), 3);
d(1);
d(2);
d(3);
const cache = new Map();
const memo = (f) => (k) => cache.has(k) ? cache.get(k) : (cache.set(k, f(k)), cache.get(k));
console.log(memo((x) => x * 2)(4), cache);
const als = new AsyncLocalStorage();
await als.run(new Map([["id", 1]]), async () => {
  await null;
  console.log(als.getStore().get("id"));
});
