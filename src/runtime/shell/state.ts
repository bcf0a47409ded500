/** What a shell keeps from one script to the next, as plain data: variables, functions, options, directory. */

import * as z from "zod/mini";
import { ImageError } from "../../image/image_error.ts";
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

const savedState = z.object({
  cwd: z.string(),
  previousDir: z.string(),
  env: z.array(z.tuple([z.string(), z.string()])),
  arrays: z.array(
    z.tuple([z.string(), z.enum(["indexed", "associative"]), z.array(z.tuple([z.string(), z.string()]))]),
  ),
  attributes: z.record(z.enum(ATTRIBUTES), names),
  shoptOptions: flags,
  /** Source: it is parsed again, so that nothing but what a script can say comes back. */
  functions: z.string(),
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
  return {
    cwd,
    previousDir,
    env: [...env],
    arrays: [...arrays].map(([name, { kind, elements }]) => [name, kind, [...elements]]),
    attributes: Object.fromEntries(attributes) as SavedState["attributes"],
    shoptOptions: { ...shoptOptions },
    functions: [...state.functions.values()].map(sourceOf).join("\n"),
  };
}

/** What of memory a character of a function takes, as its parser has it, against one of a variable. */
const FUNCTION_WEIGHT = 100;

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
    weight += FUNCTION_WEIGHT * sourceOf(definition).length;
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
    add(sourceOf(definition));
  }
  if (characters > maxBytes || texts > maxBytes / JSON_AROUND) return false;
  if (characters * JSON_CHARACTER + texts * JSON_AROUND < maxBytes) return true;
  return new TextEncoder().encode(JSON.stringify(save(state))).length <= maxBytes;
}

/** @throws {ImageError} if it is no saved state. */
export function load(json: unknown): LastingState {
  const { data } = savedState.safeParse(json);
  if (!data) throw new ImageError("the state of the shell is none");
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
    functions: new Map(functionsOf(data.functions).map((definition) => [definition.name, definition])),
    ...Object.fromEntries(attributes) as unknown as Pick<ShellState, typeof ATTRIBUTES[number]>,
  };
}

const sources = new WeakMap<FunctionDefinition, string>();
let printed: Script = { type: "Script", statements: [] };
const printer = new Bash({ cwd: "/", defenseInDepth: false, commands: [] });
printer.registerTransformPlugin({ name: "print", transform: () => ({ ast: printed }) });
const parser = new Bash({ cwd: "/", defenseInDepth: false, commands: [] });

/** The source of a function, made anew from what its parser made of it. */
export function sourceOf(definition: FunctionDefinition): string {
  const known = sources.get(definition);
  if (known !== undefined) return known;
  const pipeline = { type: "Pipeline" as const, commands: [definition], negated: false };
  const statement = { type: "Statement" as const, pipelines: [pipeline], operators: [], background: false };
  printed = { type: "Script", statements: [statement] };
  const source = printer.transform("").script;
  sources.set(definition, source);
  return source;
}

/** @throws {ImageError} */
function functionsOf(source: string): FunctionDefinition[] {
  if (source === "") return [];
  try {
    const commands = parse(source).statements.flatMap(({ pipelines }) =>
      pipelines.flatMap(({ commands }) => commands)
    );
    return commands.filter((command) => command.type === "FunctionDef");
  } catch (error) {
    throw new ImageError(`a function of the shell is none: ${error}`);
  }
}

/** @throws {Error} ParseException */
export function parse(source: string): Script {
  return parser.transform(source).ast;
}
