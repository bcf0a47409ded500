/** What a client is pointed at, and what it reports of it. */

import type { Reply } from "../harness.ts";

export type Target =
  | { readonly kind: "http"; readonly url: URL }
  /** An executable file that serves on its stdin and stdout. */
  | { readonly kind: "stdio"; readonly command: string };

/** A client's connection to a server. */
export interface Connection extends AsyncDisposable {
  /** Names of the tools. */
  list(): Promise<string[]>;
  /** Runs Python by execute_code in the session of that name. */
  run(code: string, session: string): Promise<Reply>;
}

/** A client that anyone may have. */
export interface IndependentClient {
  readonly name: string;
  /** Whether its calls share a connection: if not, each starts a server of its own on stdio. */
  readonly staysConnected: boolean;
  connect(target: Target): Promise<Connection>;
}
