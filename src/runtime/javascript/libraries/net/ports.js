/** What listens in this program: a server and its clients are in one heap, and nothing of it leaves that. */
import { checkString, coded, invalidArgType, invalidArgValue } from "../errors.js";
import { isOfShell, whenIdle } from "../process.js";
import { platform } from "../runtime.js";
import { closeAll, freePort as portOutside, listen as listenOutside } from "./outside.js";

const FIRST_FREE = 49_152;
const LOCAL = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1?\]?|(?:.*\.)?localhost)$/i;

export const isLocal = (host) => LOCAL.test(`${host}`);

/** Servers by their ports, each with the number of the program that it began to listen in. */
const listening = new Map();
let program = 0;
let nextFree = FIRST_FREE;

/** Later programs may ask the servers of this one, and take their ports. */
export function endServers() {
  program++;
  closeAll();
}

/** What a client connects to. @param place A port, or the name of a socket. */
export function serverAt(place) {
  const found = listening.get(placeKey(place));
  if (found) found.isAsked = true;
  return found?.server;
}
const placeKey = (place) => typeof place === "string" && !/^\d+$/.test(place) ? place : Number(place);

/** What `connect` and `listen` are given: `(port, host, …)`, `(path, …)` or `(options, …)`, and what is called then. */
export function placeOf(given) {
  const callback = given.findLast((each) => typeof each === "function");
  const [first, second] = given;
  if (first !== null && typeof first === "object") return { ...first, callback };
  if (typeof first === "string" && !/^\d+$/.test(first)) return { path: first, callback };
  return {
    port: typeof first === "function" ? undefined : first,
    host: typeof second === "string" ? second : undefined,
    callback,
  };
}

/** `listen` of a server. @param bind Takes the place. */
export function listenAs(server, callback, bind) {
  if (server.listening) {
    throw coded(
      Error,
      "ERR_SERVER_ALREADY_LISTEN",
      "Listen method has been called more than once without closing.",
    );
  }
  if (callback) server.once("listening", callback);
  try {
    bind();
    server.listening = true;
    platform.process.nextTick(() => server.emit("listening"));
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    platform.process.nextTick(() => server.emit("error", error));
  }
  return server;
}

/** Takes a port. @returns What `address` gives then. */
export function bindAddress(server, place) {
  const { port, host } = place;
  if (!("port" in place)) {
    throw invalidArgValue("options", place, 'must have the property "port" or "path"');
  }
  const address = host === undefined ? "::" : host === "localhost" ? "127.0.0.1" : host;
  const bound = bindPort(server, checkedPort(port ?? 0), address);
  return { address, family: address.includes(":") ? "IPv6" : "IPv4", port: bound };
}

/** @returns The port. */
function bindPort(server, wanted, address) {
  let port = wanted;
  if (port === 0) {
    while (listening.has(nextFree)) nextFree++;
    port = portOutside() ?? nextFree++;
  }
  const other = listening.get(port);
  if (other && other.program === program) throw addressInUse(address, port);
  const close = listenOutside(port, (id) => server.acceptOutside(id));
  if (close === "taken") throw addressInUse(address, port);
  const place = { server, program, close, isAsked: false };
  listening.set(port, place);
  if (isOfShell && !close) whenIdle.add(() => tellUnasked(port, place));
  return port;
}

/** A program has nothing more to do. Elsewhere it would go on, for others to connect; here it ends with its server. */
function tellUnasked(port, place) {
  if (place.isAsked || listening.get(port) !== place) return;
  platform.process.stderr.write(
    `node: nobody could connect to the server at port ${port}, which ends with its program: ` +
      "start it in the background (node … &), and this script and later calls reach it\n",
  );
}

/** As {@link bindPort}, of a socket with a name, which no file is. @returns The name. */
export function bindName(server, name) {
  checkString(name, "options.path");
  const other = listening.get(name);
  if (other && other.program === program) {
    throw systemError("listen", "EADDRINUSE", -98, name);
  }
  listening.set(name, { server, program });
  return name;
}

/** @param place A port, or a name. */
export function freePort(server, place) {
  const found = listening.get(place);
  if (found?.server !== server) return;
  listening.delete(place);
  found.close?.();
}

function systemError(syscall, code, errno, address, port) {
  const where = port === undefined ? address : `${address}:${port}`;
  const said = syscall === "listen" ? `: address already in use ${where}` : ` ${where}`;
  const error = new Error(`${syscall} ${code}${said}`);
  return Object.assign(error, { errno, code, syscall, address, port });
}

const addressInUse = (address, port) => systemError("listen", "EADDRINUSE", -98, address, port);

export const refused = (host, port) =>
  systemError("connect", "ECONNREFUSED", -111, /[a-z]/i.test(host) ? "127.0.0.1" : host, Number(port));

export function checkedPort(port) {
  if (!["number", "string"].includes(typeof port)) {
    throw invalidArgType("options.port", ["number", "string"], port);
  }
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535 && `${port}`.trim() !== "") return number;
  const shown = typeof port === "string" ? `type string ('${port}')` : `type ${typeof port} (${port})`;
  throw coded(
    RangeError,
    "ERR_SOCKET_BAD_PORT",
    `options.port should be >= 0 and < 65536. Received ${shown}.`,
  );
}
