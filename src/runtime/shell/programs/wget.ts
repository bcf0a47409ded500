/** `wget`: files of servers of the session, at `localhost`. No other computer is reached. */

import { FsError } from "../../../fs/errors.ts";
import type { Steps } from "../../steps.ts";
import { pathOf } from "./files.ts";
import { exchange, headerOf } from "./http_exchange.ts";
import { parseOptions } from "./options.ts";
import { clockFor } from "./process.ts";
import { bytesOf, type ProgramOutput, type SpawnRequest, type Surroundings } from "./program.ts";
import { isLocal, urlFrom, urlOf } from "./urls.ts";

const FLAGS = [
  ..."qvncS46",
  ..."quiet verbose no-verbose no-check-certificate server-response no-clobber spider content-on-error".split(
    " ",
  ),
  ..."no-proxy no-cache show-progress inet4-only inet6-only no-cookies no-dns-cache".split(" "),
];
const VALUED = [
  ..."OPtTU",
  ..."output-document directory-prefix header post-data method body-data user-agent tries timeout waitretry wait"
    .split(" "),
];
const REDIRECTS_MAX = 20;
/** Exit codes (GNU Wget's manual, "Exit Status"). */
const Exit = { generic: 1, file: 3, network: 4, server: 8 } as const;

export function* wget(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const options = parseOptions(request.args, { flags: FLAGS, valued: VALUED });
  const { host } = surroundings;
  if (options.operands.length === 0) {
    return { stderr: "wget: missing URL\nUsage: wget [OPTION]... [URL]...\n", exitCode: 2 };
  }
  const said: string[] = [];
  const isQuiet = options.has("q", "quiet");
  const data = options.value("post-data", "body-data");
  const given = options.given.flatMap(([name, value]) =>
    name === "header" && value !== true && value.includes(":")
      ? [[value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1).trim()] as const]
      : []
  );
  let exitCode = 0;
  let stdout: Uint8Array = new Uint8Array(0);
  for (const text of options.operands) {
    let url = urlOf(text);
    for (let redirects = 0;; redirects++) {
      if (!url || !isLocal(url)) {
        said.push(
          `wget: unable to resolve host address '${url?.hostname ?? text}': there is no network here\n`,
        );
        exitCode = Exit.network;
        break;
      }
      const port = Number(url.port || 80);
      const method = options.value("method") ??
        (options.has("spider") ? "HEAD" : data === undefined ? "GET" : "POST");
      const body = data === undefined ? undefined : bytesOf(data);
      const seconds = Number(options.value("T", "timeout") ?? Infinity);
      const answer = yield* exchange(host.loopback, {
        method,
        port,
        path: url.pathname + url.search,
        headers: [
          ["Host", url.host],
          ["User-Agent", options.value("U", "user-agent") ?? "Wget/1.21.3"],
          ["Accept", "*/*"],
          ...body
            ? [["Content-Type", "application/x-www-form-urlencoded"], [
              "Content-Length",
              `${body.length}`,
            ]] as const
            : [],
          ...given,
        ],
        body,
      }, { clock: clockFor(surroundings, request), mostMs: seconds * 1000 });
      if (typeof answer === "string") {
        const why = answer === "refused" ? "Connection refused" : answer.replaceAll("_", " ");
        if (!isQuiet) said.push(`Connecting to ${url.host}... failed: ${why}.\n`);
        exitCode = Exit.network;
        break;
      }
      const to = headerOf(answer.headers, "location");
      if (answer.status >= 300 && answer.status < 400 && to !== undefined && redirects < REDIRECTS_MAX) {
        url = urlFrom(url, to);
        continue;
      }
      if (answer.status >= 400) {
        const reason = answer.head.split("\r\n")[0]!.split(" ").slice(1).join(" ");
        if (!isQuiet) said.push(`ERROR ${reason.replace(" ", ": ")}.\n`);
        exitCode = Exit.server;
        break;
      }
      if (options.has("spider")) break;
      const name = options.value("O", "output-document") ??
        [options.value("P", "directory-prefix"), url.pathname.split("/").pop() || "index.html"].filter(
          Boolean,
        ).join("/");
      if (name === "-") {
        stdout = answer.body;
        break;
      }
      try {
        const path = pathOf(request, name);
        host.fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
        host.fs.writeFile(path, answer.body);
        if (!isQuiet) said.push(`'${name}' saved [${answer.body.length}]\n`);
      } catch (error) {
        if (!(error instanceof FsError)) throw error;
        said.push(`${name}: ${error.message}\n`);
        exitCode = Exit.file;
      }
      break;
    }
  }
  return { stdout, stderr: said.join(""), exitCode };
}
