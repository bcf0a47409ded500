/** Files as tools show them, and the sessions they are in. */

import * as z from "zod";
import { mimeTypeOf } from "../mime.ts";
import type { Session } from "../session/session.ts";
import type { WorkspaceEntry } from "../session/session_files.ts";
import { resourceUri } from "./paths.ts";
import { sessionIdOf } from "./schemas.ts";
import type { ToolContext } from "./tool.ts";

export const fileView = z.object({
  path: z.string().describe("Relative to /app, or absolute if it is not below it."),
  type: z.enum(["file", "directory", "symlink", "device"]),
  size: z.number().int().describe("Bytes."),
  modified: z.string().describe("Time of the last change."),
  mime_type: z.string().nullable().describe("Of files, by their name."),
  uri: z.string().nullable().describe("The file as an MCP resource, if it is below /app."),
});

export function fileViewOf(
  { id }: Session,
  path: string,
  { type, size, modified }: WorkspaceEntry,
): z.infer<typeof fileView> {
  return {
    path,
    type,
    size,
    modified: new Date(modified).toISOString(),
    mime_type: type === "file" ? mimeTypeOf(path) : null,
    uri: type === "file" ? resourceUri(id, path) ?? null : null,
  };
}

/**
 * The session whose files a call is about. A connection's default session is made here if it was not used yet: files may
 * come before the first code.
 *
 * @throws {WasmboxError} SESSION_NOT_FOUND, INVALID_ARGUMENTS.
 */
export async function fileSession(
  args: { session_id?: string | undefined },
  context: ToolContext,
): Promise<Session> {
  const id = sessionIdOf(args, context);
  const { sessions, principal } = context;
  return args.session_id === undefined
    ? (await sessions.getOrCreate(principal, id)).session
    : await sessions.get(principal, id);
}
