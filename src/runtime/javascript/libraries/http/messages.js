/** Requests and responses of `http`, as Node's: what one end writes is what the other one reads. */
import stream from "../stream.js";
import events from "../events.js";
import buffer from "../buffer.js";
import { coded, invalidArgType } from "../errors.js";
import { TOKEN } from "../headers.js";
import { platform } from "../runtime.js";
import { adopting } from "./callable.js";

const { Buffer } = buffer;
/** What may be on its way, as in the buffers of sockets. */
const BUFFERED = 4 << 20;
const PIECE = 64 << 10;
/** Of these only the first is kept; all others but cookies are joined. */
const SINGLE = new Set(
  ("age authorization content-length content-type etag expires from host if-modified-since " +
    "if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server " +
    "user-agent").split(" "),
);

export function validateHeaderName(name) {
  if (typeof name === "string" && TOKEN.test(name)) return;
  throw coded(TypeError, "ERR_INVALID_HTTP_TOKEN", `Header name must be a valid HTTP token ["${name}"]`);
}

export function validateHeaderValue(name, value) {
  if (value === undefined) {
    throw coded(TypeError, "ERR_HTTP_INVALID_HEADER_VALUE", `Invalid value "undefined" for header "${name}"`);
  }
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(`${value}`)) return;
  throw coded(TypeError, "ERR_INVALID_CHAR", `Invalid character in header content ["${name}"]`);
}

/** What stands for a connection: nothing is read from it or written to it. */
class Connection extends events {
  remoteAddress = "127.0.0.1";
  remoteFamily = "IPv4";
  localAddress = "127.0.0.1";
  readable = true;
  writable = true;
  destroyed = false;
  encrypted = false;
  constructor(remotePort, localPort) {
    super();
    this.remotePort = remotePort;
    this.localPort = localPort;
  }
  address() {
    return { address: this.localAddress, family: "IPv4", port: this.localPort };
  }
  destroy(error) {
    if (this.destroyed) return this;
    Object.assign(this, { destroyed: true, readable: false, writable: false });
    platform.setImmediate(() => this.emit("close", Boolean(error)));
    return this;
  }
  end() {
    return this.destroy();
  }
}
for (const name of ["setTimeout", "setNoDelay", "setKeepAlive", "ref", "unref", "cork", "uncork"]) {
  Connection.prototype[name] = function () {
    return this;
  };
}
export { Connection };

export class IncomingMessage extends adopting(stream.Readable) {
  constructor(socket) {
    super({ highWaterMark: BUFFERED });
    this.socket = this.connection = socket ?? null;
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    this.httpVersion = "1.1";
    this.complete = false;
    this.aborted = false;
    this.headers = {};
    this.rawHeaders = [];
    this.trailers = {};
    this.rawTrailers = [];
    this.url = "";
    this.method = null;
    this.statusCode = null;
    this.statusMessage = null;
  }
  get headersDistinct() {
    const distinct = Object.create(null);
    for (let at = 0; at < this.rawHeaders.length; at += 2) {
      (distinct[this.rawHeaders[at].toLowerCase()] ??= []).push(this.rawHeaders[at + 1]);
    }
    return distinct;
  }
  setTimeout() {
    return this;
  }
  _read() {
    const resume = this.whenRead;
    this.whenRead = undefined;
    resume?.();
  }
  _destroy(error, callback) {
    if (!this.readableEnded) this.aborted = !this.complete;
    this.whenRead?.();
    callback(error);
  }
  /** Takes the headers of the other end. */
  receiveHeaders(pairs) {
    for (const [name, value] of pairs) {
      for (const each of [value].flat()) {
        this.rawHeaders.push(name, `${each}`);
        this.#receive(name.toLowerCase(), `${each}`);
      }
    }
  }
  #receive(name, value) {
    const { headers } = this;
    if (name === "set-cookie") (headers[name] ??= []).push(value);
    else if (headers[name] === undefined) headers[name] = value;
    else if (!SINGLE.has(name)) headers[name] += `${name === "cookie" ? "; " : ", "}${value}`;
  }
}

export class OutgoingMessage extends adopting(stream.Writable) {
  #headers = new Map();
  headersSent = false;
  sendDate = true;
  /** Where what is written goes: the other end's IncomingMessage. */
  receiver = null;
  _hasBody = true;
  constructor(options) {
    super(options);
    this.socket = this.connection = null;
  }
  get finished() {
    return this.writableEnded;
  }
  get _header() {
    return this.headersSent ? "sent" : null;
  }
  setHeader(name, value) {
    if (this.headersSent) throw headersSent("set");
    validateHeaderName(name);
    for (const each of [value].flat()) validateHeaderValue(name, each);
    this.#headers.set(name.toLowerCase(), [name, value]);
    return this;
  }
  setHeaders(headers) {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }
  appendHeader(name, value) {
    const before = this.getHeader(name);
    return this.setHeader(name, before === undefined ? value : [before, value].flat());
  }
  getHeader(name) {
    if (typeof name !== "string") throw invalidArgType("name", "string", name);
    return this.#headers.get(name.toLowerCase())?.[1];
  }
  getHeaders() {
    const all = Object.create(null);
    for (const [name, [, value]] of this.#headers) all[name] = value;
    return all;
  }
  getHeaderNames() {
    return [...this.#headers.keys()];
  }
  getRawHeaderNames() {
    return [...this.#headers.values()].map(([name]) => name);
  }
  hasHeader(name) {
    return this.#headers.has(name.toLowerCase());
  }
  removeHeader(name) {
    if (this.headersSent) throw headersSent("remove");
    this.#headers.delete(name.toLowerCase());
  }
  /** Sets one that the connection decides on, even where they are about to be sent. */
  forceHeader(name, value) {
    this.#headers.set(name.toLowerCase(), [name, value]);
  }
  headerPairs() {
    return [...this.#headers.values()];
  }
  addTrailers() {}
  setTimeout() {
    return this;
  }
  flushHeaders() {
    if (!this.headersSent) this._implicitHeader();
    this.sendHeaders();
  }
  /** Headers that say how long the body is, as far as that is known. */
  frame(length) {
    if (this.hasHeader("content-length") || this.hasHeader("transfer-encoding") || !this._hasBody) return;
    if (length === undefined) this.setHeader("Transfer-Encoding", "chunked");
    else this.setHeader("Content-Length", length);
  }
  write(chunk, encoding, callback) {
    if (!this.headersSent && !this.writableEnded) {
      this.frame(undefined);
      this._implicitHeader();
    }
    this.sendHeaders();
    return super.write(chunk, encoding, callback);
  }
  end(chunk, encoding, callback) {
    if (typeof chunk === "function") return this.end(undefined, undefined, chunk);
    if (typeof encoding === "function") return this.end(chunk, undefined, encoding);
    if (this.writableEnded) return super.end(chunk, encoding, callback);
    if (!this.headersSent) {
      this.frameEnd(chunk === undefined || chunk === null ? 0 : Buffer.byteLength(chunk, encoding));
      this._implicitHeader();
    }
    this.sendHeaders();
    super.end(chunk, encoding, callback);
    return this;
  }
  frameEnd(length) {
    this.frame(length);
  }
  _write(chunk, _encoding, callback) {
    const to = this.receiver;
    if (!to || !this._hasBody || to.destroyed) return callback();
    let wantsMore = true;
    for (let at = 0; at < chunk.length; at += PIECE) wantsMore = to.push(chunk.subarray(at, at + PIECE));
    if (wantsMore) return callback();
    to.whenRead = callback;
  }
  _final(callback) {
    if (this.receiver && !this.receiver.destroyed) {
      this.receiver.complete = true;
      this.receiver.push(null);
    }
    callback();
  }
}

export const headersSent = (verb) =>
  coded(Error, "ERR_HTTP_HEADERS_SENT", `Cannot ${verb} headers after they are sent to the client`);
