/** One end of a connection: what it writes is what the other one reads. */
import buffer from "../buffer.js";
import { checkString, coded, invalidArgType, NO_NETWORK, notHere, outOfRange } from "../errors.js";
import { platform } from "../runtime.js";
import stream from "../stream.js";
import { attach, connect, freePort } from "./outside.js";
import { checkedPort, isLocal, placeOf, refused, serverAt } from "./ports.js";

const { Buffer } = buffer;
/** Most that a reader gets at once. */
const PIECE = 64 * 1024;

const failure = (syscall, code, errno) =>
  Object.assign(new Error(`${syscall} ${code}`), { errno, code, syscall });
const brokenPipe = () => failure("write", "EPIPE", -32);
const reset = () => failure("read", "ECONNRESET", -104);

/** Makes two sockets the ends of one connection. */
export let couple;

export class Socket extends stream.Duplex {
  #peer = null;
  #connecting = false;
  #pending = [];
  #isDue = false;
  #written;
  #timer;
  bytesRead = 0;
  bytesWritten = 0;
  timeout = 0;
  server = null;
  remoteAddress = undefined;
  remotePort = undefined;
  remoteFamily = undefined;
  localAddress = undefined;
  localPort = undefined;
  localFamily = undefined;
  static {
    couple = (client, server) => {
      client.#peer = server;
      server.#peer = client;
    };
  }
  constructor(options = {}) {
    super({
      allowHalfOpen: Boolean(options?.allowHalfOpen),
      highWaterMark: options?.highWaterMark ?? PIECE,
      emitClose: false,
      autoDestroy: true,
    });
    this.on("end", () => {
      if (!this.allowHalfOpen && !this.writableEnded) this.end();
    });
    if (options?.signal) stream.addAbortSignal(options.signal, this);
  }
  get connecting() {
    return this.#connecting;
  }
  get pending() {
    return !this.#peer || this.#connecting;
  }
  get readyState() {
    if (this.#connecting) return "opening";
    if (this.destroyed || !this.#peer) return "closed";
    if (this.readable && this.writable) return "open";
    return this.readable ? "readOnly" : "writeOnly";
  }
  get bufferSize() {
    return this.writableLength;
  }
  connect(...given) {
    const { port, path, callback, timeout, ...place } = placeOf(Array.isArray(given[0]) ? given[0] : given);
    const host = place.host || "localhost";
    if (path === undefined && port === undefined) {
      throw coded(
        TypeError,
        "ERR_MISSING_ARGS",
        'The "options" or "port" or "path" argument must be specified',
      );
    }
    if (path === undefined) checkString(host, "options.host");
    if (callback) this.once("connect", callback);
    if (timeout) this.setTimeout(timeout);
    this.#connecting = true;
    const at = path === undefined ? checkedPort(port) : `${path}`;
    platform.setImmediate(() => {
      if (!this.destroyed) this.#reach(at, host);
    });
    return this;
  }
  #reach(place, host) {
    const server = serverAt(place);
    if (typeof place === "number" && !isLocal(host)) {
      return this.destroy(notHere(`a connection to ${host}:${place}`.slice(0, 200), NO_NETWORK));
    }
    const id = server || typeof place !== "number" ? undefined : connect(place);
    if (id !== undefined) {
      outside(id, this, place);
      platform.setImmediate(() => this.#reached());
      return;
    }
    if (!server) {
      if (typeof place === "number") return this.destroy(refused(host, place));
      const error = failure("connect", "ENOENT", -2);
      error.message += ` ${place}`;
      return this.destroy(Object.assign(error, { address: place }));
    }
    if (!server.accept) {
      const why = "clients of http and fetch reach it, as there is no connection underneath";
      return this.destroy(notHere(`a connection to the server of http at ${place}`, why));
    }
    const other = server.accept(this, place);
    if (!other) return this.destroy(reset());
    platform.setImmediate(() => this.#reached());
  }
  #reached() {
    if (this.destroyed) return;
    this.#connecting = false;
    this.emit("connect");
    this.emit("ready");
    this.#flush();
    if (this.#ended && !this.#isDue) this.#sendEnd();
  }
  /** Where both ends are. */
  placed(ends) {
    Object.assign(this, ends);
  }
  address() {
    if (this.localPort === undefined) return {};
    return { address: this.localAddress, family: this.localFamily, port: this.localPort };
  }
  _write(chunk, _encoding, callback) {
    this.#touch();
    if (this.pending && !this.#connecting) {
      return callback(coded(Error, "ERR_SOCKET_CLOSED", "Socket is closed"));
    }
    if (this.#peer && !this.#connecting && (this.#peer.destroyed || this.#peer.readableEnded)) {
      return callback(brokenPipe());
    }
    this.#pending.push(chunk);
    this.bytesWritten += chunk.length;
    this.#written = callback;
    this.#flush();
  }
  _writev(chunks, callback) {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "buffer", callback);
  }
  /** What is written in one go comes in one piece. */
  #flush() {
    if (this.#isDue || this.#connecting || !this.#peer) return;
    this.#isDue = true;
    const written = this.#written;
    this.#written = undefined;
    const full = this.#pending.length > 0 && this.#peer.readableLength >= this.readableHighWaterMark;
    if (written && !full) platform.process.nextTick(written);
    platform.setImmediate(() => {
      this.#isDue = false;
      const bytes = Buffer.concat(this.#pending);
      this.#pending = [];
      const peer = this.#peer;
      for (let at = 0; at < bytes.length && !peer.destroyed; at += PIECE) {
        const piece = bytes.subarray(at, at + PIECE);
        peer.bytesRead += piece.length;
        peer.#touch();
        peer.push(piece);
      }
      if (written && full) {
        if (peer.destroyed || peer.readableLength < peer.readableHighWaterMark) written();
        else peer.#whenRead = written;
      }
      if (this.#written) this.#flush();
      else if (this.#ended) this.#sendEnd();
    });
  }
  #ended;
  #whenRead;
  _read() {
    const resume = this.#whenRead;
    this.#whenRead = undefined;
    resume?.();
  }
  _final(callback) {
    this.#ended = callback;
    if (!this.#isDue && !this.#connecting) this.#sendEnd();
  }
  #sendEnd() {
    const callback = this.#ended;
    this.#ended = undefined;
    const peer = this.#peer;
    // It comes after what this end is told of itself, as over a wire.
    if (peer) platform.setImmediate(() => platform.setImmediate(() => peer.#end()));
    callback();
  }
  #hasEnd = false;
  #end() {
    if (this.#hasEnd || this.destroyed) return;
    this.#hasEnd = true;
    this.push(null);
    // As what nobody reads would never come to its end.
    if (this.readableFlowing === null && this.readableLength === 0) this.resume();
  }
  _destroy(error, callback) {
    platform.clearTimeout(this.#timer);
    this.#connecting = false;
    const peer = this.#peer;
    const written = this.#pending;
    this.#pending = [];
    if (peer && !peer.destroyed && (!this.writableFinished || this.#resets)) {
      platform.setImmediate(() => {
        for (const each of written) if (!peer.destroyed) peer.push(each);
        if (this.#resets) peer.destroy(reset());
        else peer.#end();
      });
    }
    this.#whenRead?.();
    callback(error);
    platform.setImmediate(() => {
      this.server?.left(this);
      platform.process.nextTick(() => this.emit("close", Boolean(error)));
    });
  }
  #resets = false;
  resetAndDestroy() {
    this.#resets = true;
    return this.destroy();
  }
  destroySoon() {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }
  setTimeout(ms, callback) {
    if (callback !== undefined && typeof callback !== "function") {
      throw invalidArgType("callback", "Function", callback);
    }
    if (typeof ms !== "number") throw invalidArgType("msecs", "number", ms);
    if (!(ms >= 0 && ms < Infinity)) throw outOfRange("msecs", "a non-negative finite number", ms);
    this.timeout = ms;
    if (callback) {
      if (this.timeout > 0) this.once("timeout", callback);
      else this.removeListener("timeout", callback);
    }
    this.#touch();
    return this;
  }
  /** Something has come or gone: it is not idle. */
  #touch() {
    platform.clearTimeout(this.#timer);
    if (this.timeout > 0 && !this.destroyed) {
      this.#timer = platform.setTimeout(() => this.emit("timeout"), this.timeout);
    }
  }
  setNoDelay() {
    return this;
  }
  setKeepAlive() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

/** Couples a socket with one that stands for its other end in another process. */
export function outside(id, near, port) {
  const far = new Socket({ allowHalfOpen: true });
  const ends = {
    remoteAddress: "127.0.0.1",
    remotePort: port,
    remoteFamily: "IPv4",
    localAddress: "127.0.0.1",
    localFamily: "IPv4",
  };
  near.placed({ ...ends, localPort: freePort() });
  couple(near, far);
  attach(id, far);
  return near;
}
