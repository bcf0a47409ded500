/** Which characters of a picture its fonts don't have. */

import { equal } from "node:assert/strict";
import { ensureAssets } from "../../../scripts/assets/mod.ts";
import { missingCharacters } from "../../../src/raster/coverage.ts";

await ensureAssets();

const FONT = Deno.readFileSync(new URL("../../../wasm/dist/DejaVuSans.ttf", import.meta.url));
const missing = (svg: string, fonts = [FONT]) => missingCharacters(new TextEncoder().encode(svg), fonts);

Deno.test("characters that no font has are named once each, in the order of the text", () => {
  equal(missing("<svg><text>Größe, Ελλάδα, 😀</text></svg>"), "");
  equal(missing("<svg><text>中文 and 中</text><text>한</text></svg>"), "中文한");
  equal(missing("<svg><text>&#x4e2d;&#25991;</text></svg>"), "中文");
  equal(missing("<svg><text>中</text></svg>", []), "中");
});

Deno.test("attributes, marks and what can't be seen are not looked for, and of many the first are named", () => {
  equal(missing('<svg><text class="中">a\u200b\u0301</text></svg>'), "");
  const many = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
  equal(missing(`<svg>${many}</svg>`), many.slice(0, 12));
  equal(missing("<svg>&#x110000;&#99999999;é</svg>"), "");
});

Deno.test("markup that never ends is gone through once", () => {
  equal(missing("<".repeat(2_000_000) + "é"), "");
  equal(missing("&#".repeat(1_000_000) + "é"), "");
});
