/** `wget`: files of servers of the session, at `localhost`. No other computer is reached. */

import { concatBytes } from "../../../bytes.ts";
import { FsError } from "../../../fs/errors.ts";
import type { Steps } from "../../steps.ts";
import { pathOf } from "./files.ts";
import { exchange, headerOf, type HttpAnswer } from "./http_exchange.ts";
import { type Options, parseOptions } from "./options.ts";
import { clockFor } from "./process.ts";
import { bytesOf, type ProgramOutput, type SpawnRequest, type Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { isLocal, urlFrom, urlOf } from "./urls.ts";

const FLAGS = [
  ..."qvncS46",
  ..."quiet verbose no-verbose no-check-certificate server-response no-clobber spider content-on-error"
    .split(" "),
  ..."no-proxy no-cache show-progress inet4-only inet6-only no-cookies no-dns-cache".split(" "),
];
const VALUED = [
  ..."OPtTU",
  ..."output-document directory-prefix header post-data method body-data user-agent tries timeout waitretry wait"
    .split(" "),
];
const REDIRECTS_MAX = 20;
/** Exit codes (GNU Wget's manual, "Exit Status"). */
const Exit = { file: 3, network: 4, server: 8 } as const;

/** What one URL came to. */
interface Fetched {
  readonly exitCode: number;
  /** What is said of it, also where nothing else is. */
  readonly error?: string;
  readonly said?: string;
  readonly stdout?: Uint8Array;
}

export function* wget(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const options = parseOptions(request.args, { flags: FLAGS, valued: VALUED });
  if (options.operands.length === 0) {
    return { stderr: "wget: missing URL\nUsage: wget [OPTION]... [URL]...\n", exitCode: 2 };
  }
  const all: Fetched[] = [];
  for (const text of options.operands) all.push(yield* fetched(surroundings, request, options, text));
  const isQuiet = options.has("q", "quiet");
  return {
    stdout: concatBytes(all.flatMap(({ stdout }) => stdout ?? [])),
    stderr: all.map(({ error, said = "" }) => error ?? (isQuiet ? "" : said)).join(""),
    // Of several the lowest, as the manual has it.
    exitCode: all.map(({ exitCode }) => exitCode).filter((code) => code !== 0).toSorted()[0] ?? 0,
  };
}

function* fetched(
  surroundings: Surroundings,
  request: SpawnRequest,
  options: Options,
  text: string,
): Steps<Fetched> {
  let url = urlOf(text);
  for (let redirects = 0;; redirects++) {
    if (!url || !isLocal(url)) {
      const error = `wget: unable to resolve host address '${
        url?.hostname ?? text
      }': there is no network here\n`;
      return { exitCode: Exit.network, error };
    }
    if (url.protocol !== "http:") {
      return { exitCode: Exit.network, error: "wget: there is no TLS here: ask by http://\n" };
    }
    const answer = yield* exchange(surroundings.host.loopback, requestOf(url, options), {
      clock: clockFor(surroundings, request),
      mostMs: secondsOf(options) * 1000,
    });
    if (typeof answer === "string") {
      const why = answer === "refused" ? "Connection refused" : answer.replaceAll("_", " ");
      return { exitCode: Exit.network, said: `Connecting to ${url.host}... failed: ${why}.\n` };
    }
    const to = headerOf(answer.headers, "location");
    if (answer.status < 300 || answer.status >= 400 || to === undefined || redirects >= REDIRECTS_MAX) {
      return saved(surroundings, request, options, url, answer);
    }
    url = urlFrom(url, to);
  }
}

function requestOf(url: URL, options: Options): Parameters<typeof exchange>[1] {
  const data = options.value("post-data", "body-data");
  const body = data === undefined ? undefined : bytesOf(data);
  const given = options.given.flatMap(([name, value]) => {
    const at = name === "header" && value !== true ? value.indexOf(":") : -1;
    return at > 0 ? [[`${value}`.slice(0, at), `${value}`.slice(at + 1).trim()] as const] : [];
  });
  const ofBody = body
    ? [["Content-Type", "application/x-www-form-urlencoded"], ["Content-Length", `${body.length}`]] as const
    : [];
  return {
    method: options.value("method") ?? (options.has("spider") ? "HEAD" : body ? "POST" : "GET"),
    port: Number(url.port || 80),
    path: url.pathname + url.search,
    headers: [
      ["Host", url.host],
      ["User-Agent", options.value("U", "user-agent") ?? "Wget/1.21.3"],
      ["Accept", "*/*"],
      ...ofBody,
      ...given,
    ],
    body,
  };
}

function saved(
  { host: { fs } }: Surroundings,
  request: SpawnRequest,
  options: Options,
  url: URL,
  answer: HttpAnswer,
): Fetched {
  if (answer.status >= 400) {
    const reason = answer.head.split("\r\n")[0]!.split(" ").slice(1).join(" ");
    return { exitCode: Exit.server, said: `ERROR ${reason.replace(" ", ": ")}.\n` };
  }
  if (options.has("spider")) return { exitCode: 0 };
  const below = options.value("P", "directory-prefix");
  const own = url.pathname.split("/").pop() || "index.html";
  const name = options.value("O", "output-document") ?? (below === undefined ? own : `${below}/${own}`);
  if (name === "-") return { exitCode: 0, stdout: answer.body };
  try {
    const path = pathOf(request, name);
    fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
    fs.writeFile(path, answer.body);
    return { exitCode: 0, said: `'${name}' saved [${answer.body.length}]\n` };
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return { exitCode: Exit.file, error: `${name}: ${error.message}\n` };
  }
}

/** @throws {ProgramError} for a time that is none. */
function secondsOf(options: Options): number {
  const text = options.value("T", "timeout");
  if (text === undefined || Number(text) === 0) return Infinity;
  if (!/^\d+(?:\.\d*)?$/.test(text)) throw new ProgramError(`Invalid time period '${text}'`, 2);
  return Number(text);
}
