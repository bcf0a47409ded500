/** Any command of the executable from source; builds the assets first if they are missing. */

import { ensureAssets } from "./assets/mod.ts";

await ensureAssets();
await import("../main.ts");
