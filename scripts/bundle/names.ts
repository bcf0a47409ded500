/** Where a program uses which names. */

import type * as acorn from "acorn";

/** How an identifier stands for what it names. */
export type Role =
  /** Its value is read. */
  | "read"
  /** It is read, and names a property: `{ name }`. */
  | "shorthand"
  /** It is declared there, or is a parameter. */
  | "bound"
  | "written"
  | "exported";

export interface Use {
  readonly start: number;
  readonly end: number;
  readonly role: Role;
}

type Node = acorn.AnyNode;

/** Each identifier of a program that names a variable, whatever scope that is of, by its name. */
export function usesOf(program: acorn.Program): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  const note = ({ name, start, end }: acorn.Identifier, role: Role) => {
    const known = uses.get(name);
    if (known) known.push({ start, end, role });
    else uses.set(name, [{ start, end, role }]);
  };

  const all = (nodes: readonly (Node | null | undefined)[], role: Role = "read") => {
    for (const node of nodes) visit(node, role);
  };

  /** @param role Of identifiers that are a pattern, or part of one. */
  const visit = (node: Node | null | undefined, role: Role = "read"): void => {
    if (!node) return;
    switch (node.type) {
      case "Identifier":
        return note(node, role);
      case "MemberExpression":
        return all([node.object, node.computed ? node.property : null]);
      case "Property":
        if (node.computed) visit(node.key);
        if (node.shorthand && role === "read" && node.value.type === "Identifier") {
          return note(node.value, "shorthand");
        }
        return visit(node.value, role);
      case "MethodDefinition":
      case "PropertyDefinition":
        return all([node.computed ? node.key : null, node.value]);
      case "ObjectPattern":
        return all(node.properties, role);
      case "ArrayPattern":
        return all(node.elements, role);
      case "RestElement":
        return visit(node.argument, role);
      case "AssignmentPattern":
        visit(node.left, role);
        return visit(node.right);
      case "VariableDeclarator":
        visit(node.id, "bound");
        return visit(node.init);
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        all([node.id, ...node.params], "bound");
        return visit(node.body);
      case "ClassDeclaration":
      case "ClassExpression":
        visit(node.id, "bound");
        return all([node.superClass, node.body]);
      case "CatchClause":
        visit(node.param, "bound");
        return visit(node.body);
      case "AssignmentExpression":
        visit(node.left, "written");
        return visit(node.right);
      case "UpdateExpression":
        return visit(node.argument, "written");
      case "ForInStatement":
      case "ForOfStatement":
        visit(node.left, "written");
        return all([node.right, node.body]);
      case "LabeledStatement":
        return visit(node.body);
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return;
      case "ImportSpecifier":
      case "ImportDefaultSpecifier":
      case "ImportNamespaceSpecifier":
        return note(node.local, "bound");
      case "ExportSpecifier":
        return visit(node.local as acorn.Identifier, "exported");
      default:
        all(childrenOf(node));
    }
  };
  visit(program);
  return uses;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter((value): value is Node =>
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}
