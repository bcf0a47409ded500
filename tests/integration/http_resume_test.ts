import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { eventually } from "../support/eventually.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { HttpServer, initialize } from "../support/http_harness.ts";
import { sharedHttpServer } from "../support/shared.ts";

/** The options of these servers are for the tests' own, which runs from source only. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

interface Event {
  readonly id: string | undefined;
  readonly data: { readonly id?: number; readonly method?: string; readonly result?: unknown } | undefined;
}

/** The events of a stream, as they arrive. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let rest = "";
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) =>
        block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (field("id") === undefined && !data) continue; // a comment that keeps the connection alive
      yield { id: field("id"), data: data ? JSON.parse(data) : undefined };
    }
  }
}

/** A client that knows nothing but HTTP. */
class RawClient {
  #calls = 10;

  private constructor(readonly server: HttpServer, readonly headers: Record<string, string>) {}

  static async open(server: HttpServer): Promise<RawClient> {
    const response = await server.post(initialize());
    const headers = {
      "mcp-session-id": response.headers.get("mcp-session-id")!,
      "mcp-protocol-version": "2025-11-25",
    };
    for await (const { data } of eventsOf(response)) if (data?.id === 1) assert.ok(data.result);
    await (await server.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers)).body
      ?.cancel();
    return new RawClient(server, headers);
  }

  /** Calls a tool. @returns The id of the request, and its stream. */
  async call(name: string, args: Record<string, unknown>, signal?: AbortSignal) {
    const id = ++this.#calls;
    const params = { name, arguments: args, _meta: { progressToken: id } };
    const message = { jsonrpc: "2.0", id, method: "tools/call", params };
    return { id, response: await this.server.post(message, this.headers, signal) };
  }

  /** What a tool says. */
  async result(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { id, response } = await this.call(name, args);
    for await (const { data } of eventsOf(response)) if (data?.id === id) return JSON.stringify(data.result);
    throw new Error("the stream had no answer");
  }

  async print(characters: number): Promise<void> {
    const code = `console.log("x".repeat(${characters}))`;
    await this.result("execute_code", { code, language: "javascript" });
  }

  async resume(lastEventId: string): Promise<Response> {
    return await fetch(this.server.url, {
      headers: { ...this.headers, accept: "text/event-stream", "last-event-id": lastEventId },
    });
  }

  /** Starts a call and breaks its connection after the first event. @returns That event's id, and the request's. */
  async breakOff(code: string): Promise<{ lastEventId: string; id: number }> {
    const broken = new AbortController();
    const { id, response } = await this.call("execute_code", { code, language: "javascript" }, broken.signal);
    const { value } = await eventsOf(response).next();
    broken.abort();
    assert.ok(value?.id !== undefined, "the first event has an id");
    return { lastEventId: value.id, id };
  }

  /** Settles when nothing runs in this client's sessions. */
  async quiet(): Promise<void> {
    await eventually(
      "nothing runs any more",
      () => this.result("list_sessions"),
      (sessions) => !/"phase":"(queued|running)"/.test(sessions),
    );
  }
}

const SLOW = `console.log("begun"); await new Promise((resolve) => setTimeout(resolve, 500)); 6 * 7`;

test("a client whose connection broke has the rest of its call's stream: output, and the result", async () => {
  const server = await sharedHttpServer();
  const client = await RawClient.open(server);
  const { lastEventId, id } = await client.breakOff(SLOW);
  const seen: Event[] = [];
  for await (const event of eventsOf(await client.resume(lastEventId))) seen.push(event);
  const answers = seen.filter(({ data }) => data?.id === id);
  assert.equal(answers.length, 1, "the stream ends with the answer, given once");
  assert.match(JSON.stringify(answers[0]), /"result":"42"/);
  assert.ok(
    seen.some(({ data }) => data?.method === "notifications/progress"),
    "and before it came progress",
  );
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, "no event comes twice");
});

test("a connection that broke without a word, and looks open to the server, stands in nobody's way", async () => {
  const server = await sharedHttpServer();
  const client = await RawClient.open(server);
  const { id, response } = await client.call("execute_code", { code: SLOW, language: "javascript" });
  const first = eventsOf(response);
  const { value } = await first.next();
  const resumed = await client.resume(value!.id!);
  assert.equal(resumed.status, 200);
  const answers = (await Array.fromAsync(eventsOf(resumed))).filter(({ data }) => data?.id === id);
  assert.equal(answers.length, 1);
  assert.match(JSON.stringify(answers[0]), /"result":"42"/);
  const rest = await Array.fromAsync(first);
  assert.ok(rest.every(({ data }) => data?.id !== id), "the answer went where it was asked for last");
});

test("a result that nobody was there for is kept", async () => {
  const server = await sharedHttpServer();
  const client = await RawClient.open(server);
  const { lastEventId, id } = await client.breakOff(SLOW);
  await client.quiet();
  for (let again = 0; again < 2; again++) { // as often as it is asked for
    const events = await Array.fromAsync(eventsOf(await client.resume(lastEventId)));
    assert.match(JSON.stringify(events.find(({ data }) => data?.id === id)), /"result":"42"/);
  }
});

test("the official client goes on by itself when its connection breaks", async () => {
  const server = await sharedHttpServer();
  let breaks = 0;
  const transport = new StreamableHTTPClientTransport(server.url, {
    reconnectionOptions: {
      initialReconnectionDelay: 10,
      maxReconnectionDelay: 10,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 3,
    },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!String(init?.body).includes("tools/call") || breaks++ > 0) return response;
      // Its first event arrives, and then the connection is gone.
      const [first] = await Array.fromAsync(take(response.body!, 1));
      let given = false;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (given) return controller.error(new Error("connection reset"));
          given = true;
          controller.enqueue(first!);
        },
      });
      return new Response(body, { headers: response.headers });
    },
  });
  const client = new Client({ name: "resuming", version: "1" });
  await client.connect(transport);
  const result = await client.callTool({
    name: "execute_code",
    arguments: { code: SLOW, language: "javascript" },
  });
  assert.equal((result.structuredContent as { result: string }).result, "42");
  assert.equal(breaks, 1);
  await client.close();
});

async function* take<T>(stream: ReadableStream<T>, count: number): AsyncGenerator<T> {
  const reader = stream.getReader();
  for (let i = 0; i < count; i++) {
    const { value, done } = await reader.read();
    if (done) break;
    yield value;
  }
  await reader.cancel();
}

test("nobody resumes another's stream, whatever id they name", async () => {
  const server = await sharedHttpServer();
  const [mine, other] = [await RawClient.open(server), await RawClient.open(server)];
  const { lastEventId } = await mine.breakOff(`console.log("secret"); 1`);
  await mine.quiet();
  for (const id of [lastEventId, "1", "0", "-1", "999999", "__proto__", "1e0", " 1", "x".repeat(4000)]) {
    const response = await other.resume(id);
    const text = response.ok
      ? JSON.stringify(await Array.fromAsync(eventsOf(response)))
      : await response.text();
    assert.doesNotMatch(text, /secret/);
    assert.ok(response.ok || response.status === 400, `${response.status}`);
  }
});

test("what is kept is bounded for a session, and a stream with a gap is refused, not shown as whole", async () => {
  await using server = await HttpServer.start({ resumeMaxBytes: 2_000_000 });
  const client = await RawClient.open(server);
  const { lastEventId } = await client.breakOff("1");
  await client.quiet();
  assert.equal((await client.resume(lastEventId).then(drained)).status, 200);
  for (let i = 0; i < 4; i++) await client.print(700_000);
  const refused = await client.resume(lastEventId);
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /is not known any more.*can't be had again/);
  assert.match(await client.result("execute_code", { code: "1 + 1" }), /"result":"2"/);
});

test("what is kept for all is bounded: the oldest goes, whoever's it is", async () => {
  await using server = await HttpServer.start({ resumeTotalBytes: 2_000_000 });
  const [mine, other] = [await RawClient.open(server), await RawClient.open(server)];
  const { lastEventId } = await mine.breakOff("1");
  await mine.quiet();
  for (let i = 0; i < 4; i++) await other.print(700_000);
  assert.equal((await mine.resume(lastEventId).then(drained)).status, 400);
});

test("events are kept for a time only, or not at all", async () => {
  await using brief = await HttpServer.start({ resumeMs: 1 });
  const client = await RawClient.open(brief);
  const { lastEventId } = await client.breakOff("1");
  await client.quiet();
  assert.equal((await client.resume(lastEventId).then(drained)).status, 400);

  await using never = await HttpServer.start({ resumeMs: 0 });
  const { response } = await (await RawClient.open(never)).call("list_sessions", {});
  const events = await Array.fromAsync(eventsOf(response));
  assert.deepEqual(events.map(({ id }) => id), events.map(() => undefined));
});

async function drained(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}
