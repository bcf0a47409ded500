/** Clients of `http`: they reach the servers of the same program, and nothing else. */
import events from "../events.js";
import buffer from "../buffer.js";
import { abortError, coded, NO_NETWORK, notHere } from "../errors.js";
import { connect } from "../net/outside.js";
import { isLocal, refused, serverAt } from "../net/ports.js";
import { couple, outside, Socket } from "../net/socket.js";
import { platform } from "../runtime.js";
import { adopting } from "./callable.js";
import { Connection, IncomingMessage, OutgoingMessage } from "./messages.js";
import { ask, serve } from "./wire.js";

const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
/** As long as a timer can wait. */
const LONGEST = 2 ** 31 - 1;
let lastPort = 40_000;

export class Agent extends adopting(events) {
  constructor(options) {
    super();
    this.options = { ...options };
    this.keepAlive = Boolean(options?.keepAlive);
    this.maxSockets = options?.maxSockets ?? Infinity;
    this.maxFreeSockets = options?.maxFreeSockets ?? 256;
    this.maxTotalSockets = options?.maxTotalSockets ?? Infinity;
    this.defaultPort = 80;
    this.protocol = "http:";
    this.sockets = {};
    this.freeSockets = {};
    this.requests = {};
  }
  getName({ host = "localhost", port = "", localAddress = "" } = {}) {
    return `${host}:${port}:${localAddress}`;
  }
  destroy() {}
}
export const globalAgent = new Agent({ keepAlive: true });

/** What `request` is given: `(url, options, callback)`, of which one may be left out. */
function requestOptions(given) {
  const [first, ...rest] = given;
  const callback = rest.findLast((each) => typeof each === "function");
  const more = rest.find((each) => each !== null && typeof each === "object");
  if (typeof first !== "string" && !(first instanceof URL)) return { ...first, callback };
  const { protocol, hostname, port, pathname, search, username, password } = new URL(first);
  const auth = username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : undefined;
  return { protocol, hostname, port, path: `${pathname}${search}`, auth, ...more, callback };
}

export class ClientRequest extends OutgoingMessage {
  aborted = false;
  reusedSocket = false;
  res = null;
  #sent = false;
  #timer;
  constructor(...given) {
    // That all of a request is written is not its end.
    super({ autoDestroy: false });
    const options = requestOptions(given);
    const { protocol = "http:", method = "GET", path = "/", headers, auth, callback, signal, timeout } =
      options;
    this.host = `${options.hostname ?? options.host ?? "localhost"}`;
    this.port = Number(options.port || options.defaultPort || 80);
    if (protocol !== "http:" || !isLocal(this.host)) {
      throw notHere(`a request to ${protocol}//${this.host}`.slice(0, 200), NO_NETWORK);
    }
    if (/[\0-\x20]/.test(path)) {
      throw coded(TypeError, "ERR_UNESCAPED_CHARACTERS", "Request path contains unescaped characters");
    }
    Object.assign(this, { protocol, method: `${method}`.toUpperCase(), path });
    this.agent = options.agent === undefined ? globalAgent : options.agent || new Agent();
    for (const [name, value] of Array.isArray(headers) ? headers : Object.entries(headers ?? {})) {
      if (value !== undefined) this.setHeader(name, value);
    }
    if (!this.hasHeader("host")) {
      this.setHeader("Host", this.port === 80 ? this.host : `${this.host}:${this.port}`);
    }
    if (auth && !this.hasHeader("authorization")) {
      this.setHeader("Authorization", `Basic ${buffer.Buffer.from(auth).toString("base64")}`);
    }
    if (callback) this.once("response", callback);
    if (timeout) this.setTimeout(timeout);
    if (signal) this.#endBy(signal);
  }
  /** A signal may come by a timer that keeps no program going: who waits for an answer does. */
  #endBy(signal) {
    const abort = () => this.destroy(abortError(signal));
    if (signal.aborted) return platform.process.nextTick(abort);
    signal.addEventListener("abort", abort, { once: true });
    const waiting = platform.setTimeout(() => {}, LONGEST);
    this.once("close", () => {
      platform.clearTimeout(waiting);
      signal.removeEventListener("abort", abort);
    });
  }
  _implicitHeader() {
    if (!this.hasHeader("connection")) {
      this.setHeader("Connection", this.agent.keepAlive ? "keep-alive" : "close");
    }
    this.headersSent = true;
  }
  frameEnd(length) {
    if (length > 0 || !WITHOUT_BODY.has(this.method)) this.frame(length);
  }
  sendHeaders() {
    if (this.#sent || this.destroyed) return;
    this.#sent = true;
    const server = serverAt(this.port);
    const port = ++lastPort;
    if (server?.accept) {
      const why = "it is one of net, and there is no connection underneath http";
      platform.process.nextTick(() => this.destroy(notHere(`a request to the server at ${this.port}`, why)));
      return;
    }
    const id = server ? undefined : connect(this.port);
    if (id !== undefined) return this.#askOver(outside(id, new Socket(), this.port));
    if (!server?.receive) {
      platform.process.nextTick(() => this.destroy(refused(this.host, this.port)));
      return;
    }
    if (this.hasHeader("upgrade")) return this.#askOver(this.#connected(server, port));
    this.socket = this.connection = new Connection(this.port, port);
    platform.process.nextTick(() => this.emit("socket", this.socket));
    const { request, response } = server.receive({
      method: this.method,
      path: this.path,
      headers: this.headerPairs(),
      port,
      respond: (answer) => this.#answered(answer),
    });
    this.receiver = request;
    this.answer = response;
    response.once("close", () => platform.setImmediate(() => this.#hungUp()));
  }
  /** A connection to a server of the same program. */
  #connected(server, port) {
    const [near, far] = [new Socket(), new Socket({ allowHalfOpen: true })];
    const local = {
      localAddress: "127.0.0.1",
      localFamily: "IPv4",
      remoteAddress: "127.0.0.1",
      remoteFamily: "IPv4",
    };
    near.placed({ ...local, localPort: port, remotePort: this.port });
    far.placed({ ...local, localPort: this.port, remotePort: port });
    couple(near, far);
    serve(server, far);
    return near;
  }
  #askOver(socket) {
    this.socket = this.connection = socket;
    this.answer = socket;
    platform.process.nextTick(() => this.emit("socket", socket));
    const own = this.headerPairs();
    // One request goes over each connection.
    const pairs = this.hasHeader("upgrade")
      ? own
      : [...own.filter(([name]) => !/^connection$/i.test(name)), ["Connection", "close"]];
    this.receiver = ask({ method: this.method, path: this.path, pairs }, socket, {
      answered: (answer) => {
        if (answer.statusCode === 101) return this.#received(answer);
        this.#answered(answer);
        return answer.receiver;
      },
      upgraded: (rest) => {
        platform.clearTimeout(this.#timer);
        if (!this.emit("upgrade", this.res, socket, rest)) socket.destroy();
      },
      failed: (error) => this.destroy(error),
      hungUp: () => this.#hungUp(),
    });
    socket.once("close", () => platform.setImmediate(() => this.#hungUp()));
  }
  #received(answer) {
    const received = new IncomingMessage(this.socket);
    received.statusCode = answer.statusCode;
    received.statusMessage = answer.statusMessage;
    received.req = this;
    received.receiveHeaders(answer.headerPairs());
    return this.res = received;
  }
  #answered(answer) {
    platform.clearTimeout(this.#timer);
    const received = answer.receiver = this.#received(answer);
    platform.setImmediate(() => {
      if (this.destroyed && !this.writableFinished) return;
      received.once("end", () => platform.setImmediate(() => this.destroy()));
      if (!this.emit("response", received)) received.resume();
    });
  }
  /** The server ended the connection before it had said all. */
  #hungUp() {
    if (this.res?.complete || this.destroyed) return;
    const error = coded(Error, "ECONNRESET", this.res ? "aborted" : "socket hang up");
    if (this.res) this.res.destroy(error);
    else this.destroy(error);
  }
  _destroy(error, callback) {
    platform.clearTimeout(this.#timer);
    if (!this.res?.complete) {
      const { answer } = this;
      platform.setImmediate(() => answer?.destroy());
      if (this.receiver && !this.receiver.complete) this.receiver.destroy();
    }
    if (error && this.res && !this.res.complete) this.res.destroy(error);
    const lost = error ?? (this.res || this.aborted ? null : coded(Error, "ECONNRESET", "socket hang up"));
    callback(lost);
  }
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    platform.process.nextTick(() => this.emit("abort"));
    this.destroy();
  }
  setTimeout(milliseconds, callback) {
    platform.clearTimeout(this.#timer);
    if (callback) this.once("timeout", callback);
    if (milliseconds > 0) this.#timer = platform.setTimeout(() => this.emit("timeout"), milliseconds);
    return this;
  }
  setNoDelay() {}
  setSocketKeepAlive() {}
}

export const request = (...given) => new ClientRequest(...given);
export function get(...given) {
  const made = new ClientRequest(...given);
  made.end();
  return made;
}
