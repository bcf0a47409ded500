/** What an execution's reply need not say: fields that mean nothing unusual cost a model as much as those that do. */

import { isDeepStrictEqual } from "node:util";

/** What a field stands for where a reply leaves it out, as docs/REPLIES.md tells. */
export const LEFT_OUT = {
  stderr: "",
  truncated: { stdout: false, stderr: false },
  result: null,
  return_value: null,
  error: null,
  notice: null,
  displays: [],
  displays_dropped: 0,
  files_changed: [],
  files_changed_truncated: false,
  artifacts: [],
} as const;

/** Without the fields that are as {@link LEFT_OUT} says, and without fuel where it has no bound. */
export function leaveOut<Reply extends { readonly fuel?: Fuel | undefined }>(reply: Reply): Left<Reply> {
  const usual: Readonly<Record<string, unknown>> = LEFT_OUT;
  const said = Object.entries(reply).filter(([key, value]) =>
    key === "fuel" ? !isUnbounded(reply.fuel) : !(key in usual && isDeepStrictEqual(value, usual[key]))
  );
  return Object.fromEntries(said) as Left<Reply>;
}

type Leavable = keyof typeof LEFT_OUT | "fuel";
type Left<Reply> = Omit<Reply, Leavable> & Partial<Pick<Reply, Leavable & keyof Reply>>;

interface Fuel {
  readonly budget: number | null;
  readonly session_budget: number | null;
}

function isUnbounded(fuel: Fuel | undefined): boolean {
  return fuel !== undefined && fuel.budget === null && fuel.session_budget === null;
}

/** All fields again, as a program has to read them: of an execution's reply; any other stays as it is. */
export function inFull(structured: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ..."execution_id" in structured && LEFT_OUT, ...structured };
}
