/** What replies have, tool by tool, and what they say alike in every language. */

import assert from "node:assert/strict";
import { inFull, LEFT_OUT } from "../../src/mcp/left_out.ts";
import { TOOLS } from "../../src/mcp/tools/mod.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

/** In this order, in one session. */
const CALLS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["execute_code", { code: "open('a.txt', 'w').write('a'); display('b'); print(1); {1: 2}" }],
  ["execute_code", { code: "def handler(event): return event\n1 / 0", event: 1 }],
  ["execute_command", { command: "ls" }],
  ["create_session", { session_id: "other" }],
  ["read_file", { path: "a.txt" }],
  ["write_file", { path: "b/c.txt", content: "c" }],
  ["list_files", { recursive: true, limit: 2 }],
  ["move_file", { from: "a.txt", to: "d.txt" }],
  ["delete_file", { path: "d.txt" }],
  ["list_runtimes", {}],
  ["list_packages", {}],
  ["list_sessions", {}],
  ["get_workspace_info", {}],
  ["cancel_execution", {}],
  ["reset_workspace", {}],
  ["destroy_session", { session_id: "other" }],
];

Deno.test(`[${UNDER_TEST}] every tool's structured content has the fields of its schema and no others`, async () => {
  const server = await sharedServer();
  for (const [name, args] of CALLS) {
    const { structuredContent: structured, isError } = await server.client.callTool({
      name,
      arguments: args,
    });
    assert.equal(isError, false, `${name}: ${JSON.stringify(structured)}`);
    const tool = TOOLS.find((tool) => tool.name === name);
    assert.deepEqual(tool?.output.parse(structured), structured, name);
  }
});

Deno.test(`[${UNDER_TEST}] an execution's reply has no field that says nothing, and programs know them all the same`, async () => {
  const server = await sharedServer();
  const sum = await server.client.callTool({ name: "execute_code", arguments: { code: "1 + 1" } });
  const said = sum.structuredContent as Record<string, unknown>;
  assert.deepEqual(Object.keys(said).filter((key) => key in LEFT_OUT || key === "fuel"), ["result"]);
  assert.deepEqual({ ...LEFT_OUT, result: "2" }, pick(inFull(said), Object.keys(LEFT_OUT)));
  const bounded = await server.python("1 + 1", { fuel_budget: 10_000_000_000 });
  assert.equal((bounded as unknown as { fuel: { budget: number } }).fuel.budget, 10_000_000_000);
});

Deno.test(`[${UNDER_TEST}] what tools keep for themselves is no file that changed`, async () => {
  const server = await sharedServer();
  const made = await server.call("execute_command", {
    command:
      "for d in .mypy_cache .pytest_cache/v .ruff_cache .npm a/__pycache__; do mkdir -p $d; echo x > $d/x; done; echo y > a/y",
  });
  const paths = (made.structured["files_changed"] as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(paths, ["a/y"]);
});

Deno.test(`[${UNDER_TEST}] every language says in the same words that there is no network`, async () => {
  const server = await sharedServer();
  const tries = {
    python: "import urllib.request; urllib.request.urlopen('https://example.com')",
    javascript: "await fetch('https://example.com')",
    shell: "curl https://example.com",
  };
  for (const [language, code] of Object.entries(tries)) {
    const { text } = await server.call("execute_code", { language, code });
    assert.match(text, /there is no network here/, language);
  }
});

function pick(values: Record<string, unknown>, keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}
