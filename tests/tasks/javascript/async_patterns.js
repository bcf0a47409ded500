const { promisify } = require("util");
const { setTimeout: sleep } = require("timers/promises");
const fs = require("fs");

const log = [];
async function worker(id, queue) {
  while (queue.length) {
    const job = queue.shift();
    await sleep(job.ms);
    log.push(`${id}:${job.name}`);
  }
}

async function retry(fn, times) {
  for (let attempt = 1;; attempt++) {
    try {
      return await fn(attempt);
    } catch (error) {
      if (attempt === times) throw new Error("gave up", { cause: error });
    }
  }
}

(async () => {
  const queue = [1, 2, 3, 4, 5].map((n) => ({ name: `job${n}`, ms: 2 }));
  await Promise.all([worker("a", queue), worker("b", queue)]);
  console.log(log.length, log[0], log[1]);
  console.log(await retry((n) => (n < 3 ? Promise.reject(new Error("no")) : "ok " + n), 5));
  await retry(() => Promise.reject(new Error("always")), 2).catch((e) =>
    console.log(e.message, e.cause.message)
  );
  const results = await Promise.allSettled([sleep(1, "x"), Promise.reject(new TypeError("bad"))]);
  console.log(results.map((r) => r.status), results[1].reason.message);
  const read = promisify(fs.readFile);
  await read("missing.txt").catch((e) => console.log(e.code, e.syscall, e.message));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1);
  await sleep(1000, null, { signal: controller.signal }).catch((e) => console.log(e.name, e.code));
  console.log(
    await Promise.race([sleep(50, "slow"), sleep(1, "fast")]),
    await Promise.any([Promise.reject(1), sleep(1, "any")]),
  );
  async function* numbers() {
    for (let i = 0; i < 3; i++) {
      await sleep(1);
      yield i;
    }
  }
  for await (const n of numbers()) console.log(n);
})();
