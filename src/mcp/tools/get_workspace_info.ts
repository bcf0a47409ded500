import * as z from "zod";
import { sessionIdSchema } from "../schemas.ts";
import { workspaceView, workspaceViewOf } from "../workspace_view.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({ session_id: sessionIdSchema.optional() });

export const getWorkspaceInfo = defineSessionTool({
  name: "get_workspace_info",
  title: "Get workspace info",
  description:
    "Tells how many bytes and files a session uses and may use, and which languages have live variables. Waits for what runs.",
  input,
  output: workspaceView,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  session: existingSession,
  async run(session) {
    const view = workspaceViewOf(session.id, await session.usage(), session.limits);
    const heaps = view.heaps.map((heap) => `${heap.language} (${heap.memory_bytes} bytes)`).join(", ") ||
      "none";
    return {
      output: view,
      text:
        `${view.bytes_used} of ${view.bytes_limit} bytes in ${view.files_used} of ${view.files_limit} files; ` +
        `live heaps: ${heaps}`,
    };
  },
});
