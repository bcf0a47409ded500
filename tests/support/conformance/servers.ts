/** The two servers that the suite is run against. */

import { type Command, serverCommand } from "../harness.ts";

/** The real HTTP server with the suite's fixtures in place of wasmbox's tools. */
export const FIXTURES: Command = serverCommand(new URL("./fixtures/server.ts", import.meta.url));

/** wasmbox itself. */
export const WASMBOX: Command = (() => {
  const { command, args } = serverCommand();
  return { command, args: [...args, "serve", "--http", "--port", "0"] };
})();
