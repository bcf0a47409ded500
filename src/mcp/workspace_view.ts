/** What a workspace holds, as tools show it. */

import * as z from "zod";
import type { Limits } from "../config/limits.ts";
import type { WorkspaceUsage } from "../executor/wire/workspace_protocol.ts";
import { languageSchema } from "./schemas.ts";

export const workspaceView = z.object({
  session_id: z.string(),
  working_directory: z.string(),
  bytes_used: z.number().int(),
  bytes_limit: z.number().int(),
  files_used: z.number().int().describe("Files, directories and links together."),
  files_limit: z.number().int(),
  heaps: z.array(z.object({ language: languageSchema, memory_bytes: z.number().int() }))
    .describe("Languages that have live variables."),
  memory_limit_bytes: z.number().int(),
});

export function workspaceViewOf(
  id: string,
  usage: WorkspaceUsage,
  limits: Limits,
): z.infer<typeof workspaceView> {
  return {
    session_id: id,
    working_directory: "/app",
    bytes_used: usage.bytes,
    bytes_limit: limits.workspaceBytes,
    files_used: usage.files,
    files_limit: limits.workspaceFiles,
    heaps: usage.heaps.map((heap) => ({ language: heap.language, memory_bytes: heap.memoryBytes })),
    memory_limit_bytes: limits.memoryBytes,
  };
}
