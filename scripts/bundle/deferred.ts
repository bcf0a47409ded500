/**
 * What modules make when they are loaded, and no start needs, is made when it is first used: schemas of messages that may
 * never come, and libraries whose tables are computed. Bundles can be told so, since each name at their top level is one of
 * all of their modules, and stands for nothing else anywhere within them.
 */

import * as acorn from "acorn";
import { type Use, usesOf } from "./names.ts";

/** Modules that are deferred whole, by what ends their paths: nothing they do when they are evaluated can be seen elsewhere. */
const WHOLE = /\/fflate\/.*\.js$/;
/** Functions that make schemas, and do nothing else, are of these modules. */
const MAKERS = /\/zod\/.*\.js$/;

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

/** Without any word of that, a bundler takes a program for a CommonJS one, and makes it a function. */
const MODULE = "export {};\n";

/** Has a bundle, which must not be minified yet, make such things when they are first used. */
export function deferred(bundle: string): string {
  const comments: acorn.Comment[] = [];
  const program = acorn.parse(bundle, { ecmaVersion: "latest", sourceType: "module", onComment: comments });
  const uses = usesOf(program);
  const statements = statementsOf(program, comments);
  const makers = new Set(
    statements.filter(({ path }) => MAKERS.test(path)).flatMap(({ node }) =>
      node.type === "FunctionDeclaration" ? [node.id.name] : []
    ),
  );
  const constant = (name: string) => uses.get(name)?.every(({ role }) => role !== "written") ?? false;
  const edits = [
    ...statements.flatMap(({ node, path }) => {
      if (WHOLE.test(path) || MAKERS.test(path)) return [];
      const declared = declarationOf(node);
      const [own, ...others] = (declared && uses.get(declared.name)) ?? [];
      if (!declared || !own || !others.every(({ role }) => role === "read" || role === "shorthand")) {
        return [];
      }
      if (!isCommonJs(declared.init) && !isSchema(declared.init, makers, constant)) return [];
      const { name, init } = declared;
      return [
        { at: init.start, end: init.start, text: `${ONCE}(() => (` },
        { at: init.end, end: init.end, text: "))" },
        ...others.map((use) => instead(use, name, `(${name}())`)), // as in: new (name()).Class()
      ];
    }),
    ...Map.groupBy(statements.filter(({ path }) => WHOLE.test(path)), ({ path }) => path).values()
      .flatMap((module) => wholeModule(module.map(({ node }) => node), uses)),
  ];
  return `${HELPER}${edited(bundle, edits)}\n${MODULE}`;
}

/** The statements with their modules, whose paths bundles have in comments. */
function statementsOf({ body }: acorn.Program, comments: readonly acorn.Comment[]): Statement[] {
  const begin = comments.filter(({ type, value }) => type === "Line" && /^ \S+\/\S+$/.test(value));
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

/** Whether an expression makes a schema, and nothing that it is made of can change. */
function isSchema(
  init: acorn.Expression,
  makers: ReadonlySet<string>,
  constant: (name: string) => boolean,
): boolean {
  let made = false;
  const inert = (
    node: acorn.Expression | acorn.SpreadElement | acorn.Super | acorn.PrivateIdentifier,
  ): boolean => {
    switch (node.type) {
      case "Literal":
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return true;
      case "Identifier":
        return constant(node.name);
      case "SpreadElement":
      case "UnaryExpression":
        return inert(node.argument);
      case "BinaryExpression":
        return inert(node.left) && inert(node.right);
      case "TemplateLiteral":
        return node.expressions.every(inert);
      case "MemberExpression":
        return !node.computed && inert(node.object);
      case "ArrayExpression":
        return node.elements.every((element) => element !== null && inert(element));
      case "ObjectExpression":
        return node.properties.every((property) =>
          property.type === "SpreadElement"
            ? inert(property)
            : (!property.computed || inert(property.key)) && inert(property.value)
        );
      case "CallExpression":
        made ||= node.callee.type === "Identifier" && makers.has(node.callee.name);
        return callsMaker(node, makers) && inert(node.callee) && node.arguments.every(inert);
      default:
        return false;
    }
  };
  return init.type !== "ArrowFunctionExpression" && inert(init) && made;
}

/** Whether what is called is a maker, or a method of what one has made. */
function callsMaker({ callee }: acorn.CallExpression, makers: ReadonlySet<string>): boolean {
  if (callee.type === "Identifier") return makers.has(callee.name);
  if (callee.type !== "MemberExpression" || callee.computed) return false;
  return callee.object.type === "CallExpression" && callsMaker(callee.object, makers);
}

/** Makes a module a function that is called once, and what others use of it a property of what that returns. */
function wholeModule(nodes: readonly acorn.Node[], uses: ReadonlyMap<string, readonly Use[]>): Edit[] {
  const [first, last] = [nodes[0]!, nodes.at(-1)!];
  const isWithin = ({ start }: Use) => start >= first.start && start < last.end;
  const module = `__module_${first.start}`;
  const outside = [...uses].filter(([, all]) =>
    all.some((use) => isWithin(use) && use.role === "bound") && all.some((use) => !isWithin(use))
  );
  const declared = outside.filter(([, all]) => all.every((use) => isWithin(use) || use.role !== "bound"));
  return [
    { at: first.start, end: first.start, text: `var ${module} = ${ONCE}(() => {\n` },
    {
      at: last.end,
      end: last.end,
      text: `\nreturn { ${declared.map(([name]) => name).join(", ")} };\n});`,
    },
    ...declared.flatMap(([name, all]) =>
      all.filter((use) => !isWithin(use)).map((use) => instead(use, name, `(0, ${module}().${name})`))
    ),
  ];
}

function instead({ start, end, role }: Use, name: string, text: string): Edit {
  if (role !== "read" && role !== "shorthand") throw new Error(`${name} can't be made later: it is ${role}`);
  return { at: start, end, text: role === "shorthand" ? `${name}: ${text}` : text };
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
