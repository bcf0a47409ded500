/** Commands by which a person uses a sandbox of their own. */

export { repl } from "./repl.ts";
export { run } from "./run.ts";
