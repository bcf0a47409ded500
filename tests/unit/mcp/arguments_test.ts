import assert from "node:assert/strict";
import * as z from "zod";
import { WasmboxError } from "../../../src/errors.ts";
import { argumentsOf } from "../../../src/mcp/arguments.ts";
import { TOOLS } from "../../../src/mcp/tools/mod.ts";

const toolOf = (name: string) => TOOLS.find((tool) => tool.name === name)!;
const given = (name: string, args: unknown) => argumentsOf(toolOf(name), args);

function refusal(name: string, args: unknown): string {
  try {
    given(name, args);
  } catch (error) {
    assert.ok(error instanceof WasmboxError);
    assert.equal(error.info.error_code, "INVALID_ARGUMENTS");
    return [error.message, ...error.info.recovery_suggestions].join("\n");
  }
  throw new assert.AssertionError({ message: "it was not refused" });
}

Deno.test("null for every parameter that may be left out is as good as leaving it out, as models in strict modes send it", () => {
  for (const tool of TOOLS) {
    const { shape } = tool.input as z.ZodObject;
    const optional = Object.entries(shape).filter(([, schema]) => z.safeParse(schema, undefined).success);
    const required = {
      code: "1",
      command: "ls",
      path: "a",
      from: "a",
      to: "b",
      content: "",
      session_id: "s",
    };
    const needed = Object.keys(shape).filter((key) => !optional.some(([name]) => name === key));
    const base = Object.fromEntries(needed.map((key) => [key, (required as Record<string, unknown>)[key]]));
    const without = tool.input.safeParse(base);
    if (!without.success) continue; // it needs what this test does not know
    const nulls = { ...base, ...Object.fromEntries(optional.map(([name]) => [name, null])) };
    const { event: _, ...args } = argumentsOf(tool, nulls).args as Record<string, unknown>;
    assert.deepEqual(args, without.data, tool.name);
  }
});

Deno.test("what is empty and can't be so is left out, where it may be", () => {
  const { args } = given("execute_code", { code: "1", session_id: "", branches: [] });
  assert.deepEqual(args, argumentsOf(toolOf("execute_code"), { code: "1" }).args);
  assert.match(refusal("edit_file", { path: "a", edits: [] }), /edits: Too small/);
  assert.equal((given("write_file", { path: "a", content: "" }).args as { content: string }).content, "");
});

Deno.test("numbers, truth values, lists and objects within quotes are what they say", () => {
  const { args } = given("execute_code", {
    code: "1",
    timeout: "10",
    background: "true",
    branches: '["a", "b"]',
    keep: 1,
    context: '{"user": 1}',
  });
  assert.deepEqual(args, {
    code: "1",
    language: "python",
    on_failure: "keep",
    timeout: 10,
    background: true,
    branches: ["a", "b"],
    keep: "1",
    context: { user: 1 },
  });
  const edits = '[{"oldText": "a", "newText": "b", "replaceAll": "true"}]';
  assert.deepEqual((given("edit_file", { path: "a", edits }).args as { edits: unknown }).edits, [
    { old_text: "a", new_text: "b", replace_all: true },
  ]);
});

Deno.test("one text for a list is a list of it, and a number for a text is what it looks like", () => {
  assert.deepEqual(
    (given("execute_code", { code: "1", branches: "2" }).args as { branches: unknown }).branches,
    [
      "2",
    ],
  );
  assert.equal((given("execute_code", { code: 5 }).args as { code: string }).code, "5");
});

Deno.test("an edit is taken as models know it from other systems: by itself, and by other names of its fields", () => {
  const edits = [{ old_text: "a", new_text: "b", replace_all: false }];
  const meant = (args: Record<string, unknown>) => given("edit_file", { path: "f", ...args }).args;
  for (
    const [before, after] of [["old_text", "new_text"], ["old_str", "new_str"], ["oldString", "newString"]]
  ) {
    const edit = { [before!]: "a", [after!]: "b" };
    for (const args of [edit, { ...edit, edits: [] }, { edits: [edit] }, { edits: JSON.stringify([edit]) }]) {
      assert.deepEqual(meant(args), { path: "f", edits }, JSON.stringify(args));
    }
  }
  assert.deepEqual(meant({ old_string: "a", new_string: "b", replaceAll: "true", session_id: "s" }), {
    path: "f",
    edits: [{ old_text: "a", new_text: "b", replace_all: true }],
    session_id: "s",
  });
  const refused = (args: Record<string, unknown>) => refusal("edit_file", { path: "f", ...args });
  assert.match(refused({ old_str: "a" }), /edits\.0\.new_text: /);
  assert.match(refused({ edits, old_str: "a", new_str: "b" }), /Unrecognized keys: "old_str", "new_str"/);
  assert.match(refused({ old_str: "a", old_text: "b", new_str: "c" }), /old_str/);
  assert.match(refused({}), /edits: /);
});

Deno.test("what is to be installed is known by the names that other systems give it", () => {
  const meant = (args: Record<string, unknown>) => given("install_package", args).args;
  const rest = { language: "python", upgrade: false };
  for (const name of ["packages", "package", "names", "modules", "dependencies", "packageName"]) {
    assert.deepEqual(meant({ [name]: ["attrs", "six"] }), { ...rest, requirements: ["attrs", "six"] }, name);
    assert.deepEqual(meant({ [name]: "attrs>=23, <26" }), { ...rest, package_name: "attrs>=23, <26" }, name);
  }
  assert.deepEqual(meant({ packages: '["attrs", "six"]' }), { ...rest, requirements: ["attrs", "six"] });
  assert.deepEqual(meant({ packages: "attrs, six @scope/x" }), {
    ...rest,
    requirements: ["attrs", "six", "@scope/x"],
  });
  const { ignored } = given("install_package", { packages: ["attrs"], names: ["six"] });
  assert.deepEqual(ignored, ["packages", "names"]);
});

Deno.test("names and choices in other letters are known, and what is like no parameter is ignored and told", () => {
  const { args, ignored } = given("execute_code", {
    code: "1",
    sessionId: "s",
    "on-failure": "Rollback",
    language: "Python",
    toolCallId: "call_1",
  });
  assert.deepEqual(args, {
    code: "1",
    session_id: "s",
    on_failure: "rollback",
    language: "python",
    background: false,
    keep: "first_success",
  });
  assert.deepEqual(ignored, ["toolCallId"]);
});

Deno.test("a name that is nearly a parameter's is a mistake, which is told with the names that there are", () => {
  assert.match(
    refusal("execute_code", { code: "1", sesion_id: "s" }),
    /sesion_id[^]*takes code \(required\), .*session_id/,
  );
  for (const name of ["session", "timeout_ms", "id", "lang"]) {
    assert.match(
      refusal("execute_code", { code: "1", [name]: "1" }),
      new RegExp(`Unrecognized key: "${name}"`),
    );
  }
  assert.match(refusal("execute_code", { title: "1" }), /code: .*no parameter "title"[^]*code \(required\)/);
});

Deno.test("a tool that takes something away for good overlooks nothing: no name that it does not know, no empty one", () => {
  assert.match(refusal("reset_workspace", { workspace: "a" }), /workspace/);
  assert.match(refusal("reset_workspace", { session_id: "" }), /session_id/);
  assert.deepEqual(given("reset_workspace", { sessionId: "a" }).args, { session_id: "a" });
});

Deno.test("what may mean anything is refused: lists for texts, words for numbers, null for what is needed", () => {
  assert.match(refusal("execute_command", { command: ["ls", "-l"] }), /command: .*received array/);
  assert.match(refusal("execute_code", { code: "1", timeout: "10s" }), /timeout: /);
  assert.match(refusal("execute_code", { code: null }), /code: /);
  assert.match(refusal("execute_code", { code: { toString: "1" } }), /code: .*received object/);
  for (const session_id of [true, {}, [], ["a"]]) {
    assert.match(refusal("execute_code", { code: "1", session_id }), /session_id: /);
  }
  assert.match(refusal("execute_code", { code: "1", branches: "[[1]]" }), /branches\.0: /);
  assert.match(
    refusal("execute_code", { code: "1", keep: "12" }),
    /keep: .*"7"\|"first_success"\|/,
  );
  for (const args of [[], "code", 7, null, true]) assert.match(refusal("execute_code", args), /arguments: /);
});

Deno.test("of arguments in which everything is wrong only some is told, and nothing is guessed", () => {
  const edits = Array.from({ length: 20 }, () => ({ zzzzz: 1 }));
  assert.match(refusal("edit_file", { path: "a", edits }), /edits\.0\.old_text: .*; and 10 more\n/);
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`zzzzz${n}`, 1]));
  assert.match(refusal("execute_code", { code: "1", ...unknown }), /Unrecognized keys/);
});

Deno.test("names of the language's own are names like any other", () => {
  const args: unknown = JSON.parse('{"code": "1", "__proto__": {"session_id": "s"}, "constructor": 1}');
  const { args: parsed, ignored } = given("execute_code", args);
  assert.equal((parsed as { session_id?: unknown }).session_id, undefined);
  assert.deepEqual([...ignored].sort(), ["__proto__", "constructor"]);
});
