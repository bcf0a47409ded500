/** Headers, Request, Response and FormData of the web: what they hold, without a network. */
import { Blob, bytesIn, File } from "./blob.js";
import { NO_NETWORK, notHere } from "./errors.js";
import { request as httpRequest } from "./http/client.js";
import { isLocal } from "./http/ports.js";
import { hooks, platform } from "./runtime.js";

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const checkedName = (name) => {
  if (!NAME.test(`${name}`)) throw new TypeError(`Headers.append: "${name}" is an invalid header name.`);
  return `${name}`.toLowerCase();
};
const checkedValue = (value) => {
  const text = `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  // deno-lint-ignore no-control-regex -- it is these that are refused
  if (/[\0\r\n]|[^\x00-\xff]/.test(text)) throw new TypeError(`${text} is not a legal HTTP header value`);
  return text;
};

class Headers {
  #map = new Map();
  constructor(init) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object") throw new TypeError("Headers: expected a sequence or an object");
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const pair of pairs) {
      const [name, value, ...rest] = pair;
      if (value === undefined || rest.length > 0) throw new TypeError("Headers: expected name/value pairs");
      this.append(name, value);
    }
  }
  append(name, value) {
    const key = checkedName(name);
    this.#map.set(key, [...this.#map.get(key) ?? [], checkedValue(value)]);
  }
  delete(name) {
    this.#map.delete(checkedName(name));
  }
  get(name) {
    return this.#map.get(checkedName(name))?.join(", ") ?? null;
  }
  getSetCookie() {
    return [...this.#map.get("set-cookie") ?? []];
  }
  has(name) {
    return this.#map.has(checkedName(name));
  }
  set(name, value) {
    this.#map.set(checkedName(name), [checkedValue(value)]);
  }
  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  *entries() {
    for (const name of [...this.#map.keys()].sort()) {
      const values = this.#map.get(name) ?? [];
      if (name === "set-cookie") { for (const value of values) yield [name, value]; }
      else yield [name, values.join(", ")];
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "Headers";
  }
  [Symbol.for("nodejs.util.inspect.custom")](_depth, _options, inspect) {
    return `Headers ${inspect(Object.fromEntries(this.entries()))}`;
  }
}

class FormData {
  #entries = [];
  #value(value, filename) {
    if (!(value instanceof Blob)) return `${value}`;
    if (value instanceof File && filename === undefined) return value;
    return new File([value], filename ?? (value instanceof File ? value.name : "blob"), { type: value.type });
  }
  append(name, value, filename) {
    this.#entries.push([`${name}`, this.#value(value, filename)]);
  }
  set(name, value, filename) {
    const at = this.#entries.findIndex(([each]) => each === `${name}`);
    const entry = [`${name}`, this.#value(value, filename)];
    if (at < 0) this.#entries.push(entry);
    else {this.#entries = this.#entries.map((each, index) => index === at ? entry : each).filter((
        [each],
        index,
      ) => index <= at || each !== `${name}`
      );}
  }
  delete(name) {
    this.#entries = this.#entries.filter(([each]) => each !== `${name}`);
  }
  get(name) {
    return this.#entries.find(([each]) => each === `${name}`)?.[1] ?? null;
  }
  getAll(name) {
    return this.#entries.filter(([each]) => each === `${name}`).map(([, value]) => value);
  }
  has(name) {
    return this.#entries.some(([each]) => each === `${name}`);
  }
  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#entries) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#entries) yield name;
  }
  *values() {
    for (const [, value] of this.#entries) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "FormData";
  }
}

/** A form as multipart/form-data. */
function multipart(form) {
  const boundary = `----formdata-wasmbox-${
    Array.from(new Uint8Array(crypto.getRandomValues(new Uint8Array(8))), (byte) =>
      byte.toString(16).padStart(2, "0")).join("")
  }`;
  const escape = (text) => text.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
  const parts = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"`;
    if (typeof value === "string") parts.push(`${head}\r\n\r\n${value}\r\n`);
    else {
      parts.push(
        `${head}; filename="${escape(value.name)}"\r\nContent-Type: ${
          value.type || "application/octet-stream"
        }\r\n\r\n`,
        value,
        "\r\n",
      );
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return { blob: new Blob(parts), type: `multipart/form-data; boundary=${boundary}` };
}

/** @returns What a body is: a stream or bytes, and the type that is said of it. */
function bodyOf(init) {
  if (init === undefined || init === null) return { bytes: undefined, type: null };
  if (init instanceof platform.ReadableStream) return { stream: init, type: null };
  if (init instanceof Blob) return { bytes: bytesIn(init), type: init.type || null };
  if (init instanceof FormData) {
    const { blob, type } = multipart(init);
    return { bytes: bytesIn(blob), type };
  }
  if (init instanceof URLSearchParams) {
    return { bytes: hooks.encodeUtf8(`${init}`), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  }
  if (init instanceof ArrayBuffer) return { bytes: new Uint8Array(init.slice(0)), type: null };
  if (ArrayBuffer.isView(init)) {
    return { bytes: new Uint8Array(init.buffer, init.byteOffset, init.byteLength).slice(), type: null };
  }
  return { bytes: hooks.encodeUtf8(`${init}`), type: "text/plain;charset=UTF-8" };
}

class Body {
  #bytes;
  #stream;
  #used = false;
  #type;
  constructor(init) {
    const { bytes, stream, type } = bodyOf(init);
    this.#bytes = bytes;
    this.#stream = stream;
    this.#type = type;
  }
  /** For what is derived: the type that the body says it is. */
  static type(body) {
    return body.#type;
  }
  static halves(body) {
    if (body.bodyUsed) throw new TypeError("Body has already been consumed.");
    if (!body.#stream) return body.#bytes;
    const [one, two] = body.#stream.tee();
    body.#stream = one;
    return two;
  }
  get body() {
    if (!this.#stream && this.#bytes) this.#stream = new Blob([this.#bytes]).stream();
    return this.#stream ?? null;
  }
  get bodyUsed() {
    return this.#used || Boolean(this.#stream?.locked);
  }
  async bytes() {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#bytes !== undefined || this.#stream !== undefined;
    if (!this.#stream) return this.#bytes ?? new Uint8Array(0);
    const parts = [];
    const reader = this.#stream.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      parts.push(value);
    }
    return bytesIn(new Blob(parts));
  }
  async arrayBuffer() {
    const bytes = await this.bytes();
    return bytes.slice().buffer;
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }
  async text() {
    return new TextDecoder().decode(await this.bytes());
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async formData() {
    const type = this.headers.get("content-type") ?? "";
    const form = new FormData();
    if (type.startsWith("application/x-www-form-urlencoded")) {
      for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
      return form;
    }
    const [, boundary] = /boundary="?([^";]+)/.exec(type) ?? [];
    if (boundary === undefined) throw new TypeError("Could not parse content as FormData.");
    const latin1 = platform.Buffer.from(await this.bytes()).toString("latin1");
    for (const part of latin1.split(`--${boundary}`).slice(1, -1)) {
      const at = part.indexOf("\r\n\r\n");
      const head = platform.Buffer.from(part.slice(0, at), "latin1").toString();
      const content = platform.Buffer.from(part.slice(at + 4, -2), "latin1");
      const [, name] = /name="([^"]*)"/.exec(head) ?? [];
      const [, filename] = /filename="([^"]*)"/.exec(head) ?? [];
      const [, kind = ""] = /content-type:\s*([^\r\n]+)/i.exec(head) ?? [];
      if (filename === undefined) form.append(name, content.toString());
      else form.append(name, new File([content], filename, { type: kind }));
    }
    return form;
  }
}

const FORBIDDEN = new Set(["CONNECT", "TRACE", "TRACK"]);
const UPPER = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);
class Request extends Body {
  #fields;
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const url = new URL(from ? from.url : `${input}`);
    if (url.username || url.password) {
      throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url}`);
    }
    const given = init.method ?? from?.method ?? "GET";
    const method = UPPER.has(`${given}`.toUpperCase()) ? `${given}`.toUpperCase() : `${given}`;
    if (!NAME.test(method) || FORBIDDEN.has(method.toUpperCase())) {
      throw new TypeError(`'${method}' is not a valid HTTP method.`);
    }
    const body = init.body ?? (from ? Body.halves(from) : undefined);
    if (body !== undefined && body !== null && (method === "GET" || method === "HEAD")) {
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    }
    super(body);
    const headers = new Headers(init.headers ?? from?.headers);
    const type = Body.type(this);
    if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
    this.#fields = {
      url: url.href,
      method,
      headers,
      signal: init.signal ?? from?.signal ?? new platform.AbortController().signal,
      mode: init.mode ?? from?.mode ?? "cors",
      credentials: init.credentials ?? from?.credentials ?? "same-origin",
      cache: init.cache ?? from?.cache ?? "default",
      redirect: init.redirect ?? from?.redirect ?? "follow",
      referrer: "about:client",
      referrerPolicy: init.referrerPolicy ?? "",
      integrity: init.integrity ?? from?.integrity ?? "",
      keepalive: Boolean(init.keepalive ?? from?.keepalive),
      destination: "",
      duplex: "half",
    };
    const fields = this.#fields;
    void fields;
  }
  static field(request, name) {
    return request.#fields[name];
  }
  clone() {
    return new Request(this);
  }
  get [Symbol.toStringTag]() {
    return "Request";
  }
}
for (
  const name of [
    "url",
    "method",
    "headers",
    "signal",
    "mode",
    "credentials",
    "cache",
    "redirect",
    "referrer",
    "referrerPolicy",
    "integrity",
    "keepalive",
    "destination",
    "duplex",
  ]
) {
  Object.defineProperty(Request.prototype, name, {
    get() {
      return fieldOf(this, name);
    },
    enumerable: true,
    configurable: true,
  });
}
const fieldOf = Request.field;
delete Request.field;

class Response extends Body {
  #status;
  #statusText;
  #headers;
  #type = "default";
  #url = "";
  #redirected = false;
  constructor(body = null, { status = 200, statusText = "", headers } = {}) {
    if (!(status >= 200 && status <= 599)) {
      throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    }
    if (body !== null && [204, 205, 304].includes(status)) {
      throw new TypeError(`Response constructor: Invalid response status code ${status}`);
    }
    super(body);
    this.#status = status;
    this.#statusText = `${statusText}`;
    this.#headers = new Headers(headers);
    const type = Body.type(this);
    if (type !== null && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
  }
  get status() {
    return this.#status;
  }
  get statusText() {
    return this.#statusText;
  }
  get headers() {
    return this.#headers;
  }
  get ok() {
    return this.#status >= 200 && this.#status < 300;
  }
  get redirected() {
    return this.#redirected;
  }
  get type() {
    return this.#type;
  }
  get url() {
    return this.#url;
  }
  clone() {
    const made = new Response(Body.halves(this) ?? null, {
      status: this.#status,
      statusText: this.#statusText,
      headers: this.#headers,
    });
    made.#type = this.#type;
    made.#url = this.#url;
    made.#redirected = this.#redirected;
    return made;
  }
  /** What a server answered. */
  static received(body, init, url, redirected) {
    const made = new Response(body, init);
    made.#type = "basic";
    made.#url = url;
    made.#redirected = redirected;
    return made;
  }
  static json(data, init = {}) {
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError("Value is not JSON serializable");
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(text, { ...init, headers });
  }
  static error() {
    const made = new Response();
    made.#status = 0;
    made.#type = "error";
    return made;
  }
  static redirect(url, status = 302) {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status code ${status}`);
    const made = new Response(null, { headers: { location: new URL(url).href } });
    made.#status = status;
    return made;
  }
  get [Symbol.toStringTag]() {
    return "Response";
  }
}

const receivedResponse = Response.received;
delete Response.received;

const WITHOUT_BODY = new Set([204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 20;

const withCause = (error, cause) =>
  Object.defineProperty(error, "cause", { value: cause, writable: true, configurable: true });
const failed = (cause, why = "") => withCause(new TypeError(`fetch failed${why}`), cause);

function noNetwork(url) {
  const cause = notHere(
    `fetch of ${url.slice(0, 200)}`,
    NO_NETWORK,
    "Files of the session are read with node:fs, servers of the same program at http://localhost",
  );
  return failed(cause, `: ${cause.message}`);
}

/** @returns The answer's head: its body is still to come. */
function exchange({ url, method, headers, bytes, signal }) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, signal });
    request.once("response", resolve);
    request.on("error", (error) => reject(signal?.aborted ? signal.reason : failed(error)));
    request.end(bytes);
  });
}

function bodyOfAnswer(answer, signal) {
  const pieces = answer[Symbol.asyncIterator]();
  return new platform.ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      } catch (cause) {
        controller.error(signal?.aborted ? signal.reason : withCause(new TypeError("terminated"), cause));
      }
    },
    cancel: () => void answer.destroy(),
  });
}

/** What follows a redirection: a form that was sent is not sent again, but where the server asks for that. */
function redirected(exchanged, status, location) {
  const url = new URL(location, exchanged.url).href;
  const { method } = exchanged;
  const asGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!asGet) return { ...exchanged, url };
  const headers = Object.entries(exchanged.headers).filter(([name]) => !name.startsWith("content-"));
  return { ...exchanged, url, method: "GET", bytes: undefined, headers: Object.fromEntries(headers) };
}

/** From a server of this program. */
async function fetchLocal(request, signal) {
  const { redirect } = request;
  if (signal?.aborted) throw signal.reason;
  let next = {
    url: request.url.replace(/#.*$/s, ""),
    method: request.method,
    headers: {
      accept: "*/*",
      "accept-language": "*",
      "sec-fetch-mode": "cors",
      "user-agent": "node",
      ...Object.fromEntries(request.headers),
    },
    bytes: request.body ? await request.bytes() : undefined,
    signal,
  };
  for (let hops = 0;; hops++) {
    const answer = await exchange(next);
    const { statusCode: status, statusMessage: statusText } = answer;
    const { location } = answer.headers;
    if (!REDIRECTS.has(status) || location === undefined || redirect === "manual") {
      const headers = new Headers();
      for (let at = 0; at < answer.rawHeaders.length; at += 2) {
        headers.append(answer.rawHeaders[at], answer.rawHeaders[at + 1]);
      }
      const empty = WITHOUT_BODY.has(status) || next.method === "HEAD";
      if (empty) answer.resume();
      const body = empty ? null : bodyOfAnswer(answer, signal);
      return receivedResponse(body, { status, statusText, headers }, next.url, hops > 0);
    }
    answer.resume();
    if (redirect === "error") throw failed(new Error("unexpected redirect"));
    if (hops === MOST_REDIRECTS) throw failed(new Error("redirect count exceeded"));
    next = redirected(next, status, location);
    if (!reachable(next.url)) throw noNetwork(next.url);
  }
}

function reachable(url) {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && isLocal(hostname);
}

/** What can be fetched is a URL of data, and what servers of this program have. */
async function fetch(input, init) {
  const request = new Request(input, init);
  const [, type, base64, data] = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(request.url) ?? [];
  if (data !== undefined) {
    const bytes = base64
      ? platform.Buffer.from(decodeURIComponent(data), "base64")
      : platform.Buffer.from(decodeURIComponent(data));
    return new Response(bytes, { headers: { "content-type": type || "text/plain;charset=US-ASCII" } });
  }
  if (!reachable(request.url)) throw noNetwork(request.url);
  return await fetchLocal(request, init?.signal ?? (input instanceof Request ? input.signal : undefined));
}

class WebSocket {
  constructor(url) {
    throw notHere(`A WebSocket to ${`${url}`.slice(0, 200)}`, NO_NETWORK);
  }
}
class EventSource {
  constructor(url) {
    throw notHere(`An EventSource of ${`${url}`.slice(0, 200)}`, NO_NETWORK);
  }
}

export const globals = { Headers, FormData, Request, Response, fetch, WebSocket, EventSource };
