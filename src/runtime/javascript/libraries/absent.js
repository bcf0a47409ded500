/** Modules for what is not here: they can be loaded, and say why and what to do instead when they are used. */
import events from "./events.js";
import stream from "./stream.js";
import { NO_NETWORK, notHere, refusing } from "./errors.js";

const FETCH = "";

const absent = {
  http: ["createServer get request", NO_NETWORK],
  https: ["createServer get request", NO_NETWORK],
  http2: ["connect createServer createSecureServer", NO_NETWORK],
  net: ["connect createConnection createServer", NO_NETWORK],
  tls: ["connect createServer createSecureContext", NO_NETWORK],
  dgram: ["createSocket", NO_NETWORK],
  dns: ["lookup resolve resolve4 resolve6 reverse lookupService resolveMx resolveTxt setServers", NO_NETWORK],
  cluster: ["fork setupPrimary", "there is one process"],
  inspector: ["open url waitForDebugger", "there is no debugger"],
  repl: [
    "start",
    "a program has no terminal",
    "Each call of execute_code goes on with the variables of those before",
  ],
  wasi: ["WASI", "there is no WebAssembly inside of JavaScript"],
  trace_events: ["createTracing", "nothing is traced"],
};

function refusals(module) {
  const [names, why, instead = FETCH] = absent[module];
  const members = names.split(" ").map((
    name,
  ) => [name, refusing(name, `${name} of Node's module '${module}'`, why, instead)]);
  return Object.fromEntries(members);
}

/** A class that can be extended and named, but not made. */
const absentClass = (name, module, why, Base = events) =>
  ({
    [name]: class extends Base {
      constructor() {
        super();
        throw notHere(`${name} of Node's module '${module}'`, why);
      }
    },
  })[name];

const modules = Object.fromEntries(Object.keys(absent).map((name) => [name, refusals(name)]));
const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE", "CONNECT"];
const STATUS_CODES = {
  100: "Continue",
  101: "Switching Protocols",
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  418: "I'm a Teapot",
  422: "Unprocessable Entity",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
class Agent extends events {
  constructor(options) {
    super();
    this.options = { ...options };
    this.sockets = {};
    this.requests = {};
    this.maxSockets = Infinity;
  }
  destroy() {}
}
class IncomingMessage extends stream.Readable {
  constructor(socket) {
    super();
    this.socket = socket;
    this.headers = {};
  }
  _read() {}
}
class OutgoingMessage extends stream.Stream {}
for (const name of ["http", "https"]) {
  Object.assign(modules[name], { Agent, globalAgent: new Agent() });
}
Object.assign(modules.http, {
  METHODS,
  STATUS_CODES,
  IncomingMessage,
  OutgoingMessage,
  ServerResponse: class ServerResponse extends OutgoingMessage {},
  ClientRequest: absentClass("ClientRequest", "http", NO_NETWORK),
  Server: absentClass("Server", "http", NO_NETWORK),
  maxHeaderSize: 16384,
  validateHeaderName() {},
  validateHeaderValue() {},
});
modules.https.Server = absentClass("Server", "https", NO_NETWORK);
modules.http2.constants = {};
const dotted = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const isIPv4 = (text) => dotted.test(`${text}`);
function isIPv6(text) {
  const [address, zone] = `${text}`.split("%");
  if (zone === "") return false;
  const halves = address.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => half === "" ? [] : half.split(":"));
  const last = groups.at(-1);
  const count = groups.length + (last?.includes(".") ? 1 : 0);
  if (last?.includes(".") && !isIPv4(last)) return false;
  if (
    !groups.every((group, at) => /^[\da-f]{1,4}$/i.test(group) || at === groups.length - 1 && isIPv4(group))
  ) return false;
  return halves.length === 2 ? count < 8 : count === 8;
}
Object.assign(modules.net, {
  Socket: absentClass("Socket", "net", NO_NETWORK, stream.Duplex),
  Server: absentClass("Server", "net", NO_NETWORK),
  isIP: (text) => isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0,
  isIPv4,
  isIPv6,
});
modules.net.Stream = modules.net.Socket;
modules.tls.TLSSocket = absentClass("TLSSocket", "tls", NO_NETWORK, stream.Duplex);
modules.tls.rootCertificates = [];
modules.dns.promises = { ...modules.dns };
modules["dns/promises"] = modules.dns.promises;
modules.cluster = Object.assign(new events(), modules.cluster, {
  isPrimary: true,
  isMaster: true,
  isWorker: false,
  workers: {},
});
modules["inspector/promises"] = modules.inspector;

export default modules;
