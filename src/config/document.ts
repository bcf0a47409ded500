/** Reads the text of a configuration file: the values in it, and everything that is wrong with it at once. */

import { parse, TomlError } from "smol-toml";
import type { ConfigKey } from "./key.ts";
import { accept, type Document, type Given, type Layer, type Problems, show } from "./layer.ts";

/** @param file What messages call the file: its path. */
export function readDocument(text: string, file: string, document: Document, problems: Problems): Layer {
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
        problems.add(file, unknownKey(inner, document));
      } else if (isTable(value)) {
        read(value, inner);
      } else {
        problems.add(file, `${full} = ${show(value)} is not allowed: a table of ${nested.join(", ")}`);
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

/** The names that may follow that path. */
function namesBelow(path: readonly string[], { keys }: Document): string[] {
  const start = path.map((name) => `${name}.`).join("");
  const below = [...keys.keys()].filter((name) => name.startsWith(start));
  return [...new Set(below.map((name) => name.slice(start.length).split(".")[0]!))];
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function unknownKey(path: readonly string[], document: Document): string {
  const name = path.join(".");
  if (Object.hasOwn(document.foreign, name)) return `${name} is not a key here: ${document.foreign[name]}`;
  const close = closest(path.at(-1) ?? "", namesBelow(path.slice(0, -1), document));
  return `${name} is not a known key${close === undefined ? "" : `; did you mean ${close}?`}`;
}

/** A path, or each of a list, as seen from a file's directory. */
function besideFile(path: unknown, file: string): unknown {
  if (Array.isArray(path)) return path.map((one) => besideFile(one, file));
  if (typeof path !== "string") return path;
  const absolute = /^([/\\]|[A-Za-z]:[/\\]|https?:)/.test(path);
  const directory = /^(.*[/\\])[^/\\]*$/.exec(file)?.[1];
  return absolute || directory === undefined ? path : directory + path;
}

/** The name that a typing error may have meant. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, distance: editDistance(word, name) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, word.length / 3) ? best.name : undefined;
}

/** Levenshtein's: insertions, deletions and replacements. Long words are compared by their beginnings. */
function editDistance(a: string, b: string): number {
  a = a.slice(0, 100);
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** A document's keys, by their names. */
export function keysByName(
  ...groups: readonly Readonly<Record<string, ConfigKey>>[]
): Map<string, ConfigKey> {
  return new Map(groups.flatMap((keys) => Object.values(keys)).map((key) => [key.name, key]));
}
