/** Where a program uses what is declared at its top level. */

import type * as acorn from "acorn";
import { analyze } from "eslint-scope";

export interface Use {
  readonly start: number;
  readonly end: number;
  /** It names a property as well: `{ name }`. */
  readonly shorthand: boolean;
}

export interface Declared {
  /** Where it is declared. */
  readonly at: number;
  /** Where its value is read. */
  readonly reads: readonly Use[];
  /** Whether it is given a value once, where it is declared, and to this module alone. */
  readonly constant: boolean;
}

/** What is declared at the top level, by its name. @param program Parsed with `ranges`, which the library asks for. */
export function declaredIn(program: acorn.Program): ReadonlyMap<string, Declared> {
  const shorthands = new Set<number>();
  const exported = new Set<number>();
  walk(program, (node) => {
    if (node.type === "Property" && node.shorthand) shorthands.add(node.value.start);
    if (node.type === "ExportSpecifier") exported.add(node.local.start);
  });
  // The library's types know a Program of ESTree alone, of which acorn's is one.
  const scopes = analyze(program as never, { ecmaVersion: 2024, sourceType: "module" });
  const [top] = scopes.globalScope?.childScopes ?? [];
  return new Map(
    top?.variables.map(({ name, references, defs }) => {
      const reads = references.filter((reference) => reference.isRead()).map(({ identifier }): Use => {
        const { start, end } = identifier as unknown as acorn.Identifier;
        return { start, end, shorthand: shorthands.has(start) };
      });
      const written = references.some((reference) => reference.isWrite() && !reference.init);
      const [only] = defs;
      const own = defs.length === 1 && only?.type !== "ImportBinding"; // what is imported may change there
      const constant = own && !written && reads.every(({ start }) => !exported.has(start));
      const at = (defs[0]?.name as unknown as acorn.Identifier | undefined)?.start ?? -1;
      return [name, { at, reads, constant }] as const;
    }),
  );
}

function walk(node: acorn.AnyNode, visit: (node: acorn.AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node).flat()) {
    if (typeof value === "object" && value !== null && typeof (value as acorn.Node).type === "string") {
      walk(value as acorn.AnyNode, visit);
    }
  }
}
