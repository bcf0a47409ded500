/**
 * MessageChannel. Both ends of a channel are in one program, until one of them goes to another thread: then the host takes
 * what is posted to where the other end is (`src/runtime/javascript/mailboxes.ts`).
 */
import { globals as targets, handler } from "../event_target.js";
import { hooks, host, platform } from "../runtime.js";
import { isShared } from "../serializer/format.js";
import { Reader } from "../serializer/reader.js";
import { cannotClone, Writer } from "../serializer/writer.js";
import { sharedBy, shareOut } from "../shared_memory.js";
import { MessageEvent } from "./event.js";

const { Event, EventTarget } = targets;

const bytesOf = (bytes) => hooks.bufferOf(bytes);

/** What is handed over, as `postMessage` takes it. */
const transferOf = (options) => (Array.isArray(options) ? options : options?.transfer) ?? [];

/**
 * A value for another thread, and the numbers of the ports that go with it.
 *
 * @param keep A port that must not go: what is posted goes by it.
 */
export function packed(value, options, keep) {
  const transfer = [...transferOf(options)];
  const ports = [];
  const writer = new Writer((each, out) => {
    if (each instanceof MessagePort) {
      if (!transfer.includes(each)) {
        throw new platform.DOMException(
          "Object that needs transfer was found in message but not listed in transferList",
          "DataCloneError",
        );
      }
      if (each === keep) throw cannotClone("MessagePort");
      out.tag("\\");
      out.tag("p");
      out.uint(exportPort(each));
      ports.push(each);
      return true;
    }
    if (isShared(each)) {
      out.tag("\\");
      out.tag("u");
      out.uint(shareOut(each));
      out.uint(each.byteLength);
      return true;
    }
    return false;
  });
  writer.value(value);
  for (const each of transfer) if (each instanceof ArrayBuffer) each.transfer();
  return { bytes: bytesOf(writer.bytes), ports };
}

/** As {@link packed}, of what goes now: its ports are here no more. `moved`: their numbers, as JSON. */
export function sendable(value, options, keep) {
  const { bytes, ports } = packed(value, options, keep);
  const moved = JSON.stringify(ports.map(numberOf));
  for (const port of ports) leave(port);
  return { bytes, moved };
}

/** @returns The value, and the ports that came with it. */
export function unpacked(data) {
  const ports = [];
  const reader = new Reader(new Uint8Array(data), (from) => {
    const [kind] = from.raw(1);
    const id = from.uint();
    if (kind !== "p".charCodeAt(0)) return sharedBy(id, from.uint());
    const port = importPort(id);
    ports.push(port);
    return port;
  });
  return { value: reader.value(), ports };
}

/** Ports whose other ends may be elsewhere, by the host's numbers. */
const remote = new Map();
/** What has come for ports that are still to come themselves. */
const early = new Map();
/** What the program waits for: ports and channels that listen, and threads that run. */
export const waits = { listening: 0, threads: 0 };

let exportPort;
/** @returns The end of a channel that has come from elsewhere, by its number. */
export let importPort;
let leave;
let cut;
let numberOf;
/** Something has come for a port, which may be still to come itself. @param now Whether it is delivered at once. */
export let arrived;
/** Whether nothing has come for a port whose other end may be elsewhere. */
export let isEmpty;
/** @returns `{ message }`; undefined if nothing has come. */
export let take;
const MADE = Symbol("made");

export class MessagePort extends EventTarget {
  /** The other end, where it is here. */
  #other;
  /** The host's number, where it may be elsewhere. */
  #id;
  #queue = [];
  #started = false;
  #closed = false;
  #isRef = false;
  #listeners = [];
  static {
    exportPort = (port) => port.#export();
    importPort = (id) => {
      const port = new MessagePort(MADE);
      port.#attach(id);
      for (const entry of early.get(id) ?? []) port.#arrive(entry);
      early.delete(id);
      return port;
    };
    leave = (port) => port.#leave();
    cut = (port) => {
      port.#closed = true;
      port.#count();
    };
    numberOf = (port) => port.#id;
    arrived = (id, entry, now) => {
      const port = remote.get(id);
      if (port) return port.#arrive(entry, now);
      if (!early.has(id)) early.set(id, []);
      early.get(id).push(entry);
    };
    isEmpty = (port) => port.#id !== undefined && port.#queue.length === 0;
    take = (port) => {
      const at = port.#queue.findIndex((each) => !each.closed);
      return at < 0 ? undefined : { message: entryValue(port.#queue.splice(at, 1)[0]).value };
    };
  }
  constructor(made) {
    if (made !== MADE) throw new TypeError("Illegal constructor");
    super();
  }
  static connect(a, b) {
    a.#other = b;
    b.#other = a;
  }
  #attach(id) {
    this.#id = id;
    this.#other = undefined;
    remote.set(id, this);
    this.#count();
  }
  /** Makes this one ready to go: from now on what its other end posts goes by the host. */
  #export() {
    if (this.#closed) throw cannotClone("MessagePort");
    if (this.#id === undefined) {
      const id = host.newChannel();
      const other = this.#other;
      if (other) other.#attach(id + 1);
      this.#attach(id);
      if (!other || other.#closed) host.closePort(id + 1);
    }
    return this.#id;
  }
  /** It has gone, with what had come for it. */
  #leave() {
    const [id, queue] = [this.#id, this.#queue];
    this.#queue = [];
    this.#closed = true;
    remote.delete(id);
    this.#count();
    this.#id = undefined;
    for (const entry of queue) {
      if (entry.closed) continue;
      const { bytes, moved } = entry.bytes ? entry : sendable(entry.value, entry.ports);
      host.forward(id, bytes, moved);
    }
  }
  postMessage(value, options) {
    if (arguments.length === 0) throw new TypeError('The "value" argument must be specified');
    // The number of one that is closed may be another's in a later call.
    if (this.#id !== undefined && !this.#closed) {
      const { bytes, moved } = sendable(value, options, this);
      host.post(this.#id, bytes, moved);
      return;
    }
    const other = this.#other;
    const ports = transferOf(options).filter((each) => each instanceof MessagePort);
    const copy = ports.length > 0
      ? localCopy(value, options, ports)
      : structuredClone(value, { transfer: transferOf(options) });
    if (this.#closed || !other || other.#closed) return;
    other.#arrive({ value: copy, ports });
  }
  #arrive(entry, now = false) {
    if (this.#closed) return;
    this.#queue.push(entry);
    if (!this.#started) return;
    if (now) this.#deliver();
    else setImmediate(() => this.#deliver());
  }
  #deliver() {
    if (this.#queue.length === 0 || this.#closed) return;
    const entry = this.#queue.shift();
    if (entry.closed) return this.#end();
    let got;
    try {
      got = entryValue(entry);
    } catch (error) {
      this.dispatchEvent(new MessageEvent("messageerror", { data: error }));
      return;
    }
    this.dispatchEvent(new MessageEvent("message", { data: got.value, ports: got.ports }));
  }
  start() {
    if (this.#started) return;
    this.#started = true;
    for (const _each of this.#queue) setImmediate(() => this.#deliver());
  }
  close(callback) {
    if (typeof callback === "function") this.once("close", callback);
    if (this.#closed) return;
    const other = this.#other;
    if (this.#id !== undefined) host.closePort(this.#id);
    setImmediate(() => this.#end());
    if (other && !other.#closed) setImmediate(() => other.#end());
  }
  #end() {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#id !== undefined) remote.delete(this.#id);
    this.#count();
    this.dispatchEvent(new Event("close"));
  }
  /** The program waits for what comes to it from elsewhere as long as it listens. */
  #count(isRef = this.#isRef) {
    const before = this.#counted;
    this.#isRef = isRef;
    this.#counted = this.#id !== undefined && !this.#closed && isRef;
    waits.listening += Number(this.#counted) - Number(before);
  }
  #counted = false;
  addEventListener(type, ...rest) {
    super.addEventListener(type, ...rest);
    if (type === "message") {
      this.#count(true);
      this.start();
    }
  }
  removeEventListener(type, listener, options) {
    super.removeEventListener(type, listener, options);
    if (type === "message" && hooks.listenersOf(this, "message").length === 0) this.#count(false);
  }
  #listen(type, listener, once) {
    const wrapped = (event) => {
      if (once) this.#unlisten(type, listener);
      listener.call(this, type === "message" || type === "messageerror" ? event.data : event);
    };
    this.#listeners.push({ type, listener, wrapped });
    this.addEventListener(type, wrapped);
    return this;
  }
  #unlisten(type, listener) {
    const at = this.#listeners.findLastIndex((each) => each.type === type && each.listener === listener);
    if (at < 0) return this;
    const [{ wrapped }] = this.#listeners.splice(at, 1);
    this.removeEventListener(type, wrapped);
    return this;
  }
  on(type, listener) {
    return this.#listen(type, listener, false);
  }
  once(type, listener) {
    return this.#listen(type, listener, true);
  }
  off(type, listener) {
    return this.#unlisten(type, listener);
  }
  emit(type, ...args) {
    const listeners = this.#listeners.filter((each) => each.type === type);
    for (const { listener } of listeners) listener.apply(this, args);
    return listeners.length > 0;
  }
  removeAllListeners(type) {
    for (const each of [...this.#listeners]) {
      if (type === undefined || each.type === type) this.#unlisten(each.type, each.listener);
    }
    return this;
  }
  listenerCount(type) {
    return hooks.listenersOf(this, type).length;
  }
  ref() {
    this.#count(true);
  }
  unref() {
    this.#count(false);
  }
  hasRef() {
    return this.#isRef;
  }
}
Object.assign(MessagePort.prototype, {
  addListener: MessagePort.prototype.on,
  removeListener: MessagePort.prototype.off,
});
const { connect } = MessagePort;
delete MessagePort.connect;
handler(MessagePort.prototype, "message");
handler(MessagePort.prototype, "messageerror");

/** Within one program: what is handed over stays what it is. */
function localCopy(value, options, ports) {
  const places = [];
  const writer = new Writer((each, out) => {
    if (!ports.includes(each) && !isShared(each)) return false;
    out.tag("\\");
    out.uint(places.push(each) - 1);
    return true;
  });
  writer.value(value);
  for (const each of transferOf(options)) if (each instanceof ArrayBuffer) each.transfer();
  return new Reader(writer.bytes, (from) => places[from.uint()]).value();
}

function entryValue(entry) {
  if (!entry.bytes) return entry;
  const { value, ports } = unpacked(entry.bytes);
  return { value, ports };
}

export class MessageChannel {
  constructor() {
    this.port1 = new MessagePort(MADE);
    this.port2 = new MessagePort(MADE);
    connect(this.port1, this.port2);
  }
}

/** What threads of a call had for each other ends with it. */
export function endPorts() {
  for (const port of remote.values()) cut(port);
  for (const each of [remote, early]) each.clear();
}
