/** `curl`: requests to servers of the session, at `localhost`. No other computer is reached. */

import { concatBytes } from "../../../bytes.ts";
import { FsError } from "../../../fs/errors.ts";
import type { Steps } from "../../steps.ts";
import { CurlBody } from "./curl_body.ts";
import { pathOf } from "./files.ts";
import { ANSWER_MAX_BYTES, exchange, headerOf, type HttpAnswer, type HttpFailure } from "./http_exchange.ts";
import { type Options, parseOptions } from "./options.ts";
import { clockFor } from "./process.ts";
import { bytesOf, type ProgramOutput, type SpawnRequest, type Surroundings } from "./program.ts";
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
  ..."XdHoAuebcwmFTxYyCE",
  ..."request data data-raw data-binary data-ascii data-urlencode json header output user-agent user referer cookie"
    .split(" "),
  ..."cookie-jar write-out max-time connect-timeout form upload-file proxy noproxy retry retry-delay retry-max-time"
    .split(" "),
  ..."url url-query cacert cert max-redirs resolve connect-to interface limit-rate form-string".split(" "),
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
  readonly answer: HttpAnswer;
  readonly redirects: number;
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
  const body = new CurlBody(surroundings, request, options);
  const stdout: Uint8Array[] = [];
  const stderr: string[] = [];
  let exitCode = 0;
  const targets = all(options, "o", "output");
  for (const [at, text] of urls.entries()) {
    const begun = performance.now();
    let transfer: Transfer | undefined;
    try {
      transfer = yield* fetched(surroundings, request, options, text, body, stderr);
      exitCode = 0;
      const { answer } = transfer;
      const fails = answer.status >= 400 && options.has("f", "fail", "fail-with-body");
      if (!fails || options.has("fail-with-body")) {
        const shown = shownOf(options, answer);
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
      if (!quiet || error.code === UNRESOLVED) stderr.push(`curl: (${error.code}) ${error.message}\n`);
    }
    const format = options.value("w", "write-out");
    if (format !== undefined) {
      stdout.push(bytesOf(written(format, text, transfer, exitCode, performance.now() - begun)));
    }
  }
  return { stdout: concatBytes(stdout), stderr: stderr.join(""), exitCode };
}

const all = ({ given }: Options, ...names: string[]): string[] =>
  given.flatMap(([name, value]) => names.includes(name) && value !== true ? [value] : []);

function* fetched(
  surroundings: Surroundings,
  request: SpawnRequest,
  options: Options,
  text: string,
  body: CurlBody,
  told: string[],
): Steps<Transfer> {
  let tries = Number(options.value("retry") ?? 0);
  const again = options.has("retry-connrefused", "retry-all-errors");
  const pause = Number(options.value("retry-delay") ?? 1) * 1000;
  for (;;) {
    try {
      return yield* followed(surroundings, request, options, text, body, told);
    } catch (error) {
      if (!(error instanceof Failure) || tries-- <= 0 || !(again && error.code === 7 || error.code === 28)) {
        throw error;
      }
      yield { ms: pause, clock: clockFor(surroundings, request) };
    }
  }
}

/** With the redirections that `-L` follows. */
function* followed(
  surroundings: Surroundings,
  request: SpawnRequest,
  options: Options,
  text: string,
  body: CurlBody,
  told: string[],
): Steps<Transfer> {
  const most = Number(options.value("max-redirs") ?? REDIRECTS_MAX);
  let url = urlOf(text);
  if (!url) throw new Failure(3, "URL using bad/illegal format or missing URL");
  if (body.query) url.search = url.search ? `${url.search}&${body.query}` : `?${body.query}`;
  let { method, bytes } = body;
  for (let redirects = 0;; redirects++) {
    const answer = yield* answered(surroundings, request, options, { url, method, bytes }, body, told);
    const to = headerOf(answer.headers, "location");
    const isMoved = answer.status >= 300 && answer.status < 400 && to !== undefined;
    if (!isMoved || !options.has("L", "location", "location-trusted")) return { url, answer, redirects };
    if (redirects >= most) throw new Failure(47, `Maximum (${most}) redirects followed`);
    url = urlFrom(url, to) ?? url;
    // As browsers do it, and curl where the method was not asked for.
    if (
      answer.status <= 303 && answer.status !== 307 && !options.value("X", "request") && method !== "HEAD"
    ) {
      method = "GET";
      bytes = undefined;
    }
  }
}

function* answered(
  surroundings: Surroundings,
  request: SpawnRequest,
  options: Options,
  { url, method, bytes }: { url: URL; method: string; bytes: Uint8Array | undefined },
  body: CurlBody,
  told: string[],
): Steps<HttpAnswer> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Failure(1, `Protocol "${url.protocol.slice(0, -1)}" not supported`);
  }
  if (!isLocal(url)) {
    throw new Failure(
      UNRESOLVED,
      `Could not resolve host: ${url.hostname}: there is no network here; localhost has the servers that this script starts`,
    );
  }
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const headers = headersOf(url, options, body, bytes);
  const path = url.pathname + url.search;
  const seconds = options.value("m", "max-time");
  const mostMs = seconds === undefined ? Infinity : Number(seconds) * 1000;
  const clock = clockFor(surroundings, request);
  const { loopback } = surroundings.host;
  const answer = yield* exchange(loopback, { method, port, path, headers, body: bytes }, { clock, mostMs });
  if (options.has("v", "verbose")) {
    told.push(
      `> ${method} ${path} HTTP/1.1\n`,
      ...headers.map(([name, value]) => `> ${name}: ${value}\n`),
      ">\n",
    );
    if (typeof answer === "object") {
      told.push(...answer.head.split("\r\n").map((line) => `< ${line}\n`), "<\n");
    }
  }
  if (typeof answer === "object") return answer;
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

function headersOf(
  url: URL,
  options: Options,
  body: CurlBody,
  bytes: Uint8Array | undefined,
): (readonly [string, string])[] {
  const own = all(options, "H", "header").flatMap((line) => {
    const at = line.search(/[:;]/);
    return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim(), line[at]!] as const];
  });
  const user = options.value("u", "user");
  const standard: [string, string | undefined][] = [
    ["Host", url.host],
    ["Authorization", user === undefined ? undefined : `Basic ${bytesOf(user).toBase64()}`],
    ["User-Agent", options.value("A", "user-agent") ?? USER_AGENT],
    ["Accept", body.isJson ? "application/json" : "*/*"],
    ["Referer", options.value("e", "referer")],
    ["Cookie", options.value("b", "cookie")],
    ["Content-Length", bytes && String(bytes.length)],
    ["Content-Type", bytes && body.type],
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

function shownOf(options: Options, { head, body }: HttpAnswer): Uint8Array {
  return options.has("i", "include", "I", "head") ? concatBytes([bytesOf(`${head}\r\n\r\n`), body]) : body;
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
