/** The package.json files that a run looks at: read once, bounded each and together. */

import type { FileSystem } from "../../fs/file_system.ts";
import { GuestError } from "./guest_error.ts";
import { isObject, type Json } from "./package_map.ts";

/** Longest package.json. Parsed it takes some twenty times as much. */
const MAX_BYTES = 1024 * 1024;
/** Bytes of files, and number of directories, that are remembered; more, and all are forgotten. */
const REMEMBERED_BYTES = 4 * 1024 * 1024;
const REMEMBERED = 20_000;

/** A package: its directory ("" for the root) and what of its package.json finding modules needs. */
export interface Package {
  readonly directory: string;
  readonly json: Json;
}

const FIELDS = [
  "name",
  "type",
  "main",
  "module",
  "browser",
  "exports",
  "imports",
  "dependencies",
  "devDependencies",
];

export class PackageJsons {
  readonly #fs: FileSystem;
  readonly #known = new Map<string, Json | undefined>();
  #bytes = 0;

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  /** Files may have changed. */
  forget(): void {
    this.#known.clear();
    this.#bytes = 0;
  }

  /** @returns undefined if there is none in the directory. @throws {GuestError} ERR_INVALID_PACKAGE_CONFIG */
  in(directory: string): Json | undefined {
    if (this.#known.has(directory)) return this.#known.get(directory);
    const path = `${directory === "/" ? "" : directory}/package.json`;
    const there = this.#fs.exists(path) ? this.#fs.stat(path) : undefined;
    const size = there?.type === "file" ? there.size : 0;
    if (size > MAX_BYTES) throw invalid(`${path} is larger than the ${MAX_BYTES} bytes that are read`);
    const json = there?.type === "file" ? this.#read(path) : undefined;
    if (this.#bytes + size > REMEMBERED_BYTES || this.#known.size >= REMEMBERED) this.forget();
    this.#bytes += size;
    this.#known.set(directory, json);
    return json;
  }

  #read(path: string): Json | undefined {
    let json: unknown;
    try {
      json = JSON.parse(new TextDecoder().decode(this.#fs.readFile(path)));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw invalid(`${path} is not JSON: ${error.message.slice(0, 200)}`);
    }
    if (!isObject(json)) return undefined;
    // `__proto__` is a field like any other for JSON.parse; here none gets a meaning.
    const fields = FIELDS.filter((field) => Object.hasOwn(json, field)).map((field) => [field, json[field]]);
    return Object.fromEntries(fields);
  }
}

function invalid(message: string): GuestError {
  return new GuestError(message, { code: "ERR_INVALID_PACKAGE_CONFIG" });
}
