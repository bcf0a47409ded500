/** Names of principals and sessions. */

/** The principal of everyone who reaches the server without having to tell who they are. */
export const LOCAL_PRINCIPAL = "local";

/** What a session may be called; ids are names inside a principal. */
export const SESSION_ID_PATTERN = /^[A-Za-z0-9_-]{1,100}$/;

/** Names a session among those of all principals: ids have no slash. */
export function keyOf(principal: string, id: string): string {
  return `${principal}/${id}`;
}

export function randomId(): string {
  return `session_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}
