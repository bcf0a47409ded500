import { EventEmitter, once } from "node:events";

class Store extends EventEmitter {
  #items = new Map();
  add(name, price) {
    if (price < 0) {
      this.emit("error", new RangeError(`bad price for ${name}`));
      return this;
    }
    this.#items.set(name, price);
    this.emit("added", { name, price, total: this.total });
    return this;
  }
  get total() {
    return [...this.#items.values()].reduce((a, b) => a + b, 0);
  }
}

const store = new Store();
store.on("added", ({ name, total }) => console.log("added", name, total));
store.once("added", () => console.log("first one"));
store.on("error", (error) => console.log(error.name, error.message));
store.add("pen", 2).add("book", 10).add("bad", -1);
console.log(store.listenerCount("added"), store.eventNames());
setTimeout(() => store.add("late", 5), 5);
const [event] = await once(store, "added");
console.log(event);
try {
  new EventEmitter().emit("error", new Error("nobody listens"));
} catch (error) {
  console.log(error.message);
}
