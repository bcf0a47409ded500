/** Files as tools show them, and the sessions they are in. */

import * as z from "zod";
import { mimeTypeOf } from "../mime.ts";
import type { Session } from "../session/session.ts";
import type { WorkspaceEntry } from "../session/session_files.ts";
import { resourceUri } from "./paths.ts";

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
