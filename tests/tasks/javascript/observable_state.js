const { AsyncLocalStorage } = require("node:async_hooks");
const { EventEmitter } = require("node:events");
const context = new AsyncLocalStorage();
const bus = new EventEmitter({ captureRejections: false });
function state(initial) {
  return new Proxy(initial, {
    set(target, key, value) {
      const before = target[key];
      target[key] = value;
      bus.emit("change", { key, before, value, user: context.getStore()?.user ?? "nobody" });
      return true;
    },
  });
}
const s = state({ count: 0 });
bus.on("change", (change) => console.log(change));
s.count++;
context.run({ user: "ada" }, () => {
  s.count = 10;
});
(async () => {
  await context.run({ user: "grace" }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    s.name = "later";
  });
  s.count = -1;
})();
