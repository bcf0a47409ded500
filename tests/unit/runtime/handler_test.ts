/** A program's `handler`, called after it has run, in both languages. */

import assert from "node:assert/strict";
import type { HandlerCall, RunOutcome } from "../../../src/runtime/runtime.ts";
import { Session as JavaScriptSession } from "../../support/javascript_harness.ts";
import { errorOf, Session as PythonSession } from "../../support/python_harness.ts";

interface Program {
  readonly python: string;
  readonly javascript: string;
}

const python = new PythonSession();
const javascript = new JavaScriptSession();

function call(event: unknown, more: Partial<HandlerCall> = {}): HandlerCall {
  return { event: JSON.stringify(event), context: "{}", timeoutMs: 30_000, required: true, ...more };
}

/** Runs both and gives each outcome to `check`. */
async function inBoth(
  program: Program,
  handler: HandlerCall,
  check: (outcome: RunOutcome & { stdout: string }, language: string) => void,
) {
  check(await python.run(program.python, { handler }), "python");
  check(await javascript.run(program.javascript, { handler }), "javascript");
}

async function returned(program: Program, handler: HandlerCall): Promise<unknown[]> {
  const values: unknown[] = [];
  await inBoth(program, handler, (outcome, language) => {
    assert.equal(outcome.status, "completed", `${language}: ${JSON.stringify(outcome)}`);
    if (outcome.status === "completed") values.push(JSON.parse(outcome.returned ?? "null"));
  });
  return values;
}

async function failure(program: Program, handler: HandlerCall) {
  const errors: { type: string; message: string; traceback: string }[] = [];
  await inBoth(program, handler, (outcome, language) => {
    assert.deepEqual([outcome.status, outcome.heap], ["failed", "kept"], language);
    errors.push(errorOf(outcome)!);
  });
  return errors;
}

const ECHO: Program = {
  python: "def handler(event): return event",
  javascript: "function handler(event) { return event; }",
};

Deno.test("a handler gets the event and gives back what it returns, as JSON", async () => {
  const event = {
    text: 'quotes " and \\, line\n, NUL \0, 日本, 😀, half \ud800',
    numbers: [0, -1, 1.5, 1e300],
    nested: { list: [[], {}, null, true, false] },
  };
  assert.deepEqual(await returned(ECHO, call(event)), [event, event]);
  for (const value of [null, "", 0, false, []]) {
    assert.deepEqual(await returned(ECHO, call(value)), [value, value]);
  }
});

Deno.test("a handler may take one argument or two, and may be asynchronous", async () => {
  const fields = { context: JSON.stringify({ aws_request_id: "id-1" }) };
  const two = {
    python: "def handler(event, context): return [event, context.aws_request_id]",
    javascript: "const handler = (event, context) => [event, context.aws_request_id]",
  };
  assert.deepEqual(await returned(two, call(1, fields)), [[1, "id-1"], [1, "id-1"]]);
  const asynchronous = {
    python:
      "import asyncio\nasync def handler(event, context):\n  await asyncio.sleep(0.001)\n  return event + 1",
    javascript:
      "export const handler = async (event) => { await new Promise((r) => setTimeout(r, 1)); return event + 1 }",
  };
  assert.deepEqual(await returned(asynchronous, call(1)), [2, 2]);
  const optional = {
    python: "def handler(event, context=None, *more): return context is None",
    javascript: "function handler(event, context = null) { return context === null }",
  };
  assert.deepEqual(await returned(optional, call(1)), [false, false]);
});

Deno.test("the context tells how much of the execution's time is left", async () => {
  const program = {
    python: "def handler(event, context): return context.get_remaining_time_in_millis()",
    javascript: "function handler(event, context) { return context.getRemainingTimeInMillis() }",
  };
  for (const left of await returned(program, call({}, { timeoutMs: 20_000 }))) {
    assert.ok(typeof left === "number" && left > 10_000 && left <= 20_000, `${left}`);
  }
  assert.deepEqual(await returned(program, call({}, { timeoutMs: 0.001 })), [0, 0]);
});

Deno.test("what a program prints is never taken for what its handler returns", async () => {
  const forged = '{"status":"completed","result":null,"returned":"1"}';
  const program = {
    python: `def handler(event):\n  print('${forged}')\n  return 2`,
    javascript: `function handler(event) { console.log('${forged}'); return 2 }`,
  };
  await inBoth(program, call({}), (outcome) => {
    assert.equal(outcome.status === "completed" && outcome.returned, "2");
    assert.equal(outcome.stdout, `${forged}\n`);
  });
});

Deno.test("a missing handler, and one that can't be called, are errors that say so", async () => {
  const missing = { python: "handler = None", javascript: "globalThis.handler = undefined" };
  for (const error of await failure(missing, call({}))) {
    assert.match(error.type, /^(NameError|ReferenceError)$/);
    assert.match(error.message, /defines no function handler/);
    assert.match(error.traceback, /defines no function handler/);
  }
});

Deno.test("a value that is not JSON is an error that says what is wrong with it", async () => {
  const cases: (Program & { says: RegExp })[] = [
    { python: "{1, 2}", javascript: "10n", says: /not JSON: .*(set|BigInt|bigint)/ },
    { python: "float('nan')", javascript: "Symbol('a')", says: /not JSON: .*(nan|symbol)/ },
    { python: "{(1, 2): 3}", javascript: "() => 1", says: /not JSON: .*(tuple|function)/ },
  ];
  for (const { python, javascript, says } of cases) {
    const program = {
      python: `def handler(event): return ${python}`,
      javascript: `function handler(event) { return ${javascript} }`,
    };
    for (const error of await failure(program, call({}))) assert.match(error.message, says);
  }
  const circular = {
    python: "def handler(event):\n  event['self'] = event\n  return event",
    javascript: "function handler(event) { event.self = event; return event }",
  };
  for (const error of await failure(circular, call({}))) {
    assert.match(error.message, /not JSON: .*[Cc]ircular/);
  }
});

Deno.test("what a handler returns is bounded in bytes and in depth", async () => {
  const long = {
    python: "def handler(event): return '日' * event",
    javascript: "function handler(event) { return '日'.repeat(event) }",
  };
  await inBoth(long, call(3332), (outcome) => assert.equal(outcome.status, "completed")); // 9,998 bytes
  for (const size of [3333, 200_000]) {
    for (const error of await failure(long, call(size))) {
      assert.match(error.message, /longer in JSON than the 10000/);
    }
  }
  const deep = {
    python: "def handler(event):\n  a = []\n  for i in range(event): a = [a]\n  return a",
    javascript: "function handler(event) { let a = []; for (let i = 0; i < event; i++) a = [a]; return a }",
  };
  await inBoth(deep, call(99), (outcome) => assert.equal(outcome.status, "completed"));
  for (const size of [100, 1000]) {
    for (const error of await failure(deep, call(size))) assert.match(error.message, /nested|not JSON/);
  }
});

Deno.test("an exception in a handler has the program's own traceback", async () => {
  const program = {
    python:
      "def inner(event):\n  return event['missing']\n\nasync def handler(event):\n  return inner(event)",
    javascript:
      "function inner(event) {\n  return event.missing.field;\n}\nasync function handler(event) {\n  return inner(event);\n}",
  };
  const [fromPython, fromJavaScript] = await failure(program, call({}));
  assert.equal(fromPython?.type, "KeyError");
  assert.match(fromPython?.traceback ?? "", /line 5, in handler\n[^]*line 2, in inner\n/);
  assert.doesNotMatch(fromPython?.traceback ?? "", /_wasmbox/);
  assert.equal(fromJavaScript?.type, "TypeError");
  assert.match(fromJavaScript?.traceback ?? "", /inner[^]*handler/);
  assert.doesNotMatch(fromJavaScript?.traceback ?? "", /wasmbox:prelude/);
});

Deno.test("a handler of an earlier run is called for an event, and not without one", async () => {
  await inBoth(ECHO, call(1), (outcome) => assert.equal(outcome.status, "completed"));
  const other = { python: "x = 1", javascript: "var x = 1" };
  assert.deepEqual(await returned(other, call(7)), [7, 7]);
  await inBoth(other, call({}, { required: false }), (outcome) => {
    assert.equal(outcome.status === "completed" && outcome.returned, undefined);
  });
  assert.deepEqual(await returned(ECHO, call({}, { required: false })), [{}, {}]);
});

Deno.test("a handler may be exported as AWS Lambda's are, and the newest one is called", async () => {
  const javascript = new JavaScriptSession();
  const value = async (code: string) => {
    const outcome = await javascript.run(code, { handler: call({}) });
    return outcome.status === "completed" ? outcome.returned : JSON.stringify(outcome);
  };
  assert.equal(await value("exports.handler = async () => 1"), "1");
  assert.equal(await value("0"), "1");
  assert.equal(await value("function handler() { return 2 }"), "2");
  assert.equal(await value("exports.handler = () => 3"), "3");
});

Deno.test("a handler that breaks the tools it is served with harms only itself", async () => {
  const program = {
    python: "import json, inspect, asyncio\ninspect.signature = asyncio.run = json.dumps = None\n" +
      "def handler(event, context): return 1",
    javascript: "JSON.stringify = JSON.parse = Object.keys = null; function handler() { return 1 }",
  };
  await inBoth(program, call({}), (outcome) => assert.equal(outcome.heap, "kept"));
  const repaired = {
    python:
      "import importlib; importlib.reload(inspect); importlib.reload(asyncio.runners); handler = lambda event: 2",
    javascript: "globalThis.handler = () => 2",
  };
  await inBoth(repaired, call({}), (outcome) => assert.equal(outcome.heap, "kept"));
});

Deno.test("a handler that never ends is stopped, and one whose promise never settles is told so", async () => {
  const javascript = new JavaScriptSession();
  const stopped = await javascript.run("function handler() { console.log('up'); for (;;); }", {
    handler: call({}),
    onWrite: (_text, execution) => javascript.cell.interrupt(execution),
  });
  assert.deepEqual([stopped.status, stopped.heap], ["stopped", "kept"]);
  const unsettled = await javascript.run("function handler() { return new Promise(() => {}) }", {
    handler: call({}),
  });
  assert.match(errorOf(unsettled)?.message ?? "", /can never settle/);
  const python = new PythonSession();
  python.onOutput = () => python.cell.interrupt(python.execution);
  const loop = "def handler(event):\n  print('up', flush=True)\n  while True: pass";
  const interrupted = await python.run(loop, { handler: call({}) });
  assert.deepEqual([interrupted.status, interrupted.heap], ["stopped", "kept"]);
});
