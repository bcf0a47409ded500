/** Commands by which a person uses a sandbox of their own. */

import "../../jitless.ts";
export { repl } from "./repl.ts";
export { run } from "./run.ts";
