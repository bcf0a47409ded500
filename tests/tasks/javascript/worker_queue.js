import { setTimeout as sleep } from "node:timers/promises";
import { performance } from "node:perf_hooks";
import { EventEmitter, once } from "node:events";

class Queue extends EventEmitter {
  #running = 0;
  #jobs = [];
  constructor(concurrency) {
    super();
    this.concurrency = concurrency;
  }
  push(job) {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ job, resolve, reject });
      this.#next();
    });
  }
  async #next() {
    if (this.#running >= this.concurrency || this.#jobs.length === 0) return;
    this.#running++;
    const { job, resolve, reject } = this.#jobs.shift();
    try {
      resolve(await job());
    } catch (error) {
      reject(error);
    } finally {
      this.#running--;
      if (this.#running === 0 && this.#jobs.length === 0) this.emit("idle");
      this.#next();
    }
  }
}
const queue = new Queue(2);
let most = 0, now = 0;
const task = (n) => async () => {
  most = Math.max(most, ++now);
  await sleep(2);
  now--;
  if (n === 3) throw new Error(`task ${n} failed`);
  return n * n;
};
const start = performance.now();
const settled = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => queue.push(task(n))));
console.log(settled.map((s) => s.value ?? s.reason.message), most, performance.now() - start >= 5);
setTimeout(() => queue.push(() => Promise.resolve("x")), 1);
await once(queue, "idle");
console.log("idle");
const timer = setInterval(() => console.log("tick"), 2);
await sleep(3);
clearInterval(timer);
