/** `handler(event, context)`: what it is given, what it does while it is called, and what it returns. */

import { calls, type Execution, family, type Stage } from "../attack.ts";
import type { Answer } from "../client.ts";
import { told } from "../series.ts";
import { JAVASCRIPT_HANDLERS } from "./handlers_javascript.ts";
import { PYTHON_HANDLERS } from "./handlers_python.ts";

const error = ({ structured }: Answer) =>
  (structured["error"] as { readonly error_code?: string } | null | undefined)?.error_code;

/** Events and contexts that no program can be given. */
async function refusedEvents({ client, call, session }: Stage) {
  const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const code = JSON.stringify("def handler(event, context): return 'called'");
  const arguments_ = [
    `"event":${JSON.stringify("x".repeat(2_000_000))}`,
    `"event":${deep(1000)}`,
    `"event":${deep(100_000)}`,
    `"event":{},"context":${JSON.stringify({ x: "x".repeat(2_000_000) })}`,
    `"event":{},"context":{"x":${deep(1000)}}`,
    `"event":{},"context":[1]`,
    `"event":{},"context":"x"`,
    `"event":{},"context":7`,
    `"event":{},"contexts":{}`,
    `"event":{},"language":"shell"`,
    `"event":{},"event_":{}`,
  ];
  const through: string[] = [];
  for (const each of arguments_) {
    const params = `{"name":"execute_code","arguments":{"code":${code},"session_id":"${session}",${each}}}`;
    const answer = await client.requestText(
      `{"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":${params}}`,
    );
    if (!answer.fault && !answer.isError) through.push(each.slice(0, 60));
  }
  const missing = await call("execute_code", { code: "handler = 5", event: {}, session_id: session });
  const { error: none, return_value: returned } = missing.structured as unknown as Execution;
  if (none === null || returned !== null) through.push("no handler at all");
  return {
    refused: through.length === 0,
    got: `${arguments_.length + 1} tried, through: ${through.join(", ") || "none"}; ${error(missing)}`,
  };
}

/** What is given comes back as it was, and changes nothing but the handler's own objects. */
async function echoed({ run }: Stage) {
  const events = [
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"toJSON":1,"length":-1}',
    '{"a":[1,-0.5,1e300,true,null,"\\u0000\\u2028\\ud83d\\ude00",{"":{"":[]}}]}',
    `${"[".repeat(60)}${"]".repeat(60)}`,
    JSON.stringify("x".repeat(50_000)),
    JSON.stringify(Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, n]))),
  ];
  const context = JSON.parse(
    '{"__proto__":{"polluted":1},"__class__":"x","__dict__":{},"_Context__deadline":"x","get_remaining_time_in_millis":"x","getRemainingTimeInMillis":"x","aws_request_id":[],"toJSON":1}',
  );
  const programs = {
    python: "def handler(event, context):\n    repr(context)\n    return event",
    javascript:
      "function handler(event, context) { if ({}.polluted || [].polluted) throw new Error('polluted'); return event; } 0",
  };
  const through: string[] = [];
  for (const [language, code] of Object.entries(programs) as ["python" | "javascript", string][]) {
    for (const text of events) {
      const event = JSON.parse(text);
      const reply = await run(language, code, { args: { event, context } });
      const same = JSON.stringify(reply.return_value) === JSON.stringify(event);
      if (reply.status !== "completed" || !same) {
        through.push(`${language} ${text.slice(0, 50)} (${told(reply)})`);
      }
    }
  }
  return {
    refused: through.length === 0,
    got: `${2 * events.length} tried, through: ${through.join(", ") || "none"}`,
  };
}

export const HANDLERS = family("handlers", [
  calls("events and contexts beyond all bounds", "each is refused", refusedEvents),
  calls("events that touch what objects have by nature", "come back as they were", echoed),
  ...PYTHON_HANDLERS,
  ...JAVASCRIPT_HANDLERS,
]);
