/** What an execution's reply need not say: fields that mean nothing unusual cost a model as much as those that do. */

import { isDeepStrictEqual } from "node:util";

/** What a field stands for where a reply leaves it out, as docs/REPLIES.md tells. */
export const LEFT_OUT = {
  stderr: "",
  truncated: { stdout: false, stderr: false },
  result: null,
  return_value: null,
  error: null,
  durable: null,
  notice: null,
  displays: [],
  displays_dropped: 0,
  files_changed: [],
  files_changed_truncated: false,
  artifacts: [],
  output_files: [],
} as const;

/** The same of each of the displays. */
const LEFT_OUT_OF_DISPLAY = {
  text: null,
  image: null,
  width: null,
  height: null,
  path: null,
  uri: null,
  note: null,
} as const;

/** The same of the fuel, which is left out itself where it has no bound. */
export const LEFT_OUT_OF_FUEL = { budget: null, session_budget: null, advice: "Nothing to do." } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Which fields {@link leaveOut} may leave out. */
export type Leavable = keyof typeof LEFT_OUT | "fuel";

/** An execution's whole reply without what it need not say. */
export function leaveOut<Reply extends Partial<Record<Leavable, unknown>>>(reply: Reply) {
  const { displays, fuel, ...rest } = reply as Fields & { displays: readonly Fields[]; fuel: Fields };
  const isBounded = fuel["budget"] !== null || fuel["session_budget"] !== null;
  const said = {
    ...without(rest, LEFT_OUT),
    ...displays.length > 0 && { displays: displays.map((each) => without(each, LEFT_OUT_OF_DISPLAY)) },
    ...isBounded && { fuel: without(fuel, LEFT_OUT_OF_FUEL) },
  };
  return said as unknown as Omit<Reply, Leavable> & Partial<Pick<Reply, Leavable & keyof Reply>>;
}

function without(fields: Fields, usual: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => !(key in usual && isDeepStrictEqual(value, usual[key]))),
  );
}

/** All fields again, as a program has to read them: of an execution's reply; any other stays as it is. */
export function inFull(structured: Fields): Record<string, unknown> {
  if (!("execution_id" in structured)) return { ...structured };
  const full = { ...LEFT_OUT, ...structured };
  const displays = full.displays as readonly Fields[];
  return {
    ...full,
    displays: displays.map((each) => ({ ...LEFT_OUT_OF_DISPLAY, ...each })),
    ...structured["fuel"] !== undefined && { fuel: { ...LEFT_OUT_OF_FUEL, ...structured["fuel"] as Fields } },
  };
}
