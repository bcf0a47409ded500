/** What replies say where a store keeps sessions, and could not take what a call left behind. */

import type { Session } from "../session/session.ts";
import type { SessionTable } from "../session/table.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** Why what a session was last told of would not outlive the server, as a sentence; undefined: it would, or nobody waits for it. */
export async function atStake(session: Session): Promise<string | undefined> {
  const { store, storeSync } = session.host;
  if (!store.durable || storeSync === "soon") return undefined;
  const why = await session.saved();
  return why && `What this call left behind would not survive the loss of the server: ${why}.`;
}

/** The sessions that a reply names. */
interface Named {
  readonly session_id?: string | null;
  readonly session_ids?: readonly string[];
  readonly notice?: string | null;
}

/** The result of a tool, with what is at stake in the sessions that it changed. Replies of executions say so themselves. */
export async function withStake(
  tool: Tool,
  result: ToolResult<object>,
  { sessions, principal }: { readonly sessions: SessionTable; readonly principal: string },
): Promise<ToolResult<object>> {
  if (!sessions.durable || tool.hints.readOnlyHint || "execution_id" in result.output) return result;
  const { session_id, session_ids = [], notice: said }: Named = result.output;
  for (const id of [session_id ?? [], session_ids].flat()) {
    const session = sessions.live(principal, id);
    const warning = session && await atStake(session);
    if (warning === undefined) continue;
    const notice = said?.includes(warning) ? said : [said, warning].filter(Boolean).join(" ");
    return {
      ...result,
      output: { ...result.output, durable: false, notice },
      text: `${result.text}\n[${warning}]`,
    };
  }
  return result;
}
