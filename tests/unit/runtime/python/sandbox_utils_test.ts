/** The module sandbox_utils of both languages. */

import { equal, match, ok } from "node:assert/strict";
import { Session as JavaScript } from "../../../support/javascript_harness.ts";
import { Session as Python } from "../../../support/python_harness.ts";

const python = new Python();
const javascript = new JavaScript();

async function inPython(code: string): Promise<string | null> {
  const ran = await python.run(`import sandbox_utils as u\n${code}`);
  ok(ran.status === "completed", JSON.stringify(ran));
  return ran.result;
}

const inJavaScript = (code: string) => javascript.value(`import * as u from "sandbox_utils";\n${code}`);

const CSV = 'name,n,zip\n"Müller, ""A""",1.5,00123\n"two\r\nlines",,7\n';

Deno.test("Python: help tells what there is, and every function has a text and types", async () => {
  const ran = await python.run("import sandbox_utils; help(sandbox_utils)");
  match(ran.stdout, /grep, head, tail[^]*grep\(\n +pattern: str,[^]*The rows of a CSV file/);
  const bare = "[name for name in u.__all__ if not getattr(u, name).__doc__]";
  equal(await inPython(bare), "[]");
});

Deno.test("Python: files are found, drawn, searched, measured and compared", async () => {
  await inPython(`
import os
os.makedirs("d/e", exist_ok=True)
for name, text in {"d/a.txt": "one\\ntwo\\nthree\\n", "d/e/b.txt": "Two\\n", "d/e/c.bin": "\\0two"}.items():
    n = open(name, "w").write(text)`);
  equal(
    await inPython(`u.find("*.txt"), u.find("e/*", "d"), u.find(kind="directory"), u.find(min_size=6)`),
    "(['d/a.txt', 'd/e/b.txt'], ['d/e/b.txt', 'd/e/c.bin'], ['d', 'd/e'], ['d/a.txt'])",
  );
  equal(
    (await python.run("print(u.tree('d'))")).stdout,
    "d\n├── a.txt (14 B)\n└── e/\n    ├── b.txt (4 B)\n    └── c.bin (4 B)\n",
  );
  equal(
    await inPython(`[tuple(m) for m in u.grep("^tw", ignore_case=True)]`),
    "[('d/a.txt', 2, 'two'), ('d/e/b.txt', 1, 'Two')]",
  );
  equal(
    await inPython(`u.head("d/a.txt", 1), u.tail("d/a.txt", 2), u.disk_usage("d")`),
    "('one\\n', 'two\\nthree\\n', {'a.txt': 14, 'e': 8})",
  );
  equal(
    await inPython(`u.diff("d/a.txt", "d/e/b.txt").splitlines()[-1], u.diff("d/a.txt", "d/a.txt")`),
    "('+Two', '')",
  );
  equal(await inPython(`u.find(max_results=1), len(u.tree(max_entries=2).splitlines())`), "(['d/a.txt'], 3)");
});

Deno.test("Python: data goes to files and back", async () => {
  python.fs.writeFile("/app/in.csv", new TextEncoder().encode(CSV));
  equal(
    await inPython(`rows = u.read_csv("in.csv"); rows`),
    `[{'name': 'Müller, "A"', 'n': 1.5, 'zip': '00123'}, {'name': 'two\\r\\nlines', 'n': None, 'zip': 7}]`,
  );
  equal(await inPython(`u.write_csv("out.csv", rows), u.read_csv("out.csv") == rows`), "(2, True)");
  equal(
    await inPython(`u.write_json("o.json", {"é": [1, None]}); u.read_json("o.json")`),
    "{'é': [1, None]}",
  );
  equal(
    await inPython(`u.write_jsonl("o.jsonl", [1, {"a": 2}]), u.read_jsonl("o.jsonl")`),
    "(2, [1, {'a': 2}])",
  );
  equal(
    await inPython(`u.write_yaml("o.yaml", {"b": [1], "a": "é"}); u.read_yaml("o.yaml")`),
    "{'b': [1], 'a': 'é'}",
  );
  equal(
    await inPython(
      `u.csv_to_json("in.csv", "x.json"), u.json_to_csv("x.json", "y.csv"), u.read_csv("y.csv") == rows`,
    ),
    "(2, 2, True)",
  );
  equal(await inPython(`u.flatten({"a": {"b": {"c": 1}}, "d": {}})`), "{'a.b.c': 1, 'd': {}}");
  equal(
    await inPython(`list(u.group_by(rows, "zip")), u.describe(rows)[1]`),
    "(['00123', 7], {'column': 'n', 'count': 1, 'distinct': 1, 'min': 1.5, 'mean': 1.5, 'max': 1.5})",
  );
});

Deno.test("JavaScript: files are found, drawn and searched", async () => {
  await javascript.run(`import fs from "fs"; fs.mkdirSync("d/e", { recursive: true });
    fs.writeFileSync("d/a.txt", "one\\ntwo\\nthree\\n"); fs.writeFileSync("d/e/b.txt", "Two\\n"); fs.writeFileSync("d/e/c+.bin", "\\0two");`);
  equal(
    await inJavaScript(
      `JSON.stringify([u.find("*.txt"), u.find("e/*", "d"), u.find("**", ".", { kind: "directory" }), u.find("c+.*")])`,
    ),
    `'[["d/a.txt","d/e/b.txt"],["d/e/b.txt","d/e/c+.bin"],["d","d/e"],["d/e/c+.bin"]]'`,
  );
  equal(
    await javascript.stdout(`import { tree } from "sandbox_utils"; console.log(tree("d"))`),
    "d\n├── a.txt (14 B)\n└── e/\n    ├── b.txt (4 B)\n    └── c+.bin (4 B)\n",
  );
  equal(
    await inJavaScript(
      `JSON.stringify([u.grep("^tw", ".", { ignoreCase: true }), u.grep(/e$/g, "d/a.txt").length])`,
    ),
    `'[[{"path":"d/a.txt","line":2,"text":"two"},{"path":"d/e/b.txt","line":1,"text":"Two"}],2]'`,
  );
  equal(await inJavaScript(`u.head("d/a.txt", 1) + "|" + u.tail("d/a.txt", 2)`), "'one\\n|two\\nthree\\n'");
});

Deno.test("JavaScript: data goes to files and back", async () => {
  javascript.write("/app/in.csv", CSV);
  equal(
    await inJavaScript(`globalThis.rows = u.readCsv("in.csv"); JSON.stringify(rows)`),
    `'[{"name":"Müller, \\\\"A\\\\"","n":1.5,"zip":"00123"},{"name":"two\\\\r\\\\nlines","n":null,"zip":7}]'`,
  );
  equal(
    await inJavaScript(
      `u.writeCsv("o.csv", rows) + JSON.stringify(u.readCsv("o.csv")) === 2 + JSON.stringify(rows)`,
    ),
    "true",
  );
  javascript.write("/app/odd.csv", 'a;b;\r\n;;\r\n\r\n1;""');
  equal(
    await inJavaScript(`JSON.stringify(u.readCsv("odd.csv"))`),
    `'[{"a":null,"b":null,"":null},{"a":1,"b":null,"":null}]'`,
  );
  match(
    (await javascript.error(
      `javascript: { const { writeFileSync } = require("fs"); writeFileSync("bad.csv", 'a\\n"x'); require("sandbox_utils").readCsv("bad.csv") }`,
    )).message,
    /quoted field of row 2 has no end/,
  );
  equal(
    await inJavaScript(
      `u.writeJson("o.json", { a: [1] }); u.writeJsonl("o.jsonl", [1, { b: 2 }]); JSON.stringify([u.readJson("o.json"), u.readJsonl("o.jsonl")])`,
    ),
    `'[{"a":[1]},[1,{"b":2}]]'`,
  );
  equal(
    await inJavaScript(
      `JSON.stringify([u.flatten({ a: { b: { c: 1 } }, d: {} }), Object.keys(u.groupBy(rows, "zip"))])`,
    ),
    `'[{"a.b.c":1,"d":{}},["7","00123"]]'`,
  );
});
