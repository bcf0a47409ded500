/**
 * `deno task conformance`: the official suite against the HTTP server with the suite's fixtures, and against wasmbox
 * itself. Prints a line for each scenario and the totals; fails if a required one fails.
 */

import { ensureAssets } from "../assets/mod.ts";
import { HttpServer } from "../../tests/support/http_harness.ts";
import { FIXTURES, WASMBOX } from "../../tests/support/conformance/servers.ts";
import { explain, type Revision, REVISIONS, runSuite } from "./suite.ts";
import { judgeFixtures, judgeProduct, type Verdict } from "./verdict.ts";

const MARKS = { passed: "ok", failed: "FAILED", missing: "missing", "not required": "not required" };

await ensureAssets();
const counts = { passed: 0, failed: 0, missing: 0, "not required": 0 };

async function report(title: string, url: URL, revision: Revision, verdicts: readonly Verdict[]) {
  console.log(`\n${title}, ${revision}`);
  for (const { scenario, kind, note } of verdicts) {
    counts[kind]++;
    const checks = `${scenario.passed} of ${scenario.passed + scenario.failed} checks`;
    console.log(`  ${MARKS[kind]}: ${scenario.name} (${checks})${note === undefined ? "" : `: ${note}`}`);
    if (kind === "failed" && note === undefined) console.log(await explain(url, revision, scenario.name));
  }
}

{
  await using fixtures = await HttpServer.spawn(FIXTURES);
  await using wasmbox = await HttpServer.spawn(WASMBOX);
  for (const revision of REVISIONS) {
    const [ofFixtures, ofWasmbox] = await Promise.all([
      runSuite(fixtures.url, revision),
      runSuite(wasmbox.url, revision),
    ]);
    await report("fixtures on the HTTP server", fixtures.url, revision, judgeFixtures(ofFixtures));
    await report("wasmbox", wasmbox.url, revision, judgeProduct(revision, ofWasmbox));
  }
}
console.log(`\n${Object.entries(counts).map(([kind, count]) => `${count} ${kind}`).join(", ")}`);
Deno.exit(counts.failed > 0 ? 1 : 0);
