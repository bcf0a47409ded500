/**
 * Where values come from, and which of them is in force.
 *
 * A value is identified by its path: the name of its key in mcp.toml, or the name in policy.toml prefixed with `policy.`.
 */

import { ConfigError } from "./error.ts";
import type { ConfigKey, Keys } from "./key.ts";

export type Origin =
  | { readonly kind: "file"; /** The file's path. */ readonly name: string }
  | { readonly kind: "environment"; /** The variable's name. */ readonly name: string }
  | { readonly kind: "flag"; /** Including the dashes. */ readonly name: string };

/** A value that was configured, as opposed to a default. */
export interface Given {
  readonly value: unknown;
  readonly origin: Origin;
}

/** The values of one source, or of all sources, by path. */
export type Layer = ReadonlyMap<string, Given>;

/** The keys of one file, by their names there. */
export interface Document {
  readonly file: string;
  /** Precedes a key's name in its path. */
  readonly prefix: string;
  readonly keys: ReadonlyMap<string, ConfigKey>;
  /** What to say about keys that other systems have, by their names there. */
  readonly foreign: Readonly<Record<string, string>>;
}

/** Collects mistakes, so that all of them can be reported at once. */
export class Problems {
  readonly #lines = new Set<string>();

  add(where: string, problem: string): void {
    this.#lines.add(`${where}: ${problem}`);
  }

  /** @throws {ConfigError} if there are any. */
  check(): void {
    if (this.#lines.size > 0) throw new ConfigError([...this.#lines].join("\n"));
  }
}

/** Whether a value is valid for its key; if not, says why. @param as What messages call the key. */
export function accept(
  key: ConfigKey,
  value: unknown,
  where: string,
  as: string,
  problems: Problems,
): boolean {
  const { error } = key.schema().safeParse(value);
  for (const issue of error?.issues ?? []) {
    const path = issue.path.map(String);
    const at = path.reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
      value,
    );
    const named = [as, ...path].join(".");
    problems.add(
      where,
      `${named} = ${key.secret ? "(secret)" : show(at)} is invalid: must be ${issue.message}`,
    );
  }
  return error === undefined;
}

/** Later layers win. */
export function merge(...layers: readonly Layer[]): Map<string, Given> {
  return new Map(layers.flatMap((layer) => [...layer]));
}

/** The settings that a layer contains. */
export function given<Settings extends object>(
  keys: Keys<Settings>,
  prefix: string,
  layer: Layer,
): Partial<Settings> {
  const settings: Partial<Settings> = {};
  for (const name of Object.keys(keys) as (keyof Settings)[]) {
    const key = keys[name];
    const found = layer.get(prefix + key.name);
    if (found) settings[name] = key.setting(found.value as never);
  }
  return settings;
}

export function show(value: unknown): string {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
