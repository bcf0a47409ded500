/** `url`: the host parses what the web's standard says; what came before it does the package of that name. */
import legacy from "url/url.js";
import punycode from "punycode/punycode.js";
import { checkObject, checkString, coded, invalidArgType } from "./errors.js";
import { resolve } from "./path.js";

function fileURLToPath(given) {
  const url = typeof given === "string" ? new URL(given) : given;
  if (!(url instanceof URL)) throw invalidArgType("path", ["string", "URL"], given);
  if (url.protocol !== "file:") {
    throw coded(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  }
  if (url.hostname !== "") {
    throw coded(
      TypeError,
      "ERR_INVALID_FILE_URL_HOST",
      'File URL host must be "localhost" or empty on linux',
    );
  }
  if (/%2f/i.test(url.pathname)) {
    throw coded(
      TypeError,
      "ERR_INVALID_FILE_URL_PATH",
      "File URL path must not include encoded / characters",
    );
  }
  return decodeURIComponent(url.pathname);
}

const ESCAPES = { "%": "%25", "\\": "%5C", "\n": "%0A", "\r": "%0D", "\t": "%09", "?": "%3F", "#": "%23" };
function pathToFileURL(path) {
  checkString(path, "path");
  const whole = resolve(path) + (path.endsWith("/") && resolve(path) !== "/" ? "/" : "");
  return new URL(`file://${whole.replace(/[%\\\n\r\t?#]/g, (char) => ESCAPES[char])}`);
}

function urlToHttpOptions(url) {
  const { protocol, hostname, hash, search, pathname, href } = url;
  const options = {
    __proto__: null,
    protocol,
    hostname: hostname?.startsWith("[") ? hostname.slice(1, -1) : hostname,
    hash,
    search,
    pathname,
    path: `${pathname || ""}${search || ""}`,
    href,
  };
  if (url.port !== "") options.port = Number(url.port);
  if (url.username || url.password) {
    options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  }
  return options;
}

function format(given, options) {
  if (!(given instanceof URL)) {
    if (typeof given !== "string" && (typeof given !== "object" || given === null)) {
      throw invalidArgType("urlObject", ["Object", "string"], given);
    }
    const { hostname, search } = given;
    const changes = {};
    if (typeof hostname === "string" && /^\[.*\]$/.test(hostname)) changes.hostname = hostname.slice(1, -1);
    if (typeof search === "string") changes.search = search.replaceAll("#", "%23");
    return legacy.format(typeof given === "string" ? given : Object.assign(new legacy.Url(), given, changes));
  }
  if (options !== undefined) checkObject(options, "options");
  const { auth = true, fragment = true, search = true, unicode = false } = options ?? {};
  const url = new URL(given.href);
  if (!fragment) url.hash = "";
  if (!search) url.search = "";
  if (!auth) url.username = url.password = "";
  return unicode ? url.href.replace(url.host, punycode.toUnicode(url.host)) : url.href;
}

export default {
  Url: legacy.Url,
  parse(url, query, slashes) {
    checkString(url, "url");
    const parsed = legacy.parse(url, query, slashes);
    if (query && parsed.search === "") parsed.search = null;
    if (query) parsed.query = Object.assign(Object.create(null), parsed.query);
    return parsed;
  },
  resolve: legacy.resolve,
  resolveObject: legacy.resolveObject,
  format,
  URL: globalThis.URL,
  URLSearchParams: globalThis.URLSearchParams,
  domainToASCII: (domain) => URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : "",
  domainToUnicode: (domain) =>
    URL.canParse(`http://${domain}`) ? punycode.toUnicode(new URL(`http://${domain}`).hostname) : "",
  fileURLToPath,
  pathToFileURL,
  urlToHttpOptions,
};
export { punycode };
