/** Reads the text of a configuration file: its values, and all of its mistakes at once. */

import { parse, TomlError } from "smol-toml";
import { closest } from "../closest.ts";
import type { ConfigKey } from "./key.ts";
import { accept, type Document, type Given, type Layer, type Problems, show } from "./layer.ts";
import { isAbsolute } from "./paths.ts";

/**
 * @param file What messages call the file: its path.
 * @param others The other files: a key that belongs in one of them is reported with its name.
 */
export function readDocument(
  text: string,
  file: string,
  document: Document,
  problems: Problems,
  others: readonly Document[] = [],
): Layer {
  const values = new Map<string, Given>();
  const read = (table: Readonly<Record<string, unknown>>, path: readonly string[]): void => {
    for (const [name, value] of Object.entries(table)) {
      const inner = [...path, name];
      const full = inner.join(".");
      const key = document.keys.get(full);
      const nested = name.includes(".") ? [] : namesBelow(inner, document);
      if (key && !name.includes(".")) {
        if (!accept(key, value, file, full, problems)) continue;
        const absolute = key.path ? besideFile(value, file) : value;
        values.set(document.prefix + full, { value: absolute, origin: { kind: "file", name: file } });
      } else if (nested.length === 0) {
        problems.add(file, unknownKey(inner, document, others));
      } else if (isTable(value)) {
        read(value, inner);
      } else {
        problems.add(file, `${full} = ${show(value)} is invalid: must be a table of ${nested.join(", ")}`);
      }
    }
  };
  const table = parseToml(text, file, problems);
  if (table) read(table, []);
  return values;
}

function parseToml(text: string, file: string, problems: Problems): Record<string, unknown> | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.split("\n");
    problems.add(file, `line ${error.line}, column ${error.column}: ${reason}`);
    return undefined;
  }
}

/** The names that may follow a path. */
function namesBelow(path: readonly string[], { keys }: Document): string[] {
  const start = path.map((name) => `${name}.`).join("");
  const below = [...keys.keys()].filter((name) => name.startsWith(start));
  return [...new Set(below.map((name) => name.slice(start.length).split(".")[0]!))];
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function unknownKey(path: readonly string[], document: Document, others: readonly Document[]): string {
  const name = path.join(".");
  if (Object.hasOwn(document.foreign, name)) return `${name} is not a key here: ${document.foreign[name]}`;
  for (const other of others) {
    if (other.prefix === `${name}.`) return `${name} is not a table here: its keys belong in ${other.file}`;
    const table = namesBelow(path, other).length > 0;
    if (table || other.keys.has(name)) {
      return `${name} is not a ${table ? "table" : "key"} here: it belongs in ${other.file}`;
    }
  }
  const close = closest(path.at(-1) ?? "", namesBelow(path.slice(0, -1), document));
  return `${name} is not a known key${close === undefined ? "" : `; did you mean ${close}?`}`;
}

/** Resolves a path, or each path of a list, against the directory of the file that names it. */
function besideFile(path: unknown, file: string): unknown {
  if (Array.isArray(path)) return path.map((one) => besideFile(one, file));
  if (typeof path !== "string") return path;
  const directory = /^(.*[/\\])[^/\\]*$/.exec(file)?.[1];
  return isAbsolute(path) || /^https?:/.test(path) || directory === undefined ? path : directory + path;
}

/** A document's keys, by their names. */
export function keysByName(
  ...groups: readonly Readonly<Record<string, ConfigKey>>[]
): Map<string, ConfigKey> {
  return new Map(groups.flatMap((keys) => Object.values(keys)).map((key) => [key.name, key]));
}
