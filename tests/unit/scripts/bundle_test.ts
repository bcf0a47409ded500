import { doesNotMatch, match, ok, throws } from "node:assert/strict";
import { bundle } from "../../../scripts/bundle.ts";
import { droppable } from "../../../scripts/unused_schemas.ts";

Deno.test("servers' bundles have the protocol's schemas that they use, and none of those that nobody does", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await bundle(directory);
    for (const name of ["serve_stdio", "serve_http"]) {
      const text = await Deno.readTextFile(`${directory}/${name}.js`);
      match(text, /^var JSONRPCMessageSchema\b/m, name);
      doesNotMatch(text, /^var (OAuthMetadataSchema|ServerResultSchema|specTypeSchemas)\b/m, name);
    }
    for (const { name } of Deno.readDirSync(directory)) {
      if (/^(maintain|by_hand)/.test(name)) continue;
      ok(!/[\u0080-\uffff]/.test(await Deno.readTextFile(`${directory}/${name}`)), `${name} is ASCII`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a bundle whose SDK is another than the one that is known is refused, instead of being left as it is", () => {
  throws(() => droppable("var answer = 42;\n"), /SDK/);
  throws(
    () =>
      droppable("// ../@modelcontextprotocol/core/2.4.0/dist/schemas.mjs\nvar CursorSchema = string();\n"),
    /SDK/,
  );
});
