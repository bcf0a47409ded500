/** The variables of a session as a resource, `variables://{session}`: for people's views, which models pay nothing for. */

import {
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { SESSION_ID_PATTERN } from "../session/names.ts";
import type { SessionTable } from "../session/table.ts";

const SCHEME = "variables://";

export const VARIABLES_TEMPLATE: ResourceTemplateType = {
  uriTemplate: `${SCHEME}{session}`,
  name: "session-variables",
  title: "Variables of a session",
  description: "Names, types and short values of the variables of each language of one of your sessions.",
  mimeType: "application/json",
};

export function variablesUri(sessionId: string): string {
  return `${SCHEME}${sessionId}`;
}

/** The session whose variables a URI names; undefined if that is not what it names. */
export function parseVariablesUri(uri: string): string | undefined {
  const id = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : "";
  return SESSION_ID_PATTERN.test(id) ? id : undefined;
}

/**
 * Nothing of the session's is changed by looking, and one that is not live is not woken.
 *
 * @returns undefined if that is not what it names. @throws {ResourceNotFoundError}
 */
export async function readVariables(
  uri: string,
  sessions: SessionTable,
  principal: string,
): Promise<ReadResourceResult | undefined> {
  if (!uri.startsWith(SCHEME)) return undefined;
  const id = parseVariablesUri(uri);
  const session = id === undefined ? undefined : sessions.live(principal, id);
  if (!session) throw new ResourceNotFoundError(uri);
  const text = JSON.stringify({
    session_id: id,
    live: session.isAwake,
    languages: await session.variables(),
  });
  return { contents: [{ uri, mimeType: "application/json", text }] };
}
