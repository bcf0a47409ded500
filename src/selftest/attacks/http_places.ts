/** Connections that take places, and give none back of their own accord. */

import { http, type Unfiled } from "../attack.ts";
import { IDLE_MS, PLACES } from "../front_door.ts";
import { toolCall } from "../http_requests.ts";
import { get, lengthOf, post } from "../raw_http.ts";

const HEALTH = get("/health");
/** More than there is room for between server and client. */
const FILE_BYTES = 10_000_000;
/** As a server promises it, and time for a machine that is busy. */
const CLOSED_WITHIN_MS = 1.25 * IDLE_MS + 5_000;

/** As many connections as there are places, each of which has sent that. The server must close them. */
function squatters(name: string, beginning: (token: string, at: number) => string): Unfiled {
  return http(name, "they lose their places", async (door) => {
    const token = door.token("bob");
    const clients = await Promise.all(
      Array.from({ length: PLACES }, (_, at) => door.connect(beginning(token, at))),
    );
    const started = performance.now();
    await door.inTime("the last connection", Promise.all(clients.map((client) => client.rest())));
    const ms = performance.now() - started;
    return { refused: ms < CLOSED_WITHIN_MS, got: `closed after ${Math.round(ms)} ms` };
  });
}

export const HTTP_PLACES: readonly Unfiled[] = [
  squatters("requests that never end", (token, at) =>
    [
      "",
      "POST",
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: `,
      `${post("", "Content-Length: 1000", token)}{`,
      post("5\r\n{", "Transfer-Encoding: chunked", token),
      HEALTH,
    ][at % 6]!),
  http("a request that comes byte by byte", "its connection is closed", async (door) => {
    using client = await door.connect("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    const started = performance.now();
    let over = false;
    const closed = client.rest().finally(() => over = true);
    while (!over && performance.now() - started < CLOSED_WITHIN_MS) {
      await client.send("x").catch(() => {});
      await door.ask(get("/health", "Connection: close")); // others are served meanwhile
    }
    if (!over) return { refused: false, got: "it is still open" };
    await closed;
    return { refused: true, got: `closed after ${Math.round(performance.now() - started)} ms` };
  }),
  http("answers that nobody reads, by clients that then go", "their places are free", async (door) => {
    const code = `require("fs").writeFileSync("large", "x".repeat(${FILE_BYTES}))`;
    await door.call("bob", "execute_code", { language: "javascript", code, session_id: "left" });
    const file = get("/files/left/large", door.token("bob"));
    const deaf = await Promise.all([file, file, file.repeat(3)].map((text) => door.connect(text)));
    // What is answered has begun to arrive, and nothing more of it is read.
    await door.inTime("an answer", Promise.all(deaf.map((client) => client.more())));
    for (const client of deaf) client[Symbol.dispose]();
    await door.allPlaces();
    await door.call("bob", "destroy_session", { session_id: "left" });
    return { refused: true, got: "all places are free" };
  }),
  http("clients that go away in the middle of everything", "their places are free", async (door) => {
    for (const left of ["", "GET / HT", HEALTH, post("{", "Content-Length: 9", door.token("bob"))]) {
      const gone = await Promise.all(Array.from({ length: PLACES }, () => door.connect(left)));
      for (const client of gone) client[Symbol.dispose]();
      await door.allPlaces();
    }
    return { refused: true, got: "all places are free" };
  }),
  http("ten times as many connections as there are places", "no more are let in", async (door) => {
    const clients = await Promise.all(Array.from({ length: 10 * PLACES }, () => door.connect(HEALTH)));
    const statuses = await Promise.all(
      clients.map((client) => client.answer().then(({ status }) => status, () => 0)),
    );
    for (const client of clients) client[Symbol.dispose]();
    const served = statuses.filter((status) => status === 200).length;
    const refused = statuses.filter((status) => status === 503).length;
    return {
      refused: served <= PLACES && served + refused === clients.length,
      got: `${served} let in, ${refused} told so`,
    };
  }),
  http("programs whose clients hang up", "they are stopped", async (door) => {
    const call = toolCall("execute_code", {
      language: "javascript",
      code: "for (;;);",
      session_id: "left",
      timeout: 60,
    });
    const request = post(call, lengthOf(call), door.token("bob"));
    const running = async () => {
      const { structured } = await door.call("bob", "list_sessions", {});
      return (structured["sessions"] as { running: unknown[] }[]).reduce(
        (sum, each) => sum + each.running.length,
        0,
      );
    };
    for (let n = 0; n < 2; n++) {
      using _client = await door.connect(request);
      while (await running() === 0);
    }
    while (await running() > 0);
    const { isError } = await door.call("bob", "destroy_session", { session_id: "left" });
    return { refused: !isError, got: "none runs any more" };
  }),
];
