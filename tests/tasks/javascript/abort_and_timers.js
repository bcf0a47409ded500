const { setTimeout: sleep, setInterval: every } = require("timers/promises");
(async () => {
  const ac = new AbortController();
  setTimeout(() => ac.abort(), 5);
  try {
    await sleep(1000, null, { signal: ac.signal });
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
  try {
    await sleep(50, 0, { signal: AbortSignal.timeout(2) });
  } catch (e) {
    console.log(e.name, e.cause?.name);
  }
  console.log(await sleep(1, "v"));
  let n = 0;
  for await (const _ of every(1)) if (++n === 3) break;
  console.log(n);
  const s = AbortSignal.any([AbortSignal.abort("why"), new AbortController().signal]);
  console.log(s.aborted, s.reason, s);
  try {
    s.throwIfAborted();
  } catch (e) {
    console.log(e);
  }
  const r = await Promise.allSettled([Promise.reject(new Error("a")), 1]);
  console.log(r.map((x) => x.status), r[0].reason.message);
  try {
    await Promise.any([Promise.reject(1)]);
  } catch (e) {
    console.log(e.name, e.errors, e.message);
  }
  console.log(await Promise.race([sleep(20, "slow"), sleep(1, "fast")]));
  const t = setTimeout(() => {}, 1e6);
  console.log(typeof t, t.hasRef(), typeof t[Symbol.toPrimitive]());
  t.unref();
  console.log(t.hasRef());
})();
