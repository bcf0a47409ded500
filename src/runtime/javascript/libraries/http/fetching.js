/** `fetch` of what servers of the session have. */
import { NO_NETWORK, notHere } from "../errors.js";
import { Headers } from "../headers.js";
import { isLocal } from "../net/ports.js";
import { platform } from "../runtime.js";
import zlib from "../zlib.js";
import { request as httpRequest } from "./client.js";

const WITHOUT_BODY = new Set([204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 20;
const DECODERS = {
  gzip: "createGunzip",
  "x-gzip": "createGunzip",
  deflate: "createInflate",
  br: "createBrotliDecompress",
};

const withCause = (error, cause) =>
  Object.defineProperty(error, "cause", { value: cause, writable: true, configurable: true });
const failed = (cause, why = "") => withCause(new TypeError(`fetch failed${why}`), cause);

export function noNetwork(url) {
  const cause = notHere(
    `fetch of ${url.slice(0, 200)}`,
    NO_NETWORK,
    "Files of the session are read with node:fs, servers of the same program at http://localhost",
  );
  return failed(cause, `: ${cause.message}`);
}

/** What `fetch` of Node calls a connection that ended before there was an answer. */
function asUndici(error) {
  if (error.code !== "ECONNRESET") return error;
  return Object.assign(new Error("other side closed"), { name: "SocketError", code: "UND_ERR_SOCKET" });
}

/** @returns The answer's head: its body is still to come. */
function exchange({ url, method, headers, bytes, signal }) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, signal });
    request.once("response", resolve);
    request.on("error", (error) => reject(signal?.aborted ? signal.reason : failed(asUndici(error))));
    request.end(bytes);
  });
}

/** What an answer was before it was packed; as it came where it is empty, or one of its codings is not known, as in Node. */
function unpacked(answer) {
  const { "content-encoding": said = "", "content-length": length } = answer.headers;
  if (Number(length) === 0) return answer;
  const codings = said.toLowerCase().split(",").map((each) => each.trim()).filter((each) => each !== "");
  if (!codings.every((each) => Object.hasOwn(DECODERS, each))) return answer;
  return codings.reduceRight((packed, coding) => {
    const decoder = zlib[DECODERS[coding]]();
    packed.on("error", (error) => decoder.destroy(error));
    return packed.pipe(decoder);
  }, answer);
}

function bodyOfAnswer(answer, signal) {
  const pieces = unpacked(answer)[Symbol.asyncIterator]();
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

/** @returns What makes the Response of a server of this session. */
export async function fetchLocal(request, signal) {
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
      return { body, head: { status, statusText, headers }, url: next.url, redirected: hops > 0 };
    }
    answer.resume();
    if (redirect === "error") throw failed(new Error("unexpected redirect"));
    if (hops === MOST_REDIRECTS) throw failed(new Error("redirect count exceeded"));
    next = redirected(next, status, location);
    if (!reachable(next.url)) throw noNetwork(next.url);
  }
}

export function reachable(url) {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && isLocal(hostname);
}
