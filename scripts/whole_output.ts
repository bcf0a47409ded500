/** All that an execution printed: a reply shows long output in part, and names the file that has all of it. */

import type { TestServer } from "../tests/support/harness.ts";

/** As much as read_file gives at once. */
const PIECE_BYTES = 1024 * 1024;

/** What is used of an execution's reply. */
interface Printed {
  readonly session_id: string;
  readonly stdout?: string;
  readonly output_files?: readonly { readonly stream: string; readonly path: string }[];
}

/** @param reply An execution's structured content. */
export async function wholeStdout(server: TestServer, reply: unknown): Promise<string> {
  const { session_id, stdout = "", output_files = [] } = reply as Printed;
  const path = output_files.find(({ stream }) => stream === "stdout")?.path;
  if (path === undefined) return stdout;
  let text = "";
  for (let offset: unknown = 0; offset !== null;) {
    const piece = { path, session_id, offset, max_bytes: PIECE_BYTES };
    const { structured, isError } = await server.call("read_file", piece);
    if (isError) return stdout;
    text += structured["content"];
    offset = structured["next_offset"];
  }
  return text;
}
