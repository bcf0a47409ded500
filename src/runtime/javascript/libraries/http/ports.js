/** What listens in this program: a server and its clients are in one heap, and nothing of it leaves that. */
import { coded } from "../errors.js";

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
}

export const serverAt = (port) => listening.get(Number(port))?.server;

/** @returns The port. */
export function bindPort(server, wanted, address) {
  let port = wanted;
  if (port === 0) {
    while (listening.has(nextFree)) nextFree++;
    port = nextFree++;
  }
  const other = listening.get(port);
  if (other && other.program === program) throw addressInUse(address, port);
  listening.set(port, { server, program });
  return port;
}

export function freePort(server, port) {
  if (listening.get(port)?.server === server) listening.delete(port);
}

function systemError(syscall, code, errno, address, port) {
  const where = `${address}:${port}`;
  const said = syscall === "listen" ? `: address already in use ${where}` : ` ${where}`;
  const error = new Error(`${syscall} ${code}${said}`);
  return Object.assign(error, { errno, code, syscall, address, port });
}

const addressInUse = (address, port) => systemError("listen", "EADDRINUSE", -98, address, port);

export const refused = (host, port) =>
  systemError("connect", "ECONNREFUSED", -111, /[a-z]/i.test(host) ? "127.0.0.1" : host, Number(port));

export function checkedPort(port) {
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535 && `${port}`.trim() !== "") return number;
  const shown = typeof port === "string" ? `type string ('${port}')` : `type ${typeof port} (${port})`;
  throw coded(
    RangeError,
    "ERR_SOCKET_BAD_PORT",
    `options.port should be >= 0 and < 65536. Received ${shown}.`,
  );
}
