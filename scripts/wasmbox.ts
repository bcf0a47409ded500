/**
 * Any command of the executable from source; builds the assets first if they are missing. Unless it is told where the
 * configuration is, that is the repository's `config`.
 */

import { fileURLToPath } from "node:url";
import { ensureAssets } from "./assets/mod.ts";

const named = Deno.env.has("WASMBOX_CONFIG") || Deno.args.some((arg) => /^--config(=|$)/.test(arg));
if (!named) Deno.env.set("WASMBOX_CONFIG", fileURLToPath(new URL("../config", import.meta.url)));
await ensureAssets({ shell: true });
await import("../main.ts");
