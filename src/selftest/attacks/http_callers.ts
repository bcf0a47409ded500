/** Who may call: forged names, origins and tokens, and what belongs to somebody else. */

import { http, type Unfiled } from "../attack.ts";
import type { FrontDoor, Principal } from "../front_door.ts";
import { ACCEPTS, allRefused, CLOSE, INITIALIZE, requests, toolCall } from "../http_requests.ts";
import { get, lengthOf, post } from "../raw_http.ts";

const FOREIGN = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "evil.example."];
const NO_NAMES = [
  "",
  "evil.example@localhost",
  "localhost:x",
  "localhost/../mcp?",
  "a b",
  "[::1",
  "localhost,evil.example",
];

const byName = (names: readonly string[], request: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [JSON.stringify(name), request(name)]));

/** A request to the MCP endpoint with a body of its own. */
const mcp = (body: string, ...headers: string[]) => post(body, lengthOf(body), CLOSE, ACCEPTS, ...headers);

/** Opens an MCP session. @returns The header that names it. */
async function openSession(door: FrontDoor, principal: Principal): Promise<string> {
  const { head } = await door.ask(mcp(INITIALIZE, door.token(principal)));
  return /^mcp-session-id: .*$/im.exec(head)?.[0] ?? "no session";
}

/** The three ways to use an MCP session. */
const uses = (session: string, token: string) => ({
  "a call": mcp(toolCall("list_sessions", {}), session, token),
  "its stream": get("/mcp", session, token, "Accept: text/event-stream", CLOSE),
  "its end": get("/mcp", session, token, CLOSE).replace("GET", "DELETE"),
});

function tokensOf(door: FrontDoor): Record<string, string> {
  const [, , token = ""] = door.token("alice").split(" ");
  const half = token.slice(0, token.length / 2);
  return {
    none: "X: y",
    "the wrong scheme": `Authorization: Basic ${btoa(`alice:${token}`)}`,
    "no scheme": `Authorization: ${token}`,
    "nothing behind the scheme": "Authorization: Bearer",
    "half of it": `Authorization: Bearer ${half}`,
    "more than it": `Authorization: Bearer ${token}0`,
    "it twice": `Authorization: Bearer ${token} ${token}`,
    "another case": `Authorization: Bearer ${token.toUpperCase()}`,
    "its owner's name": "Authorization: Bearer alice",
    "a name of every object": "Authorization: Bearer __proto__",
    "a megabyte less": `Authorization: Bearer ${"x".repeat(20_000)}`,
    "no signature": `Authorization: Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"alice"}')}.`,
    "a cookie": `Cookie: token=${token}; Authorization=Bearer ${token}`,
    "a proxy's header":
      `X-Forwarded-User: alice\r\nX-Forwarded-For: 127.0.0.1\r\nProxy-Authorization: Bearer ${token}`,
  };
}

export const HTTP_CALLERS: readonly Unfiled[] = [
  requests("Host names of others, and none: a page that rebinds its name", "403 or 400", (door) => ({
    ...byName(
      [...FOREIGN, ...NO_NAMES],
      (host) => mcp(INITIALIZE, door.token("bob")).replace("Host: localhost", `Host: ${host}`),
    ),
    "no Host": mcp(INITIALIZE, door.token("bob")).replace("Host: localhost\r\n", ""),
    "two hosts": mcp(INITIALIZE, door.token("bob"), "Host: evil.example"),
    "a whole URL": mcp(INITIALIZE, door.token("bob")).replace("/mcp", "http://evil.example/mcp"),
  }), ({ status }) => status === 403 || status === 400),
  requests("Origins of others", "403", (door) =>
    byName(
      [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "file://",
      ],
      (origin) => mcp(INITIALIZE, door.token("bob"), `Origin: ${origin}`),
    ), ({ status }) => status === 403),
  requests("tokens that are missing, forged, cut or in other places", "401", (door) => {
    const forged = Object.entries(tokensOf(door)).map(([what, header]) => [what, mcp(INITIALIZE, header)]);
    const [, , token] = door.token("alice").split(" ");
    const query = mcp(INITIALIZE).replace("/mcp", `/mcp?access_token=${token}&token=${token}`);
    return { ...Object.fromEntries(forged), "the query": query };
  }, ({ status }) => status === 401),
  requests("two tokens in one request", "401 or 400", (door) => ({
    "his and hers": mcp(INITIALIZE, door.token("bob"), door.token("alice")),
    "a wrong one and his": mcp(INITIALIZE, "Authorization: Bearer wrong", door.token("bob")),
  }), ({ status }) => status === 401 || status === 400),
  requests("metrics and files without the right token", "401 or 404", (door) => ({
    "metrics, without": get("/metrics", CLOSE),
    "metrics, by a client": get("/metrics", door.token("alice"), CLOSE),
    "files, without": get(`/files/${door.bystander}/secret.txt`, CLOSE),
    "files, by a forger": get(`/files/${door.bystander}/secret.txt`, "Authorization: Bearer wrong", CLOSE),
  }), ({ status }) => status === 401 || status === 404),
  http("a session of the sandbox by another's name", "a session of his own, empty", async (door) => {
    const session_id = door.bystander;
    const { structured } = await door.call("bob", "execute_code", {
      session_id,
      code: "import os\n['secret' in globals(), os.listdir()]",
    });
    const listed = await door.call("bob", "list_sessions", {});
    await door.call("bob", "destroy_session", { session_id });
    const sessions = (listed.structured["sessions"] as readonly unknown[]).length;
    const got = `${structured["result"]}, ${sessions} session`;
    return { refused: got === "[False, []], 1 session", got };
  }),
  requests("files of another's session", "404", (door) => {
    const target = `/files/${door.bystander}/secret.txt`;
    const request = (method: string) => get(target, door.token("bob"), CLOSE).replace("GET", method);
    return {
      reading: request("GET"),
      looking: request("HEAD"),
      writing: request("PUT").replace(CLOSE, `${CLOSE}\r\nContent-Length: 1`) + "x",
      deleting: request("DELETE"),
    };
  }, ({ status }) => status === 404),
  http("an MCP session of somebody else", "404, and it goes on", async (door) => {
    const session = await openSession(door, "alice");
    const finding = await allRefused(door, uses(session, door.token("bob")), ({ status }) => status === 404);
    const { status } = await door.ask(mcp(toolCall("list_sessions", {}), session, door.token("alice")));
    await door.ask(uses(session, door.token("alice"))["its end"]);
    return status === 200 ? finding : { refused: false, got: `its owner got ${status}` };
  }),
  http("an MCP session that has ended", "404", async (door) => {
    const session = await openSession(door, "bob");
    await door.ask(uses(session, door.token("bob"))["its end"]);
    return await allRefused(door, uses(session, door.token("bob")), ({ status }) => status === 404);
  }),
  requests("forged ids of MCP sessions", "404 or 400", (door) =>
    byName(
      [
        "",
        "__proto__",
        "constructor",
        "../mcp",
        "default",
        "0",
        crypto.randomUUID(),
        "x".repeat(10_000),
        "a, b",
      ],
      (id) => mcp(toolCall("list_sessions", {}), `Mcp-Session-Id: ${id}`, door.token("bob")),
    ), ({ status }) => status === 404 || status === 400),
  http("the events of somebody else's stream, by their ids", "none of them", async (door) => {
    const alice = await openSession(door, "alice");
    const bob = await openSession(door, "bob");
    const shown = "console.log('of alice alone')";
    const call = toolCall("execute_code", { language: "javascript", code: shown });
    const { body } = await door.ask(mcp(call, alice, door.token("alice")));
    const ids = [...body.matchAll(/^id: (.*)$/gm)].map((match) => match[1]!.trim());
    const finding = await allRefused(
      door,
      byName(
        [...ids, "0", "x".repeat(10_000), "__proto__"],
        (id) =>
          get("/mcp", bob, door.token("bob"), `Last-Event-ID: ${id}`, "Accept: text/event-stream", CLOSE),
      ),
      ({ status, body }) => status >= 400 && !body.includes("of alice alone"),
    );
    await door.ask(uses(alice, door.token("alice"))["its end"]);
    await door.ask(uses(bob, door.token("bob"))["its end"]);
    if (ids.length === 0 || !body.includes("of alice alone")) {
      return { refused: false, got: `no events: ${body}` };
    }
    return finding;
  }),
];
