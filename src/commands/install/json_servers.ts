/** Servers in a client's JSON file. Everything but the entry that changes stays byte for byte. */

import {
  applyEdits,
  type FormattingOptions,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { InstallError } from "./errors.ts";
import type { Entry, Servers } from "./servers.ts";

const BOM = "\uFEFF";

export class JsonServers implements Servers {
  /** @param withComments Whether the client takes comments and commas at the end. */
  constructor(readonly section: string, readonly withComments: boolean) {}

  read(text: string): unknown {
    return this.#parse(text).value;
  }

  write(text: string, name: string, entry: Entry | undefined): string {
    const bom = text.startsWith(BOM) ? BOM : "";
    const bare = text.slice(bom.length);
    const formattingOptions = formattingOf(bare);
    const { root } = this.#parse(text);
    const old = entryNode(root, this.section, name);
    let changed = bare.trim() === "" ? `{}${formattingOptions.eol}` : bare;
    // What a client has put beside the command, with its comments, stays; another kind of entry goes.
    const keeps = entry !== undefined && old?.type === "object" &&
      propertyOf(old, "command")?.type === "string";
    const changes: [string[], unknown][] = keeps
      ? Object.entries(entry).map(([key, value]) => [[this.section, name, key], value])
      : [[[this.section, name], entry]];
    for (const [path, value] of changes) {
      if (keeps && sameValue(propertyOf(old, path.at(-1)!), value)) continue;
      changed = applyEdits(changed, modify(changed, path, value, { formattingOptions }));
    }
    return bom + changed;
  }

  /** @throws {InstallError} if it is not what the client would take, or an edit might change something else. */
  #parse(text: string): { root: Node | undefined; value: unknown } {
    const bare = text.startsWith(BOM) ? text.slice(BOM.length) : text;
    if (bare.trim() === "") return { root: undefined, value: {} };
    const errors: ParseError[] = [];
    const root = parseTree(bare, errors, {
      disallowComments: !this.withComments,
      allowTrailingComma: this.withComments,
    });
    const [first] = errors;
    if (first) {
      const line = bare.slice(0, first.offset).split("\n").length;
      throw new InstallError(`it is no valid JSON: ${printParseErrorCode(first.error)} in line ${line}`);
    }
    if (root?.type !== "object") throw new InstallError("it is JSON, but no object");
    const sections = (root.children ?? []).filter((property) => keyOf(property) === this.section);
    if (sections.length > 1) throw new InstallError(`it has "${this.section}" more than once`);
    const section = sections[0]?.children?.[1];
    if (section && section.type !== "object") throw new InstallError(`its "${this.section}" is no object`);
    return { root, value: valueOf(root) };
  }
}

function keyOf(property: Node): unknown {
  return property.children?.[0]?.value;
}

function propertyOf(node: Node | undefined, key: string): Node | undefined {
  return node?.children?.find((property) => keyOf(property) === key)?.children?.[1];
}

function entryNode(root: Node | undefined, section: string, name: string): Node | undefined {
  return propertyOf(propertyOf(root, section), name);
}

function sameValue(node: Node | undefined, value: unknown): boolean {
  return node !== undefined && JSON.stringify(valueOf(node)) === JSON.stringify(value);
}

function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value;
  // Keys are the file's own: `__proto__` is one like any other.
  return Object.fromEntries(children.map((property) => [keyOf(property), valueOf(property.children![1]!)]));
}

/** As the file is written already. */
function formattingOf(text: string): FormattingOptions & { readonly eol: string } {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol,
  };
}
