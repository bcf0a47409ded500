/** Modules for what is not here: they can be loaded, and say why and what to do instead when they are used. */
import events from "./events.js";
import stream from "./stream.js";
import dns from "./dns.js";
import { NO_NETWORK, notHere, refusing } from "./errors.js";
import { Agent as HttpAgent } from "./http/client.js";

const FETCH = "";

const absent = {
  https: ["createServer get request", NO_NETWORK],
  http2: ["connect createServer createSecureServer", NO_NETWORK],
  tls: ["connect createServer createSecureContext", NO_NETWORK],
  dgram: ["createSocket", NO_NETWORK],
  domain: [
    "create createDomain",
    "it was given up by Node",
    "AsyncLocalStorage keeps what belongs together, and process.on('uncaughtException') takes errors",
  ],
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
Object.assign(modules.https, {
  Agent: class Agent extends HttpAgent {},
  globalAgent: new HttpAgent(),
  Server: absentClass("Server", "https", NO_NETWORK),
});
modules.http2.constants = {};
modules.tls.TLSSocket = absentClass("TLSSocket", "tls", NO_NETWORK, stream.Duplex);
modules.tls.Server = absentClass("Server", "tls", NO_NETWORK);
modules.tls.rootCertificates = [];
modules.dns = dns;
modules["dns/promises"] = dns.promises;
modules.cluster = Object.assign(new events(), modules.cluster, {
  isPrimary: true,
  isMaster: true,
  isWorker: false,
  workers: {},
});
modules["inspector/promises"] = modules.inspector;

export default modules;
