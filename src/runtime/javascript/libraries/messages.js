/** MessageChannel of the web, within one program. */
import { globals as targets, handler } from "./event_target.js";

const { Event, EventTarget } = targets;

class MessageEvent extends Event {
  #data;
  constructor(type, { data = null, ...options } = {}) {
    super(type, options);
    this.#data = data;
  }
  get data() {
    return this.#data;
  }
  get origin() {
    return "";
  }
  get ports() {
    return [];
  }
}

let connect;
let take;
class MessagePort extends EventTarget {
  #other;
  #queue = [];
  #started = false;
  #closed = false;
  static {
    connect = (a, b) => {
      a.#other = b;
      b.#other = a;
    };
    take = (port) => port.#queue.shift();
  }
  postMessage(value) {
    const copy = structuredClone(value);
    const other = this.#other;
    if (this.#closed || !other || other.#closed) return;
    other.#queue.push({ message: copy });
    if (other.#started) setImmediate(() => other.#deliver());
  }
  #deliver() {
    const next = this.#queue.shift();
    if (next && !this.#closed) this.dispatchEvent(new MessageEvent("message", { data: next.message }));
  }
  start() {
    if (this.#started) return;
    this.#started = true;
    for (const _each of this.#queue) setImmediate(() => this.#deliver());
  }
  close() {
    if (this.#closed) return;
    this.#closed = true;
    const other = this.#other;
    setImmediate(() => this.dispatchEvent(new Event("close")));
    if (other && !other.#closed) other.close();
  }
  addEventListener(type, ...rest) {
    super.addEventListener(type, ...rest);
    if (type === "message") this.start();
  }
  on(type, listener) {
    this.addEventListener(type, (event) => listener(type === "message" ? event.data : event));
    return this;
  }
  once(type, listener) {
    this.addEventListener(type, (event) => listener(type === "message" ? event.data : event), { once: true });
    return this;
  }
  ref() {}
  unref() {}
}
handler(MessagePort.prototype, "message");

class MessageChannel {
  constructor() {
    this.port1 = new MessagePort();
    this.port2 = new MessagePort();
    connect(this.port1, this.port2);
  }
}

export const receiveMessage = (port) => take(port);
export const globals = { MessageChannel, MessagePort, MessageEvent };
