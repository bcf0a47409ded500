/** What a shell keeps from one script to the next, as plain data: variables, functions, options, directory. */

import * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import { Bash, type FunctionDefinition, type Script, type ShellArray, type ShellState } from "./just_bash.ts";

const names = z.array(z.string());
const flags = z.record(z.string(), z.boolean());
const ATTRIBUTES = [
  "exportedVars",
  "readonlyVars",
  "integerVars",
  "lowercaseVars",
  "uppercaseVars",
  "namerefs",
  "associativeArrays",
] as const;

const functionDefinition = z.custom<FunctionDefinition>((tree) => {
  const { type, name, body } = (tree ?? {}) as Partial<FunctionDefinition>;
  return type === "FunctionDef" && typeof name === "string" && typeof body === "object";
});

const savedState = z.object({
  cwd: z.string(),
  previousDir: z.string(),
  env: z.array(z.tuple([z.string(), z.string()])),
  arrays: z.array(
    z.tuple([z.string(), z.enum(["indexed", "associative"]), z.array(z.tuple([z.string(), z.string()]))]),
  ),
  attributes: z.record(z.enum(ATTRIBUTES), names),
  shoptOptions: flags,
  /** As their parser made them: what just-bash prints of a function is not always that function, or one at all. */
  functions: z.array(functionDefinition),
  /** Names of functions that JSON can't tell. */
  unsaved: names,
});
export type SavedState = z.infer<typeof savedState>;

/**
 * The part of a state that outlives a script. The options of `set` do not: `set -e` of one script should not end the
 * next. The rest says where in a script it is.
 */
export type LastingState = Omit<ShellState, "lastExitCode" | "options">;

export function lastingPart(state: ShellState): LastingState {
  const { env, arrays, functions, cwd, previousDir, shoptOptions } = state;
  return { env, arrays, functions, cwd, previousDir, shoptOptions, ...attributesOf(state) };
}

function attributesOf(state: LastingState): Pick<ShellState, typeof ATTRIBUTES[number]> {
  return Object.fromEntries(ATTRIBUTES.map((name) => [name, state[name]])) as unknown as ShellState;
}

/** A state that stays as it is while a script changes the other: just-bash copies variables for a script, and nothing else. */
export function copyOf(state: ShellState): LastingState {
  const { functions, shoptOptions } = state;
  const sets = ATTRIBUTES.map((name) => [name, state[name] && new Set(state[name])] as const);
  return {
    ...lastingPart(state),
    functions: new Map(functions),
    shoptOptions: { ...shoptOptions },
    ...Object.fromEntries(sets) as unknown as Pick<ShellState, typeof ATTRIBUTES[number]>,
  };
}

export function save(state: LastingState): SavedState {
  const { cwd, previousDir, env, arrays, shoptOptions } = state;
  const attributes = ATTRIBUTES.map((name) => [name, [...state[name] ?? []]] as const);
  const definitions = [...state.functions.values()];
  return {
    // First, as they are large and change seldom: what precedes a change need not be stored again.
    functions: definitions.map(plainTreeOf).filter((tree) => tree !== undefined),
    unsaved: definitions.filter((each) => !plainTreeOf(each)).map(({ name }) => name),
    cwd,
    previousDir,
    env: [...env],
    arrays: [...arrays].map(([name, { kind, elements }]) => [name, kind, [...elements]]),
    attributes: Object.fromEntries(attributes) as SavedState["attributes"],
    shoptOptions: { ...shoptOptions },
  };
}

/** What of memory a character of a function's tree as JSON takes, as its parser has it, against one of a variable. */
const FUNCTION_WEIGHT = 8;

/** Sizes of functions' trees as JSON. A definition never changes. */
const treeSizes = new WeakMap<FunctionDefinition, number>();

function treeSizeOf(definition: FunctionDefinition): number {
  const known = treeSizes.get(definition);
  if (known !== undefined) return known;
  const size = JSON.stringify(plainTreeOf(definition) ?? null).length;
  treeSizes.set(definition, size);
  return size;
}

/** How much a running script holds in variables and functions, in characters of variables. */
export function weightOf(state: ShellState): number {
  let weight = 0;
  const scalar = (name: string, value: string | undefined) => weight += name.length + (value?.length ?? 0);
  const array = (name: string, value: ShellArray | undefined) => {
    weight += name.length;
    for (const [key, element] of value?.elements ?? []) scalar(key, element);
  };
  for (const scope of [state.env, ...state.localScopes ?? [], ...state.tempEnvBindings ?? []]) {
    for (const [name, value] of scope) scalar(name, value);
  }
  for (const scope of [state.arrays, ...state.localArrayScopes ?? []]) {
    for (const [name, value] of scope) array(name, value);
  }
  for (const [name, cells] of state.localVarStack ?? []) {
    for (const { value } of cells) scalar(name, value);
  }
  for (const text of state.fileDescriptors?.values() ?? []) weight += text.length;
  for (const definition of state.functions.values()) {
    weight += FUNCTION_WEIGHT * treeSizeOf(definition);
  }
  return weight;
}

/** Bytes that a character takes at most in JSON, and what stands around each text. */
const JSON_CHARACTER = 6;
const JSON_AROUND = 16;

/** Whether a state takes no more than `maxBytes` of JSON when it is saved. */
export function isAtMost(state: LastingState, maxBytes: number): boolean {
  let characters = 0;
  let texts = 0;
  const add = (text: string) => {
    characters += text.length;
    texts++;
  };
  for (const [name, value] of state.env) [name, value].forEach(add);
  for (const [name, { elements }] of state.arrays) {
    add(name);
    for (const [key, value] of elements) [key, value].forEach(add);
  }
  for (const name of ATTRIBUTES) state[name]?.forEach(add);
  for (const definition of state.functions.values()) {
    if (characters > maxBytes) return false;
    characters += treeSizeOf(definition);
  }
  if (characters > maxBytes || texts > maxBytes / JSON_AROUND) return false;
  if (characters * JSON_CHARACTER + texts * JSON_AROUND < maxBytes) return true;
  return new TextEncoder().encode(JSON.stringify(save(state))).length <= maxBytes;
}

/** @returns The state, and the names of functions that it has not. @throws {ImageError} if it is no saved state. */
export function load(json: unknown): { state: LastingState; unsaved: readonly string[] } {
  const data = parseState(json);
  if (!data) throw new ImageError("the state of the shell is invalid");
  return { state: stateOf(data), unsaved: data.unsaved };
}

/** Whether {@link load} takes it. */
export function isLoadable(saved: SavedState): boolean {
  return parseState(saved) !== undefined;
}

function parseState(json: unknown): SavedState | undefined {
  return savedState.safeParse(json).data;
}

function stateOf(data: SavedState): LastingState {
  const { cwd, previousDir, env, shoptOptions } = data;
  const arrays = data.arrays.map(([name, kind, elements]): [string, ShellArray] => [
    name,
    { kind, elements: new Map(elements) },
  ]);
  const attributes = ATTRIBUTES.map((name) => [name, new Set(data.attributes[name])] as const);
  return {
    cwd,
    previousDir,
    env: new Map(env),
    arrays: new Map(arrays),
    shoptOptions,
    functions: new Map(data.functions.map((definition) => [definition.name, definition])),
    ...Object.fromEntries(attributes) as unknown as Pick<ShellState, typeof ATTRIBUTES[number]>,
  };
}

/** By definition, which never changes; undefined: there is none. */
const plainTrees = new WeakMap<FunctionDefinition, { readonly tree: FunctionDefinition | undefined }>();

/** A function as plain data; undefined if JSON would not bring the same back. */
function plainTreeOf(definition: FunctionDefinition): FunctionDefinition | undefined {
  const known = plainTrees.get(definition);
  if (known) return known.tree;
  let tree: FunctionDefinition | undefined;
  try {
    tree = plain(definition) as FunctionDefinition;
  } catch (error) {
    if (!(error instanceof NotPlain) && !(error instanceof RangeError)) throw error; // or it is too deep
  }
  plainTrees.set(definition, { tree });
  return tree;
}

/** It is something that JSON has no form for. */
class NotPlain extends Error {}

/** A copy without what is not set, and without the script's text, which only `set -v` prints. @throws {NotPlain} */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const fields = Object.entries(value).filter(([name, field]) =>
      field !== undefined && name !== "sourceText"
    );
    return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
  }
  const isPlain = value === null || typeof value === "string" || typeof value === "boolean" ||
    Number.isFinite(value);
  if (!isPlain) throw new NotPlain();
  return value;
}

const parser = new Bash({ cwd: "/", defenseInDepth: false, commands: [] });

/** @throws {Error} ParseException */
export function parse(source: string): Script {
  return parser.transform(source).ast;
}
