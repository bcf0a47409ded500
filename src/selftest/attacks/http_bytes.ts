/** What is a request and what is not: heads, bodies and paths of hostile shapes. */

import { http, type Unfiled } from "../attack.ts";
import type { FrontDoor } from "../front_door.ts";
import { CLOSE, INITIALIZE, requests } from "../http_requests.ts";
import { get, lengthOf, post } from "../raw_http.ts";

const HEALTH = get("/health");
/** What the request behind another would be answered. */
const SERVED = /"status":"ok"/;
/** More than a body may have (`CONFIGURATION`), and than is on its way between two processes. */
const FLOOD_BYTES = 64 * 1024 * 1024;

/** Each with a request behind it: it must be refused and its connection closed, so that the other one is never answered. */
function unserved(
  name: string,
  expected: string,
  requests: (token: string) => Readonly<Record<string, string>>,
): Unfiled {
  return http(name, expected, async (door) => {
    const cases = Object.entries(requests(door.token("bob")));
    const through: string[] = [];
    for (const [what, request] of cases) {
      const said = await door.all(request + HEALTH);
      const refused = said === "" || /^HTTP\/1\.1 [45]\d\d /.test(said);
      if (!refused || SERVED.test(said)) through.push(`${what} (${said.slice(0, 100)})`);
    }
    return {
      refused: through.length === 0,
      got: `${cases.length} tried, through: ${through.join(", ") || "none"}`,
    };
  });
}

/** A body without an end. */
function flood(name: string, header: string, piece: string): Unfiled {
  return http(name, "is refused, or its connection closed, before much of it is read", async (door) => {
    using client = await door.connect(post("", header, door.token("bob")));
    let sent = 0;
    const sending = (async () => {
      for (; sent < FLOOD_BYTES; sent += piece.length) await client.send(piece);
    })().catch(() => {}); // it is closed
    const said = await door.inTime("a flood", client.rest());
    await sending;
    const refused = sent < FLOOD_BYTES && (said === "" || /^HTTP\/1\.1 4\d\d /.test(said));
    return { refused, got: `${said.split("\r\n")[0]}, after ${Math.ceil(sent / 2 ** 20)} MiB` };
  });
}

/** Paths that must not lead out of a session's files. */
function pathsOf({ canaries }: FrontDoor): readonly string[] {
  const up = "../".repeat(12);
  return [
    `mine/${up}etc/passwd`,
    `mine/${up.replaceAll("/", "%2f")}etc%2fpasswd`,
    `mine/${up.replaceAll(".", "%2e")}etc/passwd`,
    `mine/${up.replaceAll("../", "%252e%252e%252f")}etc/passwd`,
    `mine/${up.replaceAll("/", "\\")}etc\\passwd`,
    `mine/${up}${canaries.hostFile}`,
    `mine/${encodeURIComponent(canaries.hostFile)}`,
    `mine/${encodeURIComponent(`file://${canaries.hostFile}`)}`,
    "mine/%00",
    "mine/..",
    "mine/%2e%2e",
    "mine/",
    "mine/%ff%fe",
    "mine/%",
    `mine/${"x".repeat(5000)}`,
    "..%2f..%2fetc/passwd",
    "__proto__/x",
    "%00/x",
  ]; // deno-fmt-ignore
}

export const HTTP_BYTES: readonly Unfiled[] = [
  unserved("bodies whose length is told in two ways", "the request behind is not answered", (token) => ({
    "a length and chunks": post(
      `0\r\n\r\n${HEALTH}`,
      "Content-Length: 4",
      "Transfer-Encoding: chunked",
      token,
    ),
    "chunks and a length": post(
      `0\r\n\r\n${HEALTH}`,
      "Transfer-Encoding: chunked",
      "Content-Length: 4",
      token,
    ),
    "two lengths": post("7", "Content-Length: 1", "content-length: 2", token),
    "a list of lengths": post("7", "Content-Length: 1, 1", token),
    "a signed length": post("7", "Content-Length: +1", token),
    "a length beyond all": post("7", `Content-Length: ${2n ** 64n + 1n}`, token),
    "an unknown coding": post("0\r\n\r\n", "Transfer-Encoding: xchunked", token),
    "chunked twice": post("0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", token),
    "chunks in HTTP/1.0": post("0\r\n\r\n", "Transfer-Encoding: chunked", token).replace("1.1", "1.0"),
    "a space before the colon": post("7", "Content-Length : 1", token),
    "a header that goes on": get("/none", "X: a", " Content-Length: 5", token),
    "a CR inside of a header": get("/none", "X: a\rContent-Length: 5", token),
    "lines that end in LF": "GET /none HTTP/1.1\nHost: localhost\n\n",
    "a GET with a body": get("/none", `Content-Length: ${HEALTH.length}`, token),
  })),
  unserved(
    "chunks that are not what they say",
    "the request behind is not answered",
    (token) =>
      Object.fromEntries(
        Object.entries({
          "a size beyond all measure": "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
          "a negative size": "-2\r\n{}\r\n0\r\n\r\n",
          "a size with a prefix": "0x2\r\n{}\r\n0\r\n\r\n",
          "more than its size": "2\r\n{}}\r\n0\r\n\r\n",
          "lines that end in LF": "2\n{}\n0\n\n",
          "an extension without end": `2;${"x".repeat(100_000)}`,
          "trailers without end": `2\r\n{}\r\n0\r\n${"x: y\r\n".repeat(10_000)}`,
          "a request for a trailer": `2\r\n{}\r\n0\r\n${HEALTH}`,
        }).map(([what, chunks]) => [what, post(chunks, "Transfer-Encoding: chunked", token)]),
      ),
  ),
  unserved("other protocols", "the request behind is not answered", () => ({
    "HTTP/2 with prior knowledge": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    TLS: "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
    "HTTP/0.9": "GET /health\r\n\r\n",
    "HTTP/1.2": HEALTH.replace("1.1", "1.2"),
    SSH: "SSH-2.0-OpenSSH_9.9\r\n\r\n",
    "bytes of all kinds": String.fromCharCode(...Array.from({ length: 256 }, (_, n) => n)) + "\r\n\r\n",
  })),
  requests("methods and upgrades for others", "none is served", (door) => {
    const by = (method: string) => get("/mcp", door.token("bob"), CLOSE).replace("GET", method);
    const words = ["TRACE", "CONNECT", "PATCH", "PROPFIND", "get", "__proto__", "X".repeat(1000)];
    return Object.fromEntries(words.map((word) => [word, by(word)]));
  }, ({ status }) => [400, 405, 431, 501].includes(status)),
  requests("heads that are too large", "431 or 414", (door) => ({
    "a URL": get(`/mcp?${"x".repeat(200_000)}`, door.token("bob")),
    "a header": get("/mcp", `X: ${"x".repeat(200_000)}`, door.token("bob")),
    "many headers": get("/mcp", ...Array<string>(50_000).fill("X: y"), door.token("bob")),
    "a method": `${"G".repeat(200_000)} / HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  }), ({ status }) => status === 431 || status === 414),
  flood("a body of many gigabytes", "Content-Length: 99999999999", "x".repeat(65_536)),
  flood(
    "chunks without end",
    "Transfer-Encoding: chunked",
    `10000\r\n${"x".repeat(65_536)}\r\n`,
  ),
  requests("bodies that are no JSON-RPC, or too much of it", "4xx", (door) => {
    const token = door.token("bob");
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const many = `[${Array<string>(5000).fill('{"jsonrpc":"2.0","id":1,"method":"tools/list"}').join()}]`;
    const bodies = { deep, many, nothing: "", "no UTF-8": '"\xff\xfe"', null: "null", number: "1e999" };
    const all = Object.entries(bodies).map((
      [what, body],
    ) => [what, post(body, lengthOf(body), token, CLOSE)]);
    const zipped = post("\x1f\x8b", "Content-Length: 2", "Content-Encoding: gzip", token, CLOSE);
    const form = post(INITIALIZE, lengthOf(INITIALIZE), token, CLOSE).replace(
      "application/json",
      "text/plain",
    );
    return { ...Object.fromEntries(all), zipped, "a page's form": form };
  }),
  http("paths of files that lead out of their session", "none is served", async (door) => {
    await door.call("bob", "create_session", { session_id: "mine" });
    const through: string[] = [];
    const paths = pathsOf(door);
    for (const path of paths) {
      for (const method of ["GET", "PUT"]) {
        const body = method === "PUT" ? "x" : "";
        const head = get(`/files/${path}`, door.token("bob"), CLOSE, ...body ? [lengthOf(body)] : []);
        const { status } = await door.ask(head.replace("GET", method) + body);
        if (method === "GET" ? status < 400 : status < 400 && !await isInSession(door)) {
          through.push(`${method} ${path} (${status})`);
        }
      }
    }
    await door.call("bob", "destroy_session", { session_id: "mine" });
    return {
      refused: through.length === 0,
      got: `${paths.length} tried, through: ${through.join(", ") || "none"}`,
    };
  }),
];

/** A name that is odd, but a name, may be written: into the session, where else. */
async function isInSession(door: FrontDoor): Promise<boolean> {
  const { structured } = await door.call("bob", "list_files", { session_id: "mine", recursive: true });
  const files = structured["files"] ?? structured["entries"];
  return Array.isArray(files) && files.length > 0;
}
