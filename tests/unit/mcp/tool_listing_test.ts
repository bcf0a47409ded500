import assert from "node:assert/strict";
import { DEFAULT_TOOLS } from "../../../src/config/tool_settings.ts";
import { instructionsFor } from "../../../src/mcp/instructions.ts";
import { describeTool } from "../../../src/mcp/tool_listing.ts";
import { TOOLS, toolsOf } from "../../../src/mcp/tools/mod.ts";
import { tokensOf } from "../../support/tokens.ts";

/** What a model can be asked to read before its first call. */
const MAX_TOKENS = { tools: 3500, instructions: 250 };

/** Where no store keeps sessions, as it is by default. */
const listed = TOOLS.filter(({ needsStore }) => !needsStore).map(describeTool);

Deno.test("what a model reads of the tools and the server is short", () => {
  const costs = listed.map((tool) => `${tool.name} ${tokensOf(tool)}`).join(", ");
  assert.ok(tokensOf({ tools: listed }) <= MAX_TOKENS.tools, costs);
  assert.ok(tokensOf(instructionsFor(TOOLS, DEFAULT_TOOLS)) <= MAX_TOKENS.instructions);
});

Deno.test("the tools say once and in words what there is and what there is not", () => {
  const all = JSON.stringify(listed);
  for (
    const said of ["Python 3.13", "TypeScript", "numpy", "matplotlib", "scipy", "Node's modules", "/app"]
  ) {
    assert.ok(all.includes(said), said);
  }
  for (const { name, description } of listed.slice(0, 2)) {
    assert.match(description ?? "", /no network|without network/i, name);
    assert.match(description ?? "", /Variables, functions and .* stay/, name);
  }
});

Deno.test("one tool has an output schema, which holds for replies and for errors alone", () => {
  const withOutput = listed.filter((tool) => tool.outputSchema !== undefined);
  assert.deepEqual(withOutput.map((tool) => tool.name), ["execute_code"]);
  assert.doesNotMatch(JSON.stringify(withOutput[0]?.outputSchema), /"required"|additionalProperties/);
});

Deno.test("no bound that only few calls are near is listed, but defaults and choices are", () => {
  for (const { name, inputSchema } of listed) {
    assert.doesNotMatch(JSON.stringify(inputSchema), /pattern|maxLength|9007199254740991|\$schema/, name);
  }
  const { properties } = listed[0]!.inputSchema as { properties: Record<string, Record<string, unknown>> };
  assert.deepEqual(properties["language"], {
    type: "string",
    enum: ["python", "javascript", "shell", "typescript"],
    default: "python",
  });
  assert.equal(properties["on_failure"]?.["default"], "keep");
});

Deno.test("every parameter has one plain type, as models' interfaces that know less than JSON Schema want it", () => {
  // Gemini's takes no field beside an `anyOf`, and none without a type; Google's SDK fails at additionalProperties: false.
  for (const { name, inputSchema } of listed) {
    assert.doesNotMatch(
      JSON.stringify(inputSchema),
      /"additionalProperties":(true|false)|anyOf|oneOf|allOf|"const"|\$ref/,
      name,
    );
    for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {})) {
      const { type } = schema as { type?: unknown };
      assert.equal(typeof type, "string", `${name}: ${parameter}`);
    }
  }
});

Deno.test("names that people use for a language are taken without being listed", () => {
  const [execute] = toolsOf(DEFAULT_TOOLS);
  for (const language of ["py", "js", "node", "ts", "bash", "sh"]) {
    assert.ok(execute?.input.safeParse({ code: "1", language }).success, language);
  }
});
