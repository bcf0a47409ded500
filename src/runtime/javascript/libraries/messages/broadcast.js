/** BroadcastChannel: what one posts comes to all others of its name, in all threads. */
import { globals as targets, handler } from "../event_target.js";
import { host, platform } from "../runtime.js";
import { MessageEvent } from "./event.js";
import { packed, unpacked, waits } from "./ports.js";

/** Those of this thread, and of all threads by their names. */
const broadcasts = new Set();
export class BroadcastChannel extends targets.EventTarget {
  #closed = false;
  #isRef = false;
  constructor(name) {
    if (arguments.length === 0) throw new TypeError('The "name" argument must be specified');
    super();
    Object.defineProperty(this, "name", { value: `${name}`, enumerable: true });
    broadcasts.add(this);
    this.ref();
  }
  postMessage(value) {
    if (this.#closed) throw new platform.DOMException("BroadcastChannel is closed.", "InvalidStateError");
    const { bytes } = packed(value);
    host.broadcast(this.name, bytes);
    for (const each of broadcasts) {
      if (each !== this && each.name === this.name) setImmediate(() => each.receive(bytes));
    }
  }
  receive(bytes) {
    if (!this.#closed) this.dispatchEvent(new MessageEvent("message", { data: unpacked(bytes).value }));
  }
  close() {
    this.unref();
    this.#closed = true;
    broadcasts.delete(this);
  }
  ref() {
    if (!this.#isRef && !this.#closed) waits.listening++;
    this.#isRef = true;
    return this;
  }
  unref() {
    if (this.#isRef && !this.#closed) waits.listening--;
    this.#isRef = false;
    return this;
  }
}
Object.defineProperty(BroadcastChannel.prototype, "receive", { enumerable: false });
handler(BroadcastChannel.prototype, "message");
handler(BroadcastChannel.prototype, "messageerror");

/** @param data Of what another thread has posted. */
export function broadcasted(name, data) {
  for (const each of broadcasts) if (each.name === name) each.receive(data);
}
