/** What runs and waits in a session, as stores keep it: a server that takes over tells what of it was lost. */

/** Executions that a store names at most. */
const MAX_UNDER_WAY = 50;
const ID_MAX = 100;

/** @param executionIds What runs, then what waits. */
export function encodeUnderWay(executionIds: readonly string[]): string {
  return executionIds.slice(0, MAX_UNDER_WAY).join("\n");
}

/** @param ended The execution whose end is stored. @returns Those that are not. */
export function decodeUnderWay(text: string, ended?: string): string[] {
  return text.slice(0, MAX_UNDER_WAY * (ID_MAX + 1)).split("\n")
    .filter((id) => id !== "" && id.length <= ID_MAX && id !== ended);
}
