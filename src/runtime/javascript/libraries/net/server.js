/** A server, whose clients are in the same program. */
import { coded } from "../errors.js";
import events from "../events.js";
import { platform } from "../runtime.js";
import { attach } from "./outside.js";
import { bindAddress, bindName, freePort, listenAs, placeOf } from "./ports.js";
import { couple, Socket } from "./socket.js";

/** Where clients seem to come from. */
const FIRST_CLIENT_PORT = 40_000;
const CLIENT_PORTS = 9_000;
let clients = 0;

export class Server extends events {
  listening = false;
  maxConnections = undefined;
  #address = null;
  #open = new Set();
  #options;
  #isClosing = false;
  constructor(options, listener) {
    super();
    const handler = typeof options === "function" ? options : listener;
    this.#options = typeof options === "function" ? {} : options ?? {};
    if (handler) this.on("connection", handler);
  }
  get connections() {
    return this.#open.size;
  }
  listen(...given) {
    const { callback, path, signal, ...place } = placeOf(given);
    return listenAs(this, callback, () => {
      this.#address = path === undefined ? bindAddress(this, place) : bindName(this, path);
      this.#isClosing = false;
      signal?.addEventListener("abort", () => this.close());
    });
  }
  address() {
    return typeof this.#address === "string" ? this.#address : this.#address && { ...this.#address };
  }
  /** Another process connects. */
  acceptOutside(id) {
    const far = new Socket({ allowHalfOpen: true });
    if (!this.accept(far, this.#address.port)) return far.destroy();
    attach(id, far);
  }
  /** Somebody connects. @returns The server's end; undefined if it takes no more. */
  accept(client, place) {
    const isFull = this.maxConnections !== undefined && this.#open.size >= this.maxConnections;
    const port = FIRST_CLIENT_PORT + clients++ % CLIENT_PORTS;
    const isNamed = typeof place === "string";
    const [own, far] = isNamed ? [{}, {}] : this.#ends(port);
    if (isFull) {
      this.emit("drop", own);
      return undefined;
    }
    const socket = new Socket({ allowHalfOpen: this.#options.allowHalfOpen });
    socket.server = this;
    socket.placed(own);
    client.placed(far);
    couple(client, socket);
    this.#open.add(socket);
    if (this.#options.pauseOnConnect) socket.pause();
    this.emit("connection", socket);
    return socket;
  }
  #ends(port) {
    const { address, port: listened } = this.#address;
    const local = address === "::" ? "::ffff:127.0.0.1" : address === "0.0.0.0" ? "127.0.0.1" : address;
    const family = local.includes(":") ? "IPv6" : "IPv4";
    const plain = local.replace("::ffff:", "");
    const farFamily = plain.includes(":") ? "IPv6" : "IPv4";
    return [
      {
        remoteAddress: local,
        remotePort: port,
        remoteFamily: family,
        localAddress: local,
        localPort: listened,
        localFamily: family,
      },
      {
        remoteAddress: plain,
        remotePort: listened,
        remoteFamily: farFamily,
        localAddress: plain,
        localPort: port,
        localFamily: farFamily,
      },
    ];
  }
  left(socket) {
    if (this.#open.delete(socket)) this.#settle();
  }
  #settle() {
    if (!this.#isClosing || this.#open.size > 0) return;
    this.#isClosing = false;
    platform.process.nextTick(() => this.emit("close"));
  }
  close(callback) {
    const { listening } = this;
    if (callback) {
      if (listening) this.once("close", () => callback());
      else {
        const error = coded(Error, "ERR_SERVER_NOT_RUNNING", "Server is not running.");
        this.once("close", () => callback(error));
      }
    }
    if (listening) freePort(this, this.#address.port ?? this.#address);
    this.listening = false;
    this.#address = null;
    this.#isClosing = true;
    this.#settle();
    return this;
  }
  getConnections(callback) {
    platform.process.nextTick(callback, null, this.#open.size);
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
}
