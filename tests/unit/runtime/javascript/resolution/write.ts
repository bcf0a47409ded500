/**
 * Writes `expected.json` anew, by asking Node 20: `deno run -R -W -E --allow-run=node tests/unit/runtime/javascript/resolution/write.ts`.
 */

import { askNode } from "./node.ts";
import { TREES } from "./trees.ts";

const file = new URL("expected.json", import.meta.url);
await Deno.writeTextFile(file, `${JSON.stringify(await askNode(TREES), null, 1)}\n`);
