/** Values for the arguments of prompts and for the variables of resource templates, as far as one was typed. */

import type { SessionTable } from "../session/table.ts";
import { pathsLike } from "./path_completion.ts";
import { languageSchema } from "./schemas.ts";

/** Most that one answer may hold (MCP, Completion). */
const MAX_VALUES = 100;

export interface CompletionContext {
  readonly principal: string;
  readonly sessions: SessionTable;
  /** Arguments that have a value already. */
  readonly given: Readonly<Record<string, string>>;
}

export interface Completion {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** All values that an argument of that name may have. */
type Source = (context: CompletionContext, typed: string) => readonly string[] | Promise<readonly string[]>;

/** By the argument's name, which means the same wherever it occurs. */
const SOURCES: Readonly<Record<string, Source>> = {
  language: () => languageSchema.options,
  session_id: sessionIds,
  session: sessionIds,
  path: ({ sessions, principal, given }, typed) => {
    const id = given["session"] ?? given["session_id"];
    return pathsLike(id === undefined ? undefined : sessions.live(principal, id), typed);
  },
};

function sessionIds({ sessions, principal }: CompletionContext): string[] {
  return sessions.list(principal).map((session) => session.id);
}

/** @returns Nothing for an argument whose values can't be told. */
export async function complete(
  name: string,
  typed: string,
  context: CompletionContext,
): Promise<Completion> {
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  const all = source ? await source(context, typed) : [];
  const fitting = all.filter((value) => value.startsWith(typed)).sort();
  return {
    values: fitting.slice(0, MAX_VALUES),
    total: fitting.length,
    hasMore: fitting.length > MAX_VALUES,
  };
}
