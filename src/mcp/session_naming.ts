/** What replies say of sessions that their clients did not name, where they could not find them again otherwise. */

import type { SessionTable } from "../session/table.ts";
import type { ToolResult } from "./tool.ts";

/** Whose connection it is, as far as its default session is concerned. */
export interface Named {
  readonly principal: string;
  /** Absent where each call without a session_id gets a session of its own. */
  readonly defaultSession: string | undefined;
  /**
   * Present where the default session is this connection's alone, so that another one finds it by its name only: those of
   * earlier connections that the principal's clients came back for lately.
   */
  readonly earlierSessions?: (() => readonly string[]) | undefined;
}

/** What of a result and of its call concerns the session. */
interface Fields {
  readonly session_id?: unknown;
  readonly session_created?: unknown;
  readonly notice?: string | null;
}

export class SessionNaming {
  /** Whether the connection's default session was named. */
  #named = false;

  constructor(readonly caller: Named, readonly sessions: SessionTable) {}

  /** The result of a call with the name of its session, if its client has to know that. */
  async named(args: Fields, result: ToolResult<object>): Promise<ToolResult<object>> {
    const { session_id: id, session_created: created, notice: said }: Fields = result.output;
    const { defaultSession, earlierSessions } = this.caller;
    if (typeof id !== "string" || args.session_id !== undefined) return result;
    if (defaultSession === undefined) {
      const isNamed = created !== true || result.text.includes(id);
      return isNamed ? result : withLine(result, `[new session: give session_id "${id}" to go on in it]`);
    }
    if (!earlierSessions || !this.sessions.durable || this.#named || id !== defaultSession) return result;
    this.#named = true;
    const named = withLine(result, `[session "${id}": from other connections give it as session_id]`);
    const notice = await this.#earlierNotice(earlierSessions());
    if (notice === undefined) return named;
    const output = { ...result.output, notice: [said, notice].filter(Boolean).join(" ") };
    return withLine({ ...named, output }, `[${notice}]`);
  }

  async #earlierNotice(names: readonly string[]): Promise<string | undefined> {
    const { sessions, caller: { principal, defaultSession } } = this;
    const has = async (id: string) =>
      id !== defaultSession &&
      await sessions.host.store.has({ principal, sessionId: id }).catch(() => false); // a notice less
    const stored = await Promise.all(names.map(async (id) => await has(id) ? [`"${id}"`] : []));
    const shown = stored.flat();
    if (shown.length === 0) return undefined;
    const [what, its] = shown.length === 1
      ? ["The session of an earlier connection is", "its"]
      : ["The sessions of earlier connections are", "their"];
    return `This is a new session. ${what} stored, with ${its} variables and files: give session_id ${
      shown.join(" or ")
    } to go on there.`;
  }
}

function withLine(result: ToolResult<object>, line: string): ToolResult<object> {
  return { ...result, text: `${result.text}\n${line}` };
}
