/** `dns`: `localhost` and addresses have an address; what else is asked for fails as without a network. */
import { checkFunction, checkString, coded, NO_NETWORK } from "./errors.js";
import { isIP } from "./ip.js";
import { isLocal } from "./net/ports.js";
import { platform } from "./runtime.js";
import { promisify } from "./util.js";

/** The codes of errors, which are constants of the module too. */
const CODES = Object.fromEntries(
  ("NODATA FORMERR SERVFAIL NOTFOUND NOTIMP REFUSED BADQUERY BADNAME BADFAMILY BADRESP CONNREFUSED TIMEOUT EOF FILE " +
    "NOMEM DESTRUCTION BADSTR BADFLAGS NONAME BADHINTS NOTINITIALIZED LOADIPHLPAPI ADDRGETNETWORKPARAMS CANCELLED")
    .split(" ").map((name) => [name, `E${name}`]),
);
const QUERIES =
  ("resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs " +
    "resolvePtr resolveSoa resolveSrv resolveTxt reverse").split(" ");

function failed(code, syscall, name) {
  return coded(Error, code, `${syscall} ${code} ${name}: ${NO_NETWORK}`, { syscall, hostname: name });
}

/** @throws {Error} ENOTFOUND */
function addresses(hostname, { family = 0 }) {
  const wanted = Number(`${family}`.replace(/^IPv/, ""));
  const own = isIP(hostname);
  if (own) return [{ address: hostname, family: own }];
  if (hostname && !isLocal(hostname)) throw failed("ENOTFOUND", "getaddrinfo", hostname);
  return wanted === 6 ? [{ address: "::1", family: 6 }] : [{ address: "127.0.0.1", family: 4 }];
}

const lookup = (hostname, given = {}) =>
  new Promise((resolve) => {
    if (hostname) checkString(hostname, "hostname");
    const options = typeof given === "object" && given !== null ? given : { family: given };
    const found = addresses(hostname, options);
    resolve(options.all ? found : found[0]);
  });

function byCallback(hostname, options, callback = options) {
  checkFunction(callback);
  if (hostname) checkString(hostname, "hostname");
  lookup(hostname, options === callback ? undefined : options).then(
    (found) =>
      platform.process.nextTick(() =>
        Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)
      ),
    (error) => platform.process.nextTick(callback, error),
  );
  return {};
}
const queries = (made) => Object.fromEntries(QUERIES.map((name) => [name, made(name)]));
const refused = (name, asked) => {
  checkString(asked, "name");
  return failed("ECONNREFUSED", `query${name.replace(/^resolve/, "") || "A"}`, asked);
};
const promised = queries((name) => (asked) => new Promise((_, reject) => reject(refused(name, asked))));
const called = queries((name) => (asked, ...rest) => {
  const callback = rest.at(-1);
  checkFunction(callback);
  platform.process.nextTick(callback, refused(name, asked));
  return {};
});

Object.defineProperty(byCallback, promisify.custom, { value: lookup });

const settings = {
  getServers: () => [],
  setServers() {},
};
const orders = { getDefaultResultOrder: () => "verbatim", setDefaultResultOrder() {} };

/** A class whose objects ask servers of their own. */
function resolverOf(methods) {
  class Resolver {
    cancel() {}
    setLocalAddress() {}
  }
  Object.assign(Resolver.prototype, methods, settings);
  return Resolver;
}

const promises = {
  ...CODES,
  ...promised,
  ...settings,
  ...orders,
  lookup,
  lookupService: (address) => Promise.reject(failed("ENOTFOUND", "getnameinfo", `${address}`)),
  Resolver: resolverOf(promised),
};

export default {
  ...CODES,
  ...called,
  ...settings,
  ...orders,
  ADDRCONFIG: 32,
  V4MAPPED: 8,
  ALL: 16,
  lookup: Object.defineProperty(byCallback, "name", { value: "lookup" }),
  lookupService(address, _port, callback) {
    checkFunction(callback);
    platform.process.nextTick(callback, failed("ENOTFOUND", "getnameinfo", `${address}`));
    return {};
  },
  Resolver: resolverOf(called),
  promises,
};
