/**
 * What modules make when they are loaded, and no start needs, is made when it is first used: schemas of messages that may
 * never come, and libraries whose tables are computed. A bundle has all of its modules in one scope, so that it can be told where
 * each thing is used.
 */

import * as acorn from "acorn";
import { type Declared, declaredIn, type Use } from "./names.ts";

/** Modules that are deferred whole, by what ends their paths: nothing they do when they are evaluated can be seen elsewhere. */
const WHOLE = /\/fflate\/.*\.js$/;
/** Modules whose functions make schemas, and do nothing else. */
const MAKERS = /\/zod\/.*\/(api|checks|coerce|iso|schemas)\.js$/;
/** Methods of schemas that do something with them. */
const EFFECTS = /^(register|.*(parse|encode|decode).*)$/i;
/** A constant by its name, whose contents nobody changes either. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

const COMMON_JS_HELPER = /^__commonJS\d*$/;

interface Edit {
  readonly at: number;
  /** Of what is replaced. */
  readonly end: number;
  readonly text: string;
}

/** A top-level statement, and the module that it is of. */
interface Statement {
  readonly node: acorn.Program["body"][number];
  readonly path: string;
}

const ONCE = "__once";
/** Makes something once. Whoever throws is asked again. */
const HELPER =
  `var ${ONCE} = (make) => { let made; return () => { if (make) { made = make(); make = void 0; } return made; }; };\n`;

/**
 * In place of a bundler's `__commonJS`, by which a library that ended with an error half way, as its first use was at the end of
 * somebody's stack, would be there for good, and empty. Here nothing is there then of all that it has loaded. (Where it
 * ends nothing is called, for which there may be no room.)
 */
const COMMON_JS = `((loading) => (modules) => {
  const slot = { module: void 0 };
  return () => {
    if (slot.module) return slot.module.exports;
    const outermost = loading === void 0;
    const slots = outermost ? [] : loading;
    slots.push(slot);
    loading = slots;
    let whole = false;
    try {
      const module = slot.module = { exports: {} };
      Object.values(modules)[0](module.exports, module);
      whole = true;
      return module.exports;
    } finally {
      if (outermost) {
        loading = void 0;
        for (let i = 0; i < slots.length && !whole; i++) slots[i].module = void 0;
      }
    }
  };
})()`;

/** Without any word of that, a bundler takes a program for a CommonJS one, and makes it a function. */
const MODULE = "export {};\n";

/** Has a bundle, which must not be minified yet, make such things when they are first used. */
export function deferred(bundle: string): string {
  const comments: acorn.Comment[] = [];
  const program = acorn.parse(bundle, {
    ecmaVersion: "latest",
    sourceType: "module",
    onComment: comments,
    ranges: true,
  });
  const names = declaredIn(program);
  const statements = statementsOf(program, comments);
  const functionsOf = (some: readonly Statement[]) =>
    new Set(some.flatMap(({ node }) => node.type === "FunctionDeclaration" ? [node.id.name] : []));
  const functions = functionsOf(statements);
  const makers = functionsOf(statements.filter(({ path }) => MAKERS.test(path)));
  const constant = (name: string) => names.get(name)?.constant ?? false;
  /** Schemas that are made later, and what has them. */
  const later = new Set<string>();
  const same = (name: string) =>
    constant(name) && (functions.has(name) || later.has(name) || CONSTANT.test(name));
  const edits = [
    ...statements.flatMap(({ node, path }) => {
      if (WHOLE.test(path) || MAKERS.test(path)) return [];
      const declared = declarationOf(node);
      if (!declared || !constant(declared.name)) return [];
      const { name, init } = declared;
      if (COMMON_JS_HELPER.test(name)) return [{ at: init.start, end: init.end, text: COMMON_JS }];
      if (isSchema(init, makers, later, same)) later.add(name);
      else if (!isCommonJs(init)) return [];
      return [
        { at: init.start, end: init.start, text: `${ONCE}(() => (` },
        { at: init.end, end: init.end, text: "))" },
        ...names.get(name)!.reads.map((use) => instead(use, name, `(${name}())`)), // as in: new (name()).Class()
      ];
    }),
    ...Map.groupBy(statements.filter(({ path }) => WHOLE.test(path)), ({ path }) => path).values()
      .flatMap((module) => wholeModule(module.map(({ node }) => node), names)),
  ];
  return `${HELPER}${edited(bundle, edits)}\n${MODULE}`;
}

/** The statements with their modules, whose paths bundles have in comments. */
function statementsOf({ body }: acorn.Program, comments: readonly acorn.Comment[]): Statement[] {
  const begin = comments.filter(({ type, value }) => type === "Line" && /^ \S.*\.\w+$/.test(value));
  let [path, next] = ["", 0];
  return body.map((node) => {
    for (; next < begin.length && begin[next]!.start < node.start; next++) path = begin[next]!.value.trim();
    return { node, path };
  });
}

function declarationOf(node: Statement["node"]): { name: string; init: acorn.Expression } | undefined {
  if (node.type !== "VariableDeclaration") return undefined;
  const [first, ...more] = node.declarations;
  if (first?.id.type !== "Identifier" || !first.init || more.length > 0) return undefined;
  return { name: first.id.name, init: first.init };
}

/** `__toESM(require_library())`, which evaluates the library. */
function isCommonJs(init: acorn.Expression): boolean {
  return init.type === "CallExpression" && init.callee.type === "Identifier" &&
    /^__toESM\d*$/.test(init.callee.name);
}

/**
 * Whether an expression makes a schema, or has one, and nothing that it is made of can change.
 *
 * @param later Those that are made later: only then is there something to be gained.
 * @param same Whether a name stands for the same whenever it is asked for.
 */
function isSchema(
  init: acorn.Expression,
  makers: ReadonlySet<string>,
  later: ReadonlySet<string>,
  same: (name: string) => boolean,
): boolean {
  let made = false;
  const inert = (node: acorn.AnyNode | null): boolean => {
    switch (node?.type) {
      case "Literal":
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return true;
      case "Identifier":
        made ||= makers.has(node.name) || later.has(node.name);
        return same(node.name);
      case "SpreadElement":
        return inert(node.argument);
      case "UnaryExpression":
        return node.operator !== "delete" && inert(node.argument);
      case "BinaryExpression":
        return inert(node.left) && inert(node.right);
      case "TemplateLiteral":
        return node.expressions.every(inert);
      case "MemberExpression":
        return !node.computed && node.property.type === "Identifier" && !EFFECTS.test(node.property.name) &&
          inert(node.object);
      case "ArrayExpression":
        return node.elements.every(inert);
      case "ObjectExpression":
        return node.properties.every(inert);
      case "Property":
        return node.kind === "init" && (!node.computed || inert(node.key)) && inert(node.value);
      case "CallExpression": {
        const root = rootOf(node.callee);
        return root !== undefined && (makers.has(root) || later.has(root)) && inert(node.callee) &&
          node.arguments.every(inert);
      }
      default:
        return false;
    }
  };
  return init.type !== "Identifier" && inert(init) && made;
}

/** What a chain of calls and members begins with, as `object` in `object({}).optional()`. */
function rootOf(node: acorn.AnyNode): string | undefined {
  if (node.type === "CallExpression") return rootOf(node.callee);
  if (node.type === "MemberExpression") return rootOf(node.object);
  return node.type === "Identifier" ? node.name : undefined;
}

/**
 * Makes a module a function that is called once, and what others use of it a property of what that returns.
 *
 * @throws {Error} if something of it that others use can change.
 */
function wholeModule(nodes: readonly acorn.Node[], names: ReadonlyMap<string, Declared>): Edit[] {
  const [first, last] = [nodes[0]!, nodes.at(-1)!];
  const isWithin = ({ start }: { readonly start: number }) => start >= first.start && start < last.end;
  const module = `__module_${first.start}`;
  const used = [...names].flatMap(([name, { reads, constant, at }]) => {
    const outside = isWithin({ start: at }) ? reads.filter((use) => !isWithin(use)) : [];
    if (outside.length > 0 && !constant) throw new Error(`${name} can't be made later, as it can change`);
    return outside.length > 0 ? [{ name, outside }] : [];
  });
  return [
    { at: first.start, end: first.start, text: `var ${module} = ${ONCE}(() => {\n` },
    { at: last.end, end: last.end, text: `\nreturn { ${used.map(({ name }) => name).join(", ")} };\n});` },
    ...used.flatMap(({ name, outside }) =>
      outside.map((use) => instead(use, name, `(0, ${module}().${name})`))
    ),
  ];
}

function instead({ start, end, shorthand }: Use, name: string, text: string): Edit {
  return { at: start, end, text: shorthand ? `${name}: ${text}` : text };
}

function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.at - b.at || a.end - b.end)) {
    parts.push(text.slice(at, edit.at), edit.text);
    at = edit.end;
  }
  return [...parts, text.slice(at)].join("");
}
