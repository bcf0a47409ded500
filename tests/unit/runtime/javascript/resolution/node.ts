/** What Node answers to the questions of a tree. */

import type { Kind } from "../../../../../src/runtime/javascript/package_resolver.ts";
import type { Tree } from "./trees.ts";

/** Path below the tree, name of a built-in module or error code, by kind, by `directory: specifier`, by tree. */
export type Answers = Record<string, Record<string, Record<Kind, string>>>;

export const KINDS: readonly Kind[] = ["import", "require"];

/** Conditions that hold: those of Node, and those of our own. */
export const NODES: Readonly<Record<Kind, readonly string[]>> = {
  import: ["node", "import", "node-addons"],
  require: ["node", "require", "node-addons"],
};
export const OURS: Readonly<Record<Kind, readonly string[]>> = {
  import: ["import", "module", "browser"],
  require: ["require", "browser"],
};

export interface Question {
  readonly from: string;
  readonly specifier: string;
  readonly kind: Kind;
}

export function questionsOf({ ask }: Tree): Question[] {
  return Object.entries(ask).flatMap(([from, specifiers]) =>
    specifiers.flatMap((specifier) => KINDS.map((kind) => ({ from, specifier, kind })))
  );
}

/** The version of the Node on this machine; undefined without one. */
export async function nodeVersion(): Promise<string | undefined> {
  try {
    return await output(["--version"], "");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

export async function askNode(trees: readonly Tree[]): Promise<Answers> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    const made: Made[] = [];
    for (const [index, tree] of trees.entries()) made.push(await make(tree, `${root}/${index}`));
    const node = await answersFor(null, made.filter(({ tree }) => !tree.ours));
    const ours = await answersFor(OURS, made.filter(({ tree }) => tree.ours));
    return Object.fromEntries([...node, ...ours]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

interface Made {
  readonly tree: Tree;
  readonly root: string;
}

async function make(tree: Tree, root: string): Promise<Made> {
  for (const [name, contents] of Object.entries(tree.files)) {
    await Deno.mkdir(`${root}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${root}/${name}`, textOf(contents));
  }
  for (const from of Object.keys(tree.ask)) await Deno.mkdir(`${root}/${from}`, { recursive: true });
  return { tree, root };
}

async function answersFor(conditions: typeof OURS | null, made: readonly Made[]) {
  const trees = made.map(({ tree, root }) => ({ root, questions: questionsOf(tree) }));
  const program = new URL("ask_node.mjs", import.meta.url).pathname;
  const given: string[][] = JSON.parse(await output([program], JSON.stringify({ conditions, trees })));
  return made.map(({ tree }, index) =>
    [tree.name, answersOf(trees[index]!.questions, given[index]!)] as const
  );
}

export function answersOf(
  questions: readonly Question[],
  given: readonly string[],
): NonNullable<Answers[string]> {
  const answers: NonNullable<Answers[string]> = {};
  questions.forEach(({ from, specifier, kind }, index) => {
    const key = `${from}: ${specifier}`;
    answers[key] = { ...answers[key], [kind]: given[index]! } as Record<Kind, string>;
  });
  return answers;
}

export function textOf(contents: object | string): string {
  return typeof contents === "string" ? contents : JSON.stringify(contents);
}

async function output(args: string[], input: string): Promise<string> {
  const child = new Deno.Command("node", { args, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error("Node failed");
  return new TextDecoder().decode(stdout).trim();
}
