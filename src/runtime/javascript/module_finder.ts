/** Where an import leads: to a file of the session, one of a package that may have to come first, or what is built in. */

import { PATH_MAX } from "../../fs/names.ts";
import type { NpmArrival } from "../../host_calls/imports.ts";
import { GuestError } from "./guest_error.ts";
import { files } from "./host_functions.ts";
import type { ModuleGraph } from "./module_graph.ts";
import { isObject } from "./package_map.ts";
import { type Kind, normalize, NOT_FOUND, packageOf, type PackageResolver } from "./package_resolver.ts";

/** Node's modules that are not here and that packages ask for. */
const NODE_MODULE_NAMES = new Set(
  ("async_hooks buffer cluster crypto dgram diagnostics_channel dns fs http http2 https inspector module net perf_hooks " +
    "punycode querystring readline repl sea sqlite stream string_decoder tls tty v8 vm wasi worker_threads zlib")
    .split(" "),
);

/** What is SQLite, of Node's or in native code. */
const DATABASES = new Set(["node:sqlite", "sqlite", "sqlite3", "better-sqlite3"]);

/** Has a package come that a program imports. @param versions Those that its project asks for. */
export type InstallPackage = (name: string, versions: string | undefined) => NpmArrival;

export class ModuleFinder {
  readonly #packages: PackageResolver;
  readonly #graph: ModuleGraph;
  readonly #install: InstallPackage;
  readonly #builtIns: () => Iterable<string>;

  /** @param graph Has what is asked for and is not there. @param builtIns Names of the modules that are built in. */
  constructor(
    packages: PackageResolver,
    graph: ModuleGraph,
    install: InstallPackage,
    builtIns: () => Iterable<string>,
  ) {
    this.#packages = packages;
    this.#graph = graph;
    this.#install = install;
    this.#builtIns = builtIns;
  }

  /**
   * @param importer The module that asks. @param directory Where relative paths start, and packages are looked for.
   * @returns The path of a file, or the name of what is built in. @throws {GuestError} if there is none such.
   */
  find(importer: string, directory: string, specifier: string, kind: Kind): string {
    if (specifier.length > PATH_MAX) {
      throw new GuestError(`Cannot find module '${specifier.slice(0, 64)}…': its name is too long`, {
        code: "ERR_MODULE_NOT_FOUND",
      });
    }
    const file = specifier.startsWith("file:///") ? decodePath(specifier.slice("file://".length)) : specifier;
    if (!/^\.{0,2}\/|^\.{1,2}$/.test(file)) return this.#inPackages(directory, specifier, kind);
    const path = normalize(file.startsWith("/") ? file : `${directory}/${file}`);
    const found = files(() => this.#packages.find(path) ?? this.#packages.find(path.replace(/[?#].*$/s, "")));
    if (found !== undefined) return found;
    this.#graph.misses(importer, path);
    const from = /^\/.*[^/]$/.test(importer) ? ` imported from ${importer}` : "";
    throw new GuestError(`Cannot find module '${path}'${from}`, { code: NOT_FOUND[kind] });
  }

  #inPackages(directory: string, specifier: string, kind: Kind): string {
    const resolve = () => files(() => this.#packages.resolve(specifier, directory, kind));
    const found = resolve();
    if (found !== undefined) return found;
    const { installed, reason } = this.#bring(specifier, directory);
    if (installed) this.#packages.forget();
    const arrived = installed ? resolve() : undefined;
    if (arrived !== undefined) return arrived;
    throw this.#noPackage(specifier, kind, reason);
  }

  /** Has the package come that one of the session's own modules imports. Packages try what they can do without. */
  #bring(specifier: string, directory: string): NpmArrival {
    const name = packageOf(specifier);
    if (name === undefined || `${directory}/`.includes("/node_modules/")) return { installed: false };
    const { dependencies, devDependencies } = this.#packages.scopeOf(directory)?.json ?? {};
    const versions = [dependencies, devDependencies]
      .map((wanted) => isObject(wanted) && Object.hasOwn(wanted, name) ? wanted[name] : undefined)
      .find((spec) => typeof spec === "string");
    return this.#install(name, versions);
  }

  #noPackage(specifier: string, kind: Kind, reason: string | undefined): GuestError {
    const isNode = specifier.startsWith("node:");
    const known = [...this.#builtIns()].filter((name) => !name.includes(":")).join(", ");
    const message = DATABASES.has(specifier)
      ? `Cannot find '${specifier}': JavaScript has no SQLite here. The shell has sqlite3, as in ` +
        `execFileSync("sqlite3", ["-json", "data.db", "select 1"]), and Python its module sqlite3`
      : isNode || NODE_MODULE_NAMES.has(specifier)
      ? `${
        isNode ? "No such built-in module: " : "Cannot find "
      }${specifier}: of Node's own modules there are ${known}`
      : reason !== undefined
      ? `Cannot find package '${specifier}', and it can't be installed: ${reason}`
      : `Cannot find package '${specifier}': install_package with language "javascript" brings packages from npm; modules of ` +
        `the session are files, like './${specifier}.js'; Node's own modules are built in`;
    return new GuestError(message, { code: isNode ? "ERR_UNKNOWN_BUILTIN_MODULE" : NOT_FOUND[kind] });
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
