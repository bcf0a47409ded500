/** Request, Response and fetch of the web: what they hold, without a network. */
import { Blob, bytesIn } from "./blob.js";
import { NO_NETWORK, notHere } from "./errors.js";
import { FormData, multipart } from "./form_data.js";
import { Headers, TOKEN } from "./headers.js";
import { fetchLocal, noNetwork, reachable } from "./http/fetching.js";
import { hooks, platform } from "./runtime.js";

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
function parsed(url) {
  try {
    return new URL(url);
  } catch (cause) {
    throw Object.defineProperty(new TypeError(`Failed to parse URL from ${url}`), "cause", {
      value: cause,
      writable: true,
      configurable: true,
    });
  }
}
class Request extends Body {
  #fields;
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const url = from ? new URL(from.url) : parsed(`${input}`);
    if (url.username || url.password) {
      throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url}`);
    }
    const given = init.method ?? from?.method ?? "GET";
    const method = UPPER.has(`${given}`.toUpperCase()) ? `${given}`.toUpperCase() : `${given}`;
    if (!TOKEN.test(method) || FORBIDDEN.has(method.toUpperCase())) {
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
  const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
  const { body, head, url, redirected } = await fetchLocal(request, signal);
  return receivedResponse(body, head, url, redirected);
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
