/** The official suite, in both revisions. `deno task conformance` prints it scenario by scenario. */

import assert from "node:assert/strict";
import { explain, type Revision, REVISIONS, runSuite } from "../../scripts/conformance/suite.ts";
import { judgeFixtures, judgeProduct, type Verdict } from "../../scripts/conformance/verdict.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";
import { FIXTURES, WASMBOX } from "../support/conformance/servers.ts";

async function expectAll(url: URL, revision: Revision, verdicts: readonly Verdict[]): Promise<void> {
  for (const { scenario, note } of verdicts.filter(({ kind }) => kind === "failed")) {
    assert.fail(`${scenario.name}: ${note ?? await explain(url, revision, scenario.name)}`);
  }
}

for (const revision of REVISIONS) {
  Deno.test({
    name: `the HTTP server passes everything that ${revision} requires, with the suite's fixtures`,
    ignore: UNDER_TEST !== "source",
    fn: async () => {
      await using server = await HttpServer.spawn(FIXTURES);
      const verdicts = judgeFixtures(await runSuite(server.url, revision));
      assert.ok(verdicts.filter(({ kind }) => kind === "passed").length >= 30, "too few scenarios ran");
      await expectAll(server.url, revision, verdicts);
    },
  });

  Deno.test({
    name: `[${UNDER_TEST}] wasmbox passes those scenarios of ${revision} that need no fixtures`,
    fn: async () => {
      await using server = await HttpServer.spawn(WASMBOX);
      await expectAll(server.url, revision, judgeProduct(revision, await runSuite(server.url, revision)));
    },
  });
}
