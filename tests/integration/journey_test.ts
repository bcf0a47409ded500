/** What a user does from end to end: data in, three languages, a chart, data out. */

import assert from "node:assert/strict";
import { HttpServer } from "../support/http_harness.ts";

const TOKEN = "alice-token-0123456789";
const CSV = "city,visits\nOslo,12\nRome,\nCairo,30\nLima,7\n";

Deno.test("a CSV is uploaded, analysed in Python, cleaned in JavaScript, searched in shell, plotted, and downloaded", async () => {
  await using server = await HttpServer.start({ auth: { tokens: { alice: TOKEN } } });
  await using alice = await server.connect({ token: TOKEN });
  const at = (path: string) => new URL(`/files/work/${path}`, server.url);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const run = async (language: string, code: string) => {
    const args = { session_id: "work", language, code, timeout: 120 };
    const { structured } = await alice.call("execute_code", args);
    assert.equal(structured["status"], "completed", JSON.stringify(structured));
    return structured;
  };

  await alice.call("create_session", { session_id: "work" });
  const uploaded = await fetch(at("visits.csv"), { method: "PUT", body: CSV, headers });
  await uploaded.body?.cancel();
  assert.equal(uploaded.status, 201);

  const analysed = await run(
    "python",
    "import csv\nrows = list(csv.DictReader(open('visits.csv')))\n[row['city'] for row in rows if not row['visits']]",
  );
  assert.equal(analysed["result"], "['Rome']");

  await run("python", "share('columns', list(rows[0]))");
  const cleaned = await run(
    "javascript",
    `import { readCsv, writeCsv } from "sandbox_utils";
     const whole = readCsv("visits.csv").filter((row) => row.visits);
     writeCsv("clean.csv", whole);
     [shared("columns").join(), whole.length]`,
  );
  assert.match(String(cleaned["result"]), /'city,visits', 3/);

  const searched = await run("shell", "grep -c , clean.csv; cut -d, -f2 clean.csv | sort -n | tail -1");
  assert.equal(searched["stdout"], "4\n30\n");

  const plotted = await run(
    "python",
    [
      "import pygal",
      "chart = pygal.Bar(title='Visits')",
      "for row in csv.DictReader(open('clean.csv')): chart.add(row['city'], int(row['visits']))",
      "open('chart.svg', 'wb').write(chart.render())",
      "display(chart)",
    ].join("\n"),
  );
  const [shown] = plotted["displays"] as { mime_type: string; width: number }[];
  assert.equal(shown?.mime_type, "image/png");
  assert.ok(shown.width > 100);

  const clean = await fetch(at("clean.csv"), { headers });
  assert.equal((await clean.text()).trim().replaceAll("\r", ""), "city,visits\nOslo,12\nCairo,30\nLima,7");
  const chart = await fetch(at("chart.svg"), { headers });
  assert.match(await chart.text(), /<svg[^]*Cairo/);
});
