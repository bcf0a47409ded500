/** `curl`: requests to servers of the session, at `localhost`. No other computer is reached. */

import { concatBytes } from "../../../bytes.ts";
import type { GuestClock } from "../../../control/guest_clock.ts";
import { FsError } from "../../../fs/errors.ts";
import type { Steps } from "../../steps.ts";
import { CurlBody } from "./curl_body.ts";
import { CurlCookies } from "./curl_cookies.ts";
import { pathOf, textOf } from "./files.ts";
import { ANSWER_MAX_BYTES, exchange, headerOf, type HttpAnswer, type HttpFailure } from "./http_exchange.ts";
import { type Options, parseOptions } from "./options.ts";
import { clockFor } from "./process.ts";
import { bytesOf, type ProgramOutput, type SpawnRequest, type Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { isLocal, urlFrom, urlOf } from "./urls.ts";

const FLAGS = [
  ..."svSifIkLGOgN46#qnaj0",
  ..."silent verbose show-error include head fail fail-with-body insecure location get remote-name globoff no-buffer"
    .split(" "),
  ..."compressed http1.1 http1.0 http2 ipv4 ipv6 no-progress-meter progress-bar retry-connrefused retry-all-errors"
    .split(" "),
  ..."location-trusted create-dirs disable no-keepalive path-as-is junk-session-cookies append tcp-nodelay"
    .split(" "),
];
const VALUED = [
  ..."XdDHoAuebcwmFTx",
  ..."request data data-raw data-binary data-ascii data-urlencode json header output user-agent user referer cookie"
    .split(" "),
  ..."cookie-jar write-out max-time connect-timeout form upload-file proxy noproxy retry retry-delay retry-max-time"
    .split(" "),
  ..."dump-header key url url-query cacert cert max-redirs resolve connect-to interface limit-rate form-string"
    .split(" "),
];
const REDIRECTS_MAX = 50;
const UNRESOLVED = 6;
const USER_AGENT = "curl/7.88.1";
/** Exit codes, and what is said of them (curl's manual, EXIT CODES). */
const FAILED: Readonly<Record<Exclude<HttpFailure, "refused" | "timed_out">, readonly [number, string]>> = {
  empty: [52, "Empty reply from server"],
  malformed: [1, "Received HTTP/0.9 when not allowed"],
  cut_off: [18, "transfer closed with outstanding read data remaining"],
  too_large: [63, `Maximum file size exceeded: ${ANSWER_MAX_BYTES >> 20} MiB are held of an answer`],
  interrupted: [42, "the script is being ended"],
};

interface Transfer {
  readonly url: URL;
  /** Of all answers on the way, each with its empty line. */
  readonly heads: string;
  readonly answer: HttpAnswer;
  readonly redirects: number;
}

/** What is asked of one server. */
interface Asked {
  readonly url: URL;
  readonly method: string;
  readonly bytes: Uint8Array | undefined;
}

class Failure extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export function* curl(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const options = parseOptions(request.args, { flags: FLAGS, valued: VALUED });
  const urls = [...options.operands, ...all(options, "url")];
  if (urls.length === 0) {
    return { stderr: "curl: try 'curl --help' or 'curl --manual' for more information\n", exitCode: 2 };
  }
  const client = new Client(surroundings, request, options);
  const stdout: Uint8Array[] = [];
  let exitCode = 0;
  const targets = all(options, "o", "output");
  let heads = "";
  const headsTo = options.value("D", "dump-header");
  for (const [at, text] of urls.entries()) {
    const begun = performance.now();
    let transfer: Transfer | undefined;
    try {
      transfer = yield* client.fetch(text);
      exitCode = 0;
      const { answer } = transfer;
      heads += transfer.heads;
      const fails = answer.status >= 400 && options.has("f", "fail", "fail-with-body");
      if (headsTo === "-") stdout.push(bytesOf(transfer.heads));
      else if (headsTo !== undefined) save(surroundings, request, headsTo, bytesOf(heads));
      if (!fails || options.has("fail-with-body")) {
        const shown = shownOf(options, transfer);
        const name = targets[at] ?? (options.has("O", "remote-name") ? nameOf(transfer.url) : undefined);
        if (name === undefined || name === "-") stdout.push(shown);
        else save(surroundings, request, name, shown);
      }
      if (fails) throw new Failure(22, `The requested URL returned error: ${answer.status}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      exitCode = error.code;
      // That there is no network is told in any case.
      const quiet = options.has("s", "silent") && !options.has("S", "show-error");
      if (!quiet || error.code === UNRESOLVED) client.told.push(`curl: (${error.code}) ${error.message}\n`);
    }
    const format = options.value("w", "write-out");
    if (format !== undefined) {
      stdout.push(bytesOf(written(format, text, transfer, exitCode, performance.now() - begun)));
    }
  }
  const jar = options.value("c", "cookie-jar");
  if (jar === "-") stdout.push(bytesOf(`${client.cookies}`));
  else if (jar !== undefined) {
    try {
      save(surroundings, request, jar, bytesOf(`${client.cookies}`));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      client.told.push(`Warning: failed to save cookies in ${jar}: ${error.message}\n`);
    }
  }
  return { stdout: concatBytes(stdout), stderr: client.told.join(""), exitCode };
}

const all = ({ given }: Options, ...names: string[]): string[] =>
  given.flatMap(([name, value]) => names.includes(name) && value !== true ? [value] : []);

/** One call of the program: its options hold for all that it fetches. */
class Client {
  readonly cookies = new CurlCookies();
  /** What goes to its standard error. */
  readonly told: string[] = [];
  readonly #surroundings: Surroundings;
  readonly #options: Options;
  readonly #body: CurlBody;
  readonly #clock: GuestClock;

  /** @throws {ProgramError} for options that are not right. */
  constructor(surroundings: Surroundings, request: SpawnRequest, options: Options) {
    this.#surroundings = surroundings;
    this.#options = options;
    this.#body = new CurlBody(surroundings, request, options);
    this.#clock = clockFor(surroundings, request);
    const { fs } = surroundings.host;
    const read = (name: string) => {
      const path = pathOf(request, name);
      return fs.exists(path) ? textOf(fs.readFile(path)) : undefined;
    };
    for (const value of all(options, "b", "cookie")) this.cookies.take(value, read);
    if (options.value("c", "cookie-jar") !== undefined) this.cookies.keep();
  }

  /** As often as `--retry` says. @throws {Failure} */
  *fetch(text: string): Steps<Transfer> {
    const options = this.#options;
    let tries = numberOf(options, 0, "retry");
    const again = options.has("retry-connrefused", "retry-all-errors");
    const pause = numberOf(options, 1, "retry-delay") * 1000;
    for (;;) {
      try {
        return yield* this.#followed(text);
      } catch (error) {
        const isPassing = error instanceof Failure && (again && error.code === 7 || error.code === 28);
        if (!isPassing || tries-- <= 0) throw error;
        yield { ms: pause, clock: this.#clock };
      }
    }
  }

  /** With the redirections that `-L` follows. */
  *#followed(text: string): Steps<Transfer> {
    const options = this.#options;
    const most = numberOf(options, REDIRECTS_MAX, "max-redirs");
    const { query } = this.#body;
    let url = urlOf(text);
    if (!url) throw new Failure(3, "URL using bad/illegal format or missing URL");
    if (query) url.search = url.search ? `${url.search}&${query}` : `?${query}`;
    let { method, bytes } = this.#body;
    let heads = "";
    for (let redirects = 0;; redirects++) {
      const answer = yield* this.#answered({ url, method, bytes });
      heads += `${answer.head}\r\n\r\n`;
      const to = headerOf(answer.headers, "location");
      const isMoved = answer.status >= 300 && answer.status < 400 && to !== undefined;
      if (!isMoved || !options.has("L", "location", "location-trusted")) {
        return { url, answer, heads, redirects };
      }
      if (redirects >= most) throw new Failure(47, `Maximum (${most}) redirects followed`);
      url = urlFrom(url, to) ?? url;
      // As browsers do it, and curl where the method was not asked for.
      if (answer.status <= 303 && !options.value("X", "request") && method !== "HEAD") {
        method = "GET";
        bytes = undefined;
      }
    }
  }

  *#answered(asked: Asked): Steps<HttpAnswer> {
    const { url, method, bytes } = asked;
    checkReachable(url);
    const port = Number(url.port || 80);
    const headers = this.#headersOf(asked);
    const path = url.pathname + url.search;
    const mostMs = numberOf(this.#options, Infinity, "m", "max-time") * 1000;
    const { loopback } = this.#surroundings.host;
    const answer = yield* exchange(loopback, { method, port, path, headers, body: bytes }, {
      clock: this.#clock,
      mostMs,
    });
    if (this.#options.has("v", "verbose")) this.#tell(`${method} ${path} HTTP/1.1`, headers, answer);
    if (typeof answer === "object") {
      this.cookies.receive(url, answer, Number(this.#clock.realtime() / 1_000_000_000n));
      return answer;
    }
    if (answer === "refused") {
      throw new Failure(
        7,
        `Failed to connect to ${url.hostname} port ${port} after 0 ms: Couldn't connect to server`,
      );
    }
    if (answer === "timed_out") {
      throw new Failure(
        28,
        `Operation timed out after ${Math.round(mostMs)} milliseconds with 0 bytes received`,
      );
    }
    throw new Failure(...FAILED[answer]);
  }

  #tell(first: string, headers: HttpAnswer["headers"], answer: HttpAnswer | HttpFailure): void {
    this.told.push(`> ${first}\n`, ...headers.map(([name, value]) => `> ${name}: ${value}\n`), ">\n");
    if (typeof answer === "object") {
      this.told.push(...answer.head.split("\r\n").map((line) => `< ${line}\n`), "<\n");
    }
  }

  #headersOf({ url, bytes }: Asked): HttpAnswer["headers"] {
    const options = this.#options;
    const own = all(options, "H", "header").flatMap((line) => {
      const at = line.search(/[:;]/);
      return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim(), line[at]!] as const];
    });
    const user = options.value("u", "user");
    const standard: [string, string | undefined][] = [
      ["Host", url.host],
      ["Authorization", user === undefined ? undefined : `Basic ${bytesOf(user).toBase64()}`],
      ["User-Agent", options.value("A", "user-agent") ?? USER_AGENT],
      ["Accept", this.#body.isJson ? "application/json" : "*/*"],
      ["Referer", options.value("e", "referer")],
      ["Cookie", this.cookies.headerFor(url)],
      ["Content-Length", bytes && String(bytes.length)],
      ["Content-Type", bytes && this.#body.type],
    ];
    const given = new Set(own.map(([name]) => name.toLowerCase()));
    return [
      ...standard.flatMap(([name, value]) =>
        value && !given.has(name.toLowerCase()) ? [[name, value] as const] : []
      ),
      // `Name:` takes a header away, `Name;` sends it empty.
      ...own.flatMap(([name, value, mark]) => value || mark === ";" ? [[name, value] as const] : []),
    ];
  }
}

/** @throws {ProgramError} for a value that is no number. */
function numberOf(options: Options, otherwise: number, ...names: string[]): number {
  const text = options.value(...names);
  if (text === undefined) return otherwise;
  if (/^\d+(?:\.\d*)?$/.test(text)) return Number(text);
  const name = names.at(-1);
  throw new ProgramError(`option --${name}: expected a proper numerical parameter`, 2);
}

/** @throws {Failure} */
function checkReachable(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Failure(1, `Protocol "${url.protocol.slice(0, -1)}" not supported`);
  }
  if (!isLocal(url)) {
    throw new Failure(
      UNRESOLVED,
      `Could not resolve host: ${url.hostname}: there is no network here; localhost has the servers that this script starts`,
    );
  }
  if (url.protocol === "https:") throw new Failure(35, "there is no TLS here: ask by http://");
}

function shownOf(options: Options, { heads, answer: { body } }: Transfer): Uint8Array {
  return options.has("i", "include", "I", "head") ? concatBytes([bytesOf(heads), body]) : body;
}

function nameOf(url: URL): string {
  const name = url.pathname.split("/").pop();
  if (!name) throw new Failure(23, "Remote file name has no length");
  return name;
}

function save({ host: { fs } }: Surroundings, request: SpawnRequest, name: string, bytes: Uint8Array): void {
  try {
    fs.writeFile(pathOf(request, name), bytes);
  } catch (error) {
    if (error instanceof FsError) {
      throw new Failure(23, `Failure writing output to destination: ${error.message}`);
    }
    throw error;
  }
}

/** What `-w` prints. */
function written(
  format: string,
  text: string,
  transfer: Transfer | undefined,
  exitCode: number,
  ms: number,
): string {
  const { answer, redirects = 0, url } = transfer ?? {};
  const location = answer && headerOf(answer.headers, "location");
  const values: Readonly<Record<string, string>> = {
    http_code: String(answer?.status ?? "000").padStart(3, "0"),
    content_type: (answer && headerOf(answer.headers, "content-type")) ?? "",
    size_download: String(answer?.body.length ?? 0),
    size_header: String(answer ? answer.head.length + 4 : 0),
    num_redirects: String(redirects),
    redirect_url: location && url ? urlFrom(url, location)?.href ?? "" : "",
    url_effective: url?.href ?? text,
    url: text,
    exitcode: String(exitCode),
    num_connects: answer ? "1" : "0",
    http_version: answer ? "1.1" : "0",
    scheme: "HTTP",
    remote_ip: answer ? "127.0.0.1" : "",
    remote_port: url?.port ?? "",
  };
  return format
    .replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("\\r", "\r")
    .replaceAll(/%\{(\w+)\}/g, (_, name: string) => {
      if (name === "response_code") return values["http_code"]!;
      if (name.startsWith("time_")) return (ms / 1000).toFixed(6);
      return values[name] ?? (/^(?:size|speed|num)_/.test(name) ? "0" : "");
    })
    .replaceAll("%%", "%");
}
