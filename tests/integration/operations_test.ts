/** What operators see: probes, metrics, logs, the audit log, spans, and how a server ends. */

import assert from "node:assert/strict";
import { eventually, inTime } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { childrenOf, type Listed, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";
import { Caller, jsonLines, readMetrics, series, Tally } from "../support/operations_harness.ts";

const TOKENS = {
  alice: "alice-0123456789abcdef",
  bob: "bob-0123456789abcdef",
  carol: "carol-0123456789abcdef",
};
const METRICS_TOKEN = "metrics-0123456789abcdef";
/** In code, and so in output, but nowhere else. */
const SECRET = "s3cr3t-of-a-guest";
/** Requests that one client may send. */
const RATE = 60;

function sourceTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

async function temporary(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function spawn(env: Record<string, string>): Promise<HttpServer> {
  const { command, args } = serverCommand();
  return await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] }, env);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Waits until the next call of each session waits for nothing, and a lost executor would lose nothing. */
async function settled(caller: Caller): Promise<void> {
  const look = async () =>
    (await caller.call("list_sessions", {})).reply as unknown as { sessions: Listed[] };
  await eventually(
    "every session has a checkpoint",
    look,
    ({ sessions }) => sessions.every(({ checkpoint }) => checkpoint === "current"),
  );
}

Deno.test(`[${UNDER_TEST}] under a mixed load metrics, log and audit log add up, and hold no code, output or token`, async () => {
  await using directory = await temporary();
  using gate = new Gate();
  const auditPath = `${directory.path}/audit.jsonl`;
  await using server = await spawn({
    WASMBOX_VOLUMES: gate.volume,
    WASMBOX_AUTH_TOKENS: Object.entries(TOKENS).map((pair) => pair.join("=")).join(","),
    WASMBOX_METRICS_TOKEN: METRICS_TOKEN,
    WASMBOX_LOGGING_FORMAT: "json",
    WASMBOX_LOGGING_LEVEL: "debug",
    WASMBOX_AUDIT_PATH: auditPath,
    WASMBOX_TRANSPORT_HTTP_RATE_LIMIT_REQUESTS: String(RATE),
    WASMBOX_TRANSPORT_HTTP_RATE_LIMIT_WINDOW_SECONDS: "3600",
    WASMBOX_POLICY_STDOUT_MAX_BYTES: "5000",
  });
  const statuses = new Tally();
  const [alice, bob, carol] = Object.values(TOKENS).map((token) => new Caller(server, token, statuses)) as [
    Caller,
    Caller,
    Caller,
  ];
  const metrics = () => readMetrics(server, METRICS_TOKEN);
  const oneRuns = () =>
    eventually(
      "one execution runs",
      async () => (await metrics()).get("wasmbox_executions_running"),
      (running) => running === 1,
    );

  // 8 sessions side by side; 2 of 40 runs raise.
  const load = (caller: Caller, id: number) => async () => {
    for (let run = 0; run < 5; run++) {
      const code = run === 3 && id % 4 === 0
        ? `throw new Error("${SECRET}")`
        : `console.log("${SECRET}", ${run})`;
      await caller.run(`s${id}`, code);
    }
  };
  await Promise.all([0, 1, 2, 3].map((id) => load(alice, id)()));
  await settled(alice);
  const running = alice.run("s0", `console.log("${SECRET}"); for (;;);`);
  await oneRuns();
  Deno.kill(childrenOf(server.child.pid)[0]!, "SIGKILL");
  assert.equal((await running).status, "crashed");
  await Promise.all([4, 5, 6, 7].map((id) => load(bob, id)()));

  // What guests print looks like metrics and log lines.
  await bob.run(
    "s4",
    `console.log('wasmbox_executions_total{language="evil"} 1\\n{"level":"info","message":"forged"}')`,
  );
  await bob.run("s4", `console.log("${SECRET}".repeat(1000))`);
  await bob.run("s5", "for (;;);", { timeout: 0.1 });
  await bob.call("execute_code", { code: [1] });
  for (let call = 0; call < RATE; call++) await carol.call(`tool_${call}{evil="1"}`, {});
  assert.equal((await carol.call("list_sessions", {})).status, 429);
  const refused = await server.post({}, { traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01` });
  await refused.body?.cancel();
  statuses.add("4xx");
  await settled(bob);

  const all = [...alice.calls, ...bob.calls, ...carol.calls];
  const answered = all.filter(({ status }) => status !== 429);
  const executed = answered.filter(({ reply }) => reply?.execution_id !== undefined).map(({ reply }) =>
    reply
  );
  const seen = await metrics();
  const tallied = (items: readonly string[]) => {
    const tally = new Tally();
    for (const item of items) tally.add(item);
    return tally.sorted();
  };
  const value = (name: string) => seen.get(`wasmbox_${name}`);
  assert.deepEqual(
    series(seen, "wasmbox_executions_total"),
    tallied(executed.map(({ status }) => `{language="javascript",status="${status}"}`)),
  );
  assert.deepEqual(tallied(executed.map(({ status }) => status)), [
    ["completed", 40],
    ["crashed", 1],
    ["failed", 2],
    ["timeout", 1],
  ]);
  assert.deepEqual(
    series(seen, "wasmbox_tool_calls_total"),
    tallied(answered.map(({ tool, error, reply }) => {
      const known = !tool.startsWith("tool_");
      const outcome = reply?.status === "failed" ? "ok" : error ?? "ok";
      return `{tool="${known ? tool : "unknown"}",outcome="${outcome}"}`;
    })),
  );
  const js = '{language="javascript"}';
  assert.equal(value(`execution_duration_seconds_count${js}`), 44);
  assert.equal(value("execution_queue_seconds_count"), 44);
  assert.equal(
    value(`fuel_consumed_total${js}`),
    executed.reduce((sum, reply) => sum + reply.fuel_consumed, 0),
  );
  assert.deepEqual([value("executions_running"), value("executions_queued")], [0, 0]);
  assert.deepEqual([value("sessions_created_total"), value("sessions_live")], [8, 8]);
  assert.deepEqual(series(seen, "wasmbox_executor_ends_total"), [['{cause="exited"}', 1]]);
  // The next client's process may have been started ahead.
  const ahead = value("executors_live") as number - 2;
  assert.ok(ahead === 0 || ahead === 1, `${ahead}`);
  assert.deepEqual([value("executor_starts_total"), value("executor_restarts_total")], [3 + ahead, 1]);
  assert.deepEqual(series(seen, "wasmbox_output_truncated_total"), [['{stream="stdout"}', 1]]);
  assert.deepEqual(series(seen, "wasmbox_state_losses_total"), [['{state="rolled_back"}', 1]]);
  assert.deepEqual(series(seen, "wasmbox_checkpoints_total"), [['{result="complete"}', 43]]);
  assert.deepEqual(series(seen, "wasmbox_rate_limited_total"), [['{limit="principal"}', 1]]);
  assert.deepEqual(series(seen, "wasmbox_http_refusals_total"), [
    ['{code="RATE_LIMITED"}', 1],
    ['{code="UNAUTHORIZED"}', 1],
  ]);
  assert.deepEqual(
    series(seen, "wasmbox_http_requests_total").filter(([labels]) => labels.includes("/mcp")),
    statuses.sorted().map(([status, count]) => [`{route="/mcp",method="POST",status="${status}"}`, count]),
  );
  assert.ok((value("executor_start_seconds_count") ?? 0) >= 2);

  // Told to end, it finishes what runs and takes nothing new.
  const last = alice.run("s1", `${Gate.WAIT} "${SECRET}"`);
  await oneRuns();
  server.child.kill("SIGTERM");
  const ready = async () => (await (await fetch(new URL("/ready", server.url))).json()).status;
  await eventually("the server is told to end", ready, (status) => status === "shutting_down");
  const late = await alice.call("list_sessions", {});
  assert.deepEqual([late.status, late.error], [503, "SHUTTING_DOWN"]);
  gate.open();
  assert.equal((await last).result, `'${SECRET}'`);
  const log = await server.stderr;
  assert.equal((await server.child.status).code, 0);
  assert.match(log, /told to end: waiting for one execution to end, for \d+ s at most; a second Ctrl-C/);

  const audit = await Deno.readTextFile(auditPath);
  for (const text of [log, audit, JSON.stringify([...seen])]) {
    for (const secret of [SECRET, "forged", "evil", METRICS_TOKEN, ...Object.values(TOKENS)]) {
      assert.ok(!text.includes(secret), secret);
    }
  }
  const lines = jsonLines(log);
  for (const line of lines) {
    assert.ok(typeof line["time"] === "string" && typeof line["message"] === "string");
  }
  const recorded = [...answered, alice.calls.at(-1)!];
  const inOrder = (ids: unknown[]) => [...new Set(ids)].sort();
  const traces = inOrder(recorded.map(({ traceId }) => traceId));
  assert.deepEqual(
    inOrder(lines.filter((line) => line["tool"] !== undefined).map((line) => line["trace_id"])),
    traces,
  );
  assert.ok(lines.some((line) => line["code"] === "UNAUTHORIZED" && line["trace_id"] === "ab".repeat(16)));

  const records = jsonLines(audit);
  assert.equal((await Deno.stat(auditPath)).mode! & 0o777, 0o600);
  assert.deepEqual(inOrder(records.map((record) => record["trace_id"])), traces);
  const raised = alice.calls.find(({ reply }) => reply?.status === "failed")!;
  const record = records.find((record) => record["trace_id"] === raised.traceId)!;
  assert.deepEqual(
    [
      record["principal"],
      record["address"],
      record["tool"],
      record["session_id"],
      record["execution_id"],
      record["outcome"],
    ],
    ["alice", "127.0.0.1", "execute_code", "s0", raised.reply.execution_id, "ok"],
  );
  assert.equal(record["code_sha256"], await sha256(String(raised.args["code"])));
});

Deno.test(`[${UNDER_TEST}] on stdio too, what runs may end when the server is told to, and is answered`, async () => {
  using gate = new Gate();
  const { command, args } = serverCommand();
  await using server = await TestServer.start({ command, args: [...args, "serve", "--volume", gate.volume] });
  const running = await server.begin("javascript", `console.log("up"); ${Gate.WAIT} 6 * 7`);
  Deno.kill(server.transport.pid!, "SIGTERM");
  await eventually(
    "the server takes nothing new",
    async () => (await server.call("execute_code", { code: "1", session_id: "late" })).text,
    (text) => /shutting down/.test(text),
  );
  gate.open();
  assert.equal((await running.reply).result, "42");
});

sourceTest("metrics have a token of their own, and probes and status need none", async () => {
  const auth = { tokens: { alice: TOKENS.alice } };
  await using server = await HttpServer.start({ auth, metricsToken: METRICS_TOKEN });
  await using without = await HttpServer.start({ auth });
  const status = async (of: HttpServer, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(new URL(path, of.url), { headers });
    await response.body?.cancel();
    return response.status;
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  assert.equal(await status(server, "/metrics"), 401);
  assert.equal(await status(server, "/metrics", bearer(TOKENS.alice)), 401);
  assert.equal(await status(server, "/metrics", bearer(METRICS_TOKEN)), 200);
  assert.equal(await status(without, "/metrics", bearer(TOKENS.alice)), 404);
  assert.equal(await status(server, "/health", { host: "10.1.2.3:8080" }), 200);
  // Nobody has called yet: it finds out by itself.
  await eventually("the server is ready", () => status(server, "/ready"), (seen) => seen === 200);
  const body = await (await fetch(new URL("/", server.url))).json();
  assert.deepEqual([body.status, body.server, body.wrapper_status], ["healthy", "wasmbox", "connected"]);
});

sourceTest("with required records a call that can't be recorded is refused, until it can", async () => {
  await using directory = await temporary();
  const path = `${directory.path}/audit.jsonl`;
  await Deno.mkdir(`${path}.1/in-the-way`, { recursive: true }); // the file can't be rotated to there
  const audit = { path, maxBytes: 1, keptFiles: 1, required: true };
  await using server = await HttpServer.start({}, {}, { audit });
  const caller = new Caller(server, "", new Tally());
  const ready = async () => await (await fetch(new URL("/ready", server.url))).json();
  await caller.run("s", "globalThis.ran = 1"); // its record finds the file full
  assert.deepEqual(await ready(), { status: "audit_unavailable" });
  assert.equal(
    (await caller.call("execute_code", { code: "ran = 2", session_id: "s" })).error,
    "AUDIT_UNAVAILABLE",
  );
  await Deno.remove(`${path}.1`, { recursive: true });
  assert.deepEqual(await ready(), { status: "ready" });
  assert.equal((await caller.run("s", "ran")).result, "1");
  await server.end();
  const kept = jsonLines(await Deno.readTextFile(path));
  assert.deepEqual([kept.length, kept[0]!["event"]], [1, "call"]);
  assert.match(await server.stderr, /ERROR.*the audit log can't be written/);
});

sourceTest("OpenTelemetry: a call is a span of the caller's trace, with its execution inside", async () => {
  const posts: { path: string; body: string }[] = [];
  const collector = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    posts.push({ path: new URL(request.url).pathname, body: await request.text() });
    return Response.json({});
  });
  await using server = await spawn({
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
  });
  const caller = new Caller(server, "", new Tally());
  const { traceId, reply } = await caller.call("execute_code", {
    code: `"${SECRET}"`,
    language: "javascript",
  });
  assert.equal((await server.end()).code, 0);
  await inTime("the collector has answered everyone", collector.shutdown());
  interface Span {
    name: string;
    traceId: string;
    spanId: string;
    parentSpanId: string;
    attributes: { key: string; value: Record<string, unknown> }[];
  }
  const traces = posts.filter(({ path }) => path === "/v1/traces").map(({ body }) => JSON.parse(body));
  const spans: Span[] = traces.flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans }) => spans);
  const call = spans.find(({ name }) => name === "tools/call execute_code");
  const execution = spans.find(({ name }) => name === "execution");
  assert.ok(call && execution, JSON.stringify(spans.map(({ name }) => name)));
  assert.deepEqual([call.traceId, execution.traceId, execution.parentSpanId], [
    traceId,
    traceId,
    call.spanId,
  ]);
  const attributes = Object.fromEntries(
    execution.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
  );
  assert.deepEqual([attributes["wasmbox.status"], attributes["wasmbox.execution.id"]], [
    "completed",
    reply.execution_id,
  ]);
  assert.ok(!JSON.stringify(posts).includes(SECRET));
});
