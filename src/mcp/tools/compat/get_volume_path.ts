import * as z from "zod";
import { WORKING_DIRECTORY } from "../../../fs/places.ts";
import { LOCAL_PRINCIPAL } from "../../../session/names.ts";
import { sessionIdSchema } from "../../schemas.ts";
import { defineTool } from "../../tool.ts";

const input = z.strictObject({
  session_id: sessionIdSchema.optional().describe("A session. All of them have the same paths."),
});
const output = z.object({
  volumes: z.array(z.object({
    sandbox_path: z.string(),
    host_path: z.string().nullable().describe("null: it is in the sandbox alone, or not told."),
    writable: z.boolean(),
  })),
});

export const getVolumePath = defineTool({
  name: "get_volume_path",
  title: "Get volume paths",
  description:
    "Tells under which paths programs find files that stay: the session's own workspace, and directories of the host.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ session_id }, { sessions, principal }) {
    if (session_id !== undefined) await sessions.get(principal, session_id);
    const workspace = { sandbox_path: WORKING_DIRECTORY, host_path: null, writable: true };
    // Whoever has to say who they are is not at the host, and is not told what is where on it.
    const isAtHost = principal === LOCAL_PRINCIPAL;
    const mapped = sessions.mappings(principal).map(({ path, hostPath, writable }) => ({
      sandbox_path: path,
      host_path: isAtHost ? hostPath : null,
      writable,
    }));
    const lines = mapped.map(({ sandbox_path, host_path, writable }) =>
      `${sandbox_path}: ${host_path ?? "files of the host"}, ${writable ? "read-write" : "read-only"}`
    );
    const none = "No directories of the host are mapped into it.";
    return {
      output: { volumes: [workspace, ...mapped] },
      text: [`${WORKING_DIRECTORY}: the session's own files.`, ...lines.length > 0 ? lines : [none]].join(
        "\n",
      ),
    };
  },
});
