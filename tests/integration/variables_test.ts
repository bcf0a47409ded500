/** The variables of a session, as people's views ask for them. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";
import { hasScience } from "../support/science.ts";

interface Listed {
  readonly live: boolean;
  readonly languages: readonly {
    readonly language: string;
    readonly variables: readonly { readonly name: string; readonly type: string; readonly value: string }[];
    readonly more: number;
  }[];
}

function test(name: string, fn: (server: TestServer) => Promise<void>, ignore = false): void {
  Deno.test({
    name: `[${UNDER_TEST}] ${name}`,
    ignore,
    fn: async () => {
      await using server = await TestServer.start();
      await fn(server);
    },
  });
}

async function read(server: TestServer, session = "default"): Promise<Listed> {
  const { contents } = await server.client.readResource({ uri: `variables://${session}` });
  return JSON.parse((contents[0] as { text: string }).text);
}

async function rowsOf(server: TestServer, language: string): Promise<string[][]> {
  const { languages } = await read(server);
  return languages.find((each) => each.language === language)!.variables
    .map(({ name, type, value }) => [name, type, value]);
}

test("each language's variables are told with their types and short values, and nothing else", async (server) => {
  await server.python(`import os
answer = 42
text = "hello " * 1000
rows = [{"city": "Oslo", "visits": 12}] * 20
class Point: pass
point = Point()
def area(width, height): return width * height
_hidden = 1`);
  await server.javascript(
    "let n = 1n; const list = [1, 'two', {three: 3}]; function f() {} class A {} var made = new A(), seen = new Map([[1, 2]])",
  );
  await server.run(
    "shell",
    "name='two words'; declare -a all=(1 2); declare -i count=3; export MODE=fast; f() { :; }",
  );
  const python = await rowsOf(server, "python");
  assert.deepEqual(python.map(([name, type]) => `${name}: ${type}`), [
    "Point: type",
    "answer: int",
    "area: function",
    "point: Point",
    "rows: list",
    "text: str",
  ]);
  const value = (name: string) => python.find((row) => row[0] === name)?.[2];
  assert.deepEqual([value("answer"), value("area"), value("point")], ["42", "(width, height)", ""]);
  assert.match(value("text") ?? "", /^'hello .*…$/);
  assert.match(value("rows") ?? "", /^\[\{'city': 'Oslo', 'visits': 12\}, .*…$/);
  assert.deepEqual(await rowsOf(server, "javascript"), [
    ["A", "class", ""],
    ["f", "function", ""],
    ["list", "Array", '[1, "two", {three: 3}]'],
    ["made", "A", "{}"],
    ["n", "bigint", "1n"],
    ["seen", "Map", "1 entry"],
  ]);
  assert.deepEqual(await rowsOf(server, "shell"), [
    ["MODE", "string, exported", '"fast"'],
    ["all", "array", '([0]="1" [1]="2")'],
    ["count", "integer", '"3"'],
    ["name", "string", '"two words"'],
    ["f", "function", ""],
  ]);
});

test("looking changes nothing: no result, no count, no fuel, nothing to undo", async (server) => {
  await server.python("x = 1\n'the last'");
  await server.checkpointed();
  const before = (await server.sessions())[0];
  for (let time = 0; time < 3; time++) await read(server);
  const after = (await server.sessions())[0];
  assert.deepEqual([after?.executions, after?.checkpoint], [before?.executions, before?.checkpoint]);
  assert.equal((await server.python("_, x")).result, "('the last', 1)");
  await server.python("x = 2");
  await read(server);
  await server.call("restore_session", { undo: 1 });
  assert.equal((await server.python("x")).result, "1");
});

test("what a program's objects do when they are looked at harms nothing, and many are counted", async (server) => {
  await server.python(`class Bad:
    def __repr__(self): raise SystemExit
    @property
    def __class__(self): raise SystemExit
bad = Bad()
for n in range(500): globals()[f"v{n:03}"] = [bad] * 1000
loop = []; loop.append(loop)`);
  const { languages: [python] } = await read(server);
  assert.deepEqual([python?.variables.length, python?.more], [100, 404]);
  await server.javascript(
    "kept = 1; trap = new Proxy({}, { getPrototypeOf() { for (;;); }, ownKeys() { for (;;); } }); " +
      "Object.defineProperty(globalThis, 'get', { enumerable: true, get() { for (;;); } })",
  );
  await read(server);
  assert.equal((await server.javascript("kept")).result, "1");
  assert.equal((await server.python("len(loop)")).result, "1");
});

test("one that is not live is not woken, and one that is not there is not found", async (server) => {
  await server.call("create_session", { session_id: "new" });
  assert.deepEqual((await read(server, "new")).languages, []);
  await assert.rejects(read(server, "nobody"), /not found/i);
  const { resourceTemplates } = await server.client.listResourceTemplates();
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === "variables://{session}"));
});

test("frames and arrays say how large they are", async (server) => {
  await server.python(
    "import numpy as np, pandas as pd\narray = np.zeros((3, 4))\nframe = pd.DataFrame({'a': [1, 2]})\ncolumn = frame.a",
  );
  assert.deepEqual(await rowsOf(server, "python"), [
    ["array", "ndarray", "3 × 4 of float64"],
    ["column", "Series", "2 rows"],
    ["frame", "DataFrame", "2 rows × 1 columns"],
  ]);
}, !hasScience());
