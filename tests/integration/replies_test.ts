/** What structured content has, tool by tool. */

import assert from "node:assert/strict";
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
    const { structured, isError, text } = await server.call(name, args);
    assert.equal(isError, false, `${name}: ${text}`);
    const tool = TOOLS.find((tool) => tool.name === name);
    assert.deepEqual(tool?.output.parse(structured), structured, name);
  }
});
