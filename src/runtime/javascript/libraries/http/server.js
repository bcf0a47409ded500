/** Servers of `http`, for the clients of the same program. */
import events from "../events.js";
import { coded, notHere } from "../errors.js";
import { bindAddress, freePort, listenAs, placeOf } from "../net/ports.js";
import { outside, Socket } from "../net/socket.js";
import { platform } from "../runtime.js";
import { Connection, headersSent, IncomingMessage, OutgoingMessage } from "./messages.js";
import { adopting } from "./callable.js";
import { STATUS_CODES } from "./status_codes.js";
import { serve } from "./wire.js";

export class ServerResponse extends OutgoingMessage {
  statusCode = 200;
  statusMessage = undefined;
  #begun = false;
  constructor(request) {
    super();
    this.req = request;
    this.shouldKeepAlive = true;
    this._hasBody = request?.method !== "HEAD";
  }
  _implicitHeader() {
    this.writeHead(this.statusCode);
  }
  writeHead(status, reason, headers) {
    if (this.headersSent) throw headersSent("write");
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw coded(RangeError, "ERR_HTTP_INVALID_STATUS_CODE", `Invalid status code: ${status}`);
    }
    const given = typeof reason === "string" ? headers : reason;
    this.statusCode = status;
    this.statusMessage = typeof reason === "string"
      ? reason
      : this.statusMessage ?? STATUS_CODES[status] ?? "unknown";
    this.#take(given);
    if (status === 204 || status === 304) this._hasBody = false;
    this.frame(undefined);
    if (this.sendDate && !this.hasHeader("date")) this.setHeader("Date", new Date().toUTCString());
    if (!this.hasHeader("connection")) {
      this.setHeader("Connection", "keep-alive").setHeader("Keep-Alive", "timeout=5");
    }
    this.headersSent = true;
    return this;
  }
  frameEnd(length) {
    if (this.statusCode !== 204 && this.statusCode !== 304) this.frame(length);
  }
  #take(given) {
    if (Array.isArray(given) && !Array.isArray(given[0])) {
      for (let at = 0; at < given.length; at += 2) this.appendHeader(given[at], given[at + 1]);
      return;
    }
    const pairs = Array.isArray(given) || given instanceof Map ? given : Object.entries(given ?? {});
    for (const [name, value] of pairs) this.setHeader(name, value);
  }
  sendHeaders() {
    if (this.#begun) return;
    this.#begun = true;
    this.respond?.(this);
  }
  writeContinue(callback) {
    callback?.();
  }
  writeProcessing() {}
  writeEarlyHints(_hints, callback) {
    callback?.();
  }
  assignSocket(socket) {
    this.socket = this.connection = socket;
  }
  detachSocket() {
    this.socket = this.connection = null;
  }
}

export class Server extends adopting(events) {
  listening = false;
  #address = null;
  #open = new Set();
  #closing = false;
  constructor(options, listener) {
    super();
    const handler = typeof options === "function" ? options : listener;
    if (handler) this.on("request", handler);
  }
  listen(...given) {
    const { callback, path, ...place } = placeOf(given);
    if (path !== undefined) {
      throw notHere("a server at a path", "sockets have no names in the file system", "Listen at a port");
    }
    return listenAs(this, callback, () => {
      this.#address = bindAddress(this, place);
      this.#closing = false;
    });
  }
  address() {
    return this.#address && { ...this.#address };
  }
  close(callback) {
    if (callback) {
      if (this.listening) this.once("close", () => callback());
      else {platform.process.nextTick(
          callback,
          coded(Error, "ERR_SERVER_NOT_RUNNING", "Server is not running."),
        );}
    }
    if (!this.listening) return this;
    freePort(this, this.#address.port);
    this.listening = false;
    this.#closing = true;
    this.#settle();
    return this;
  }
  #settle() {
    if (!this.#closing || this.#open.size > 0) return;
    this.#closing = false;
    this.#address = null;
    platform.setImmediate(() => this.emit("close"));
  }
  closeAllConnections() {
    for (const response of this.#open) response.destroy();
  }
  closeIdleConnections() {}
  getConnections(callback) {
    platform.process.nextTick(callback, null, this.#open.size);
  }
  setTimeout() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  [Symbol.asyncDispose]() {
    return new Promise((resolve) => this.close(resolve));
  }
  /** Another process connects. */
  acceptOutside(id) {
    serve(this, outside(id, new Socket(), undefined));
  }
  /** A request asks for another protocol, whose connection this is from now on. @param head What has come of it. */
  upgrade({ method, path, headers }, socket, head) {
    const request = new IncomingMessage(socket);
    Object.assign(request, { method, url: path, complete: true });
    request.receiveHeaders(headers);
    request.push(null);
    this.emit("upgrade", request, socket, head);
  }
  /** A request arrives: its body is what `receiver` of the client is made to be. */
  receive({ method, path, headers, port, respond }) {
    const socket = new Connection(port, this.#address?.port);
    const request = new IncomingMessage(socket);
    Object.assign(request, { method, url: path });
    request.receiveHeaders(headers);
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.respond = respond;
    this.#open.add(response);
    const over = () => {
      if (!this.#open.delete(response)) return;
      socket.destroy();
      this.#settle();
    };
    socket.once("close", () => response.destroy());
    response.once("close", over);
    response.once("finish", () => platform.setImmediate(over));
    platform.setImmediate(() => {
      this.emit("connection", socket);
      if (this.listenerCount("request") === 0) return;
      this.emit("request", request, response);
    });
    return { request, response };
  }
}

/** What nothing here goes by, and what is shown of a server need not have. */
Object.assign(Server.prototype, {
  timeout: 0,
  keepAliveTimeout: 5000,
  headersTimeout: 60_000,
  requestTimeout: 300_000,
  maxHeadersCount: null,
  maxRequestsPerSocket: 0,
});

export const createServer = (options, listener) => new Server(options, listener);
