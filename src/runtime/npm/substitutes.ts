/**
 * Packages of which nothing but native code does the work, and that so many others need that they have to be there: each gets
 * a main module of ours that does the same, and needs no other package for it.
 */

import type { OfferedVersion } from "../../host_calls/npm.ts";

/** By name, the source of `index.js`. */
const SUBSTITUTES: ReadonlyMap<string, string> = new Map([
  // Jest finds modules by it from version 30 on.
  ["unrs-resolver", resolverSource()],
]);

/** What a version is with its substitute: it needs none of the packages for systems. */
export function withSubstitute(name: string, about: OfferedVersion): OfferedVersion {
  return SUBSTITUTES.has(name) ? { ...about, dependencies: {}, optional: {}, obstacle: null } : about;
}

/** The main module of ours, if the package has one. */
export function substituteFor(name: string): string | undefined {
  return SUBSTITUTES.get(name);
}

/**
 * A file that a path names with one of the extensions that are asked for is found here; all else as `require` does. Of the
 * options those count that test runners give: `extensions`, `modules`, `roots`, `mainFiles`, `symlinks`.
 */
function resolverSource(): string {
  return `"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");

const kindOf = (at) => {
  const found = fs.statSync(at, { throwIfNoEntry: false });
  return found === undefined ? "none" : found.isFile() ? "file" : found.isDirectory() ? "directory" : "none";
};

class ResolverFactory {
  #options;

  constructor(options = {}) {
    this.#options = options ?? {};
  }

  static default() {
    return new ResolverFactory();
  }

  cloneWithOptions(options) {
    return new ResolverFactory(options);
  }

  clearCache() {}

  sync(directory, request) {
    try {
      const found = this.#find(directory, request);
      return { path: this.#options.symlinks === false ? found : fs.realpathSync(found) };
    } catch {
      return { error: \`Cannot find module '\${request}' from '\${directory}'\` };
    }
  }

  async async(directory, request) {
    return this.sync(directory, request);
  }

  resolveFileSync(file, request) {
    return this.sync(path.dirname(file), request);
  }

  async resolveFileAsync(file, request) {
    return this.resolveFileSync(file, request);
  }

  #find(directory, request) {
    const { modules = [], roots = [] } = this.#options;
    if (/^\\.\\.?(?:\\/|$)/.test(request)) return this.#at(path.resolve(directory, request), directory, request);
    if (path.isAbsolute(request)) {
      const places = [request, ...roots.map((root) => path.join(root, request))];
      return places.map((place) => this.#fileAt(place)).find((found) => found) ?? this.#required(directory, request);
    }
    for (const place of [modules].flat()) {
      if (!path.isAbsolute(place)) continue;
      const found = this.#fileAt(path.join(place, request)) ?? this.#inDirectory(path.join(place, request));
      if (found) return found;
    }
    return this.#required(directory, request);
  }

  #at(place, directory, request) {
    return this.#fileAt(place) ?? this.#inDirectory(place) ?? this.#required(directory, request);
  }

  #fileAt(place) {
    const { extensions = [".js", ".json", ".node"] } = this.#options;
    if (!place.endsWith("/") && kindOf(place) === "file") return place;
    return extensions.map((extension) => place + extension).find((file) => kindOf(file) === "file");
  }

  #inDirectory(place) {
    if (kindOf(place) !== "directory") return undefined;
    const description = path.join(place, "package.json");
    if (kindOf(description) === "file") {
      const { main } = JSON.parse(fs.readFileSync(description, "utf8"));
      const found = typeof main === "string" && main !== "" && main !== "."
        ? this.#fileAt(path.join(place, main)) ?? this.#index(path.join(place, main))
        : undefined;
      if (found) return found;
    }
    return this.#index(place);
  }

  #index(place) {
    return (this.#options.mainFiles ?? ["index"]).map((name) => this.#fileAt(path.join(place, name))).find((found) => found);
  }

  #required(directory, request) {
    return createRequire(path.join(directory, "_")).resolve(request);
  }
}

module.exports = { ResolverFactory, default: ResolverFactory };
module.exports.sync = (directory, request) => new ResolverFactory().sync(directory, request);
`;
}
