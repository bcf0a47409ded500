/** The recipes of the documents do what they say. */

import assert from "node:assert/strict";
import type { Language } from "../../src/languages.ts";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

const RECIPES = Deno.readTextFileSync(new URL("../../docs/RECIPES.md", import.meta.url)).split(/^## /m).slice(
  1,
);
const PARTS =
  /^(.+)\n[\s\S]*?```(python|javascript|shell)\n([\s\S]*?)\n```\n\nprints\n\n```text\n([\s\S]*?)\n```/;

Deno.test(`[${UNDER_TEST}] recipes`, async (t) => {
  await using server = await TestServer.start();
  assert.equal(RECIPES.length, 12);
  for (const recipe of RECIPES) {
    const [, title, language, code, printed] = PARTS.exec(recipe) ?? [];
    await t.step(title ?? recipe, async () => {
      const { stdout, error } = await server.run(language as Language, code!, { session_id: "recipes" });
      assert.equal(error, null);
      assert.equal(stdout.trimEnd(), printed);
    });
  }
});
