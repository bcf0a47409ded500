const EventEmitter = require("events");
const { once, on } = EventEmitter;
class Store extends EventEmitter {
  #d = new Map();
  set(k, v) {
    const old = this.#d.get(k);
    this.#d.set(k, v);
    this.emit("change", { k, v, old });
    return this;
  }
}
const s = new Store();
s.on("change", function (c) {
  console.log("1", c, this === s);
});
s.prependListener("change", () => console.log("0"));
s.once("change", () => console.log("once"));
s.set("a", 1).set("a", 2);
console.log(s.listenerCount("change"), s.eventNames(), s.rawListeners("change").length);
console.log(s);
try {
  s.emit("error", "not an error");
} catch (e) {
  console.log(e.message, e.code);
}
try {
  s.emit("error", new TypeError("x"));
} catch (e) {
  console.log(e.name);
}
(async () => {
  setTimeout(() => s.emit("tick", 1), 1);
  console.log(await once(s, "tick"));
  const ac = new AbortController();
  setTimeout(() => {
    s.emit("n", 1);
    s.emit("n", 2);
    ac.abort();
  }, 2);
  try {
    for await (const [n] of on(s, "n", { signal: ac.signal })) console.log("n", n);
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
  for (let i = 0; i < 11; i++) s.on("leak", () => {});
  console.log(EventEmitter.defaultMaxListeners);
  s.removeAllListeners();
  console.log(s.eventNames());
})();
