/** Arguments of a tool's call: by its schema, and as models and clients write them who mean the same in another way. */

import * as z from "zod";
import { closest } from "../closest.ts";
import { WasmboxError } from "../errors.ts";
import type { Tool } from "./tool.ts";

/** One way of writing may hide another: what is within quotes may have fields of its own. */
const MAX_REPAIRS = 3;

/** More that is wrong, and more names that a tool does not know, are no way of writing. */
const MAX_WRONG = 50;
const MAX_UNKNOWN = 20;

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TRUTH = new Map([["true", true], ["false", false]]);
/** Kinds of values that are no texts, by what zod calls them. */
const PARSED: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  object: isFields,
  record: isFields,
};

type Fields = Record<string, unknown>;
type Issue = z.core.$ZodIssue;
/** Under way. */
interface Call {
  args: unknown;
  readonly ignored: string[];
  /** Whether it may take something away for good: then nothing of it is overlooked. */
  readonly isDestructive: boolean;
}

/** What a call was given. */
export interface Given<Input> {
  readonly args: Input;
  /** Parameters that the tool does not have, and that are like none of its own: what some clients send along. */
  readonly ignored: readonly string[];
}

/**
 * Parses the arguments of a call.
 *
 * Taken for what they mean are: null and what is empty for what was left out, numbers, truth values, lists and objects within
 * quotes, one text for a list of them, a number for its text, names and choices in other letters (`sessionId`, `Python`), and
 * what the tool itself translates.
 *
 * @throws {WasmboxError} INVALID_ARGUMENTS, for what may mean anything.
 */
export function argumentsOf<Input>(
  { name, input, hints, translate = (args) => args }: Tool<Input>,
  given: unknown,
): Given<Input> {
  let parsed = input.safeParse(given);
  if (parsed.success) return { args: parsed.data, ignored: [] };
  const call: Call = { args: given, ignored: [], isDestructive: hints.destructiveHint };
  const parse = () => {
    if (isFields(call.args)) call.args = translate(call.args);
    return input.safeParse(call.args);
  };
  parsed = parse();
  for (let repair = 0; repair < MAX_REPAIRS && !parsed.success; repair++) {
    const { issues } = parsed.error;
    if (issues.length > MAX_WRONG) break;
    const repaired = issues.map((issue) => repairOne(call, issue, schemaAt(input, issue.path)));
    if (!repaired.includes(true)) break;
    parsed = parse();
  }
  if (parsed.success) return { args: parsed.data, ignored: call.ignored };
  throw invalidArguments(name, parsed.error, call.ignored, input);
}

/** What a place in the arguments is to be; undefined for one that the schema does not know. */
function schemaAt(schema: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return schema;
  const inner = withoutDefault(schema);
  if (inner instanceof z.ZodArray) return schemaAt(inner.element, rest);
  return inner instanceof z.ZodObject
    ? schemaAt((inner.shape as z.ZodRawShape)[String(key)], rest)
    : undefined;
}

function withoutDefault(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? withoutDefault(schema.unwrap())
    : schema;
}

function mayBeAbsent(schema: unknown): boolean {
  return schema !== withoutDefault(schema);
}

/** Names of the fields that belong to an object. */
function namesOf(schema: unknown): readonly string[] {
  const inner = withoutDefault(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Changes what is wrong in a call's arguments into what it means. @returns Whether it could. */
function repairOne(call: Call, issue: Issue, schema: unknown): boolean {
  const { path } = issue;
  const names = namesOf(schema);
  if (issue.code === "unrecognized_keys") {
    const fields = ownPart(call, path);
    return isFields(fields) && issue.keys.length <= MAX_UNKNOWN &&
      issue.keys.map((key) => repairName(fields, key, names, call)).includes(true);
  }
  const key = path.at(-1);
  const part = ownPart(call, path.slice(0, -1));
  if (key === undefined || part === undefined || !Object.hasOwn(part, key)) return false;
  const isLeftOut = part[key] === null || isEmpty(part[key]) && mayBeEmpty(schema, issue, call);
  if (isLeftOut && !Array.isArray(part)) return delete part[key];
  const meant = meantBy(part[key], issue);
  if (meant === undefined) return false;
  part[key] = meant;
  return true;
}

/** Of its kind, where it may be left out. */
function mayBeEmpty(schema: unknown, { code }: Issue, { isDestructive }: Call): boolean {
  return !isDestructive && code !== "invalid_type" && mayBeAbsent(schema);
}

/** A name in other letters is the parameter's; one that is like none is left out; one that is nearly one is a mistake. */
function repairName(fields: Fields, key: string, names: readonly string[], call: Call): boolean {
  const value = fields[key];
  const same = names.find((name) => !Object.hasOwn(fields, name) && lettersOf(name) === lettersOf(key));
  if (same === undefined && (call.isDestructive || isLike(key, names))) return false;
  delete fields[key];
  if (same === undefined) call.ignored.push(key);
  else fields[same] = value;
  return true;
}

/** Whether it may be meant for one of them: `timeout_ms`, `session`. */
function isLike(key: string, names: readonly string[]): boolean {
  const letters = lettersOf(key);
  return closest(key, names) !== undefined ||
    names.map(lettersOf).some((name) => name.includes(letters) || letters.includes(name));
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** @returns undefined if it means nothing else. */
function meantBy(value: unknown, issue: Issue): unknown {
  if (issue.code === "invalid_value" && ["string", "number"].includes(typeof value)) {
    const small = `${value}`.trim().toLowerCase();
    return issue.values.includes(small) && small !== value ? small : undefined;
  }
  if (issue.code !== "invalid_type") return undefined;
  const { expected } = issue;
  if (expected === "string") return typeof value === "number" ? String(value) : undefined;
  if (typeof value !== "string") return undefined;
  if (expected === "boolean") return TRUTH.get(value.toLowerCase());
  if (expected === "number" || expected === "int") return NUMBER.test(value) ? Number(value) : undefined;
  const parsed = Object.hasOwn(PARSED, expected) ? parseAs(value, PARSED[expected]!) : undefined;
  return parsed ?? (expected === "array" ? [value] : undefined);
}

function parseAs(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEmpty(value: unknown): boolean {
  return value === "" || typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list or an object of a call's arguments, and all that it is in, as copies: whoever sent them keeps theirs. */
function ownPart(call: Call, path: readonly PropertyKey[]): Record<PropertyKey, unknown> | undefined {
  let part = call as unknown as Record<PropertyKey, unknown>;
  for (const key of ["args", ...path]) {
    const inner = part[key];
    if (typeof inner !== "object" || inner === null) return undefined;
    part = part[key] = (Array.isArray(inner) ? [...inner] : { ...inner }) as Record<PropertyKey, unknown>;
  }
  return part;
}

/** What is said of names that a tool has no parameter for. */
export function noParameter(tool: string, names: readonly string[]): string {
  const shown = names.map((name) => JSON.stringify(name.slice(0, 100)));
  return `${tool} has no parameter ${shown.join(", ")}`;
}

function invalidArguments(
  tool: string,
  { issues }: z.ZodError,
  ignored: readonly string[],
  input: z.ZodType,
): WasmboxError {
  const wrong = [
    ...issues.slice(0, MAX_WRONG).map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`),
    ...issues.length > MAX_WRONG ? [`and ${issues.length - MAX_WRONG} more`] : [],
    ...ignored.length > 0 ? [noParameter(tool, ignored)] : [],
  ];
  const parameters = Object.entries(input instanceof z.ZodObject ? input.shape as z.ZodRawShape : {})
    .map(([name, schema]) => mayBeAbsent(schema) ? name : `${name} (required)`);
  const takes = parameters.length > 0 ? `takes ${parameters.join(", ")}` : "takes no arguments";
  return new WasmboxError("INVALID_ARGUMENTS", `Invalid arguments for ${tool}: ${wrong.join("; ")}`, {
    suggestions: [`Correct the arguments: ${tool} ${takes}.`],
    context: { tool },
  });
}
