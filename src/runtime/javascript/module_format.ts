/** How a file is to be read: as an ES module, as CommonJS or as JSON. */

import { directoryOf, type PackageResolver } from "./package_resolver.ts";
import { scan, type Token } from "./tokens.ts";

export type Format = "esm" | "commonjs" | "json";

/** Files whose format is remembered; with more, all are forgotten. */
const REMEMBERED = 10_000;
/**
 * What starts a statement of ES modules, perhaps: a look that spares most files the tokens. A line break begins a line, so
 * that the white space before a word is looked at once.
 */
const MAYBE_ESM = /(?:^|[;}\]*/)])[^\S\n\r\u2028\u2029]*(?:import|export)[\s{*"']/m;
const SAYS_ESM = /^(?:import|export)[\s{*"']/m;
/** What has `require` of its own, or exports by it. */
const SAYS_COMMONJS = /\bmodule\.exports\b|\bexports\.[\w$]+\s*=|\bexports\[|\brequire\s*\(/;

export class ModuleFormats {
  readonly #packages: PackageResolver;
  readonly #known = new Map<string, Format>();

  constructor(packages: PackageResolver) {
    this.#packages = packages;
  }

  /** Files may have changed. */
  forget(): void {
    this.#known.clear();
  }

  /** @param text Contents of the file at `path`. @throws {GuestError} ERR_INVALID_PACKAGE_CONFIG */
  of(path: string, text: string): Format {
    let format = this.#known.get(path);
    if (format === undefined) {
      format = this.#read(path, text);
      if (this.#known.size >= REMEMBERED) this.forget();
      this.#known.set(path, format);
    }
    return format;
  }

  /** Whether the package of a file says that its files are ES modules. @throws {GuestError} as {@link of} */
  saysModule(path: string): boolean {
    return this.#packages.scopeOf(directoryOf(path))?.json["type"] === "module";
  }

  #read(path: string, text: string): Format {
    if (path.endsWith(".json")) return "json";
    if (/\.m[jt]s$/.test(path)) return "esm";
    if (/\.c[jt]s$/.test(path)) return "commonjs";
    const type = this.#packages.scopeOf(directoryOf(path))?.json["type"];
    if (type === "module") return "esm";
    if (type === "commonjs") return "commonjs";
    if (hasModuleSyntax(text)) return "esm";
    // A file of the user's own that is neither is what it has always been here.
    return path.includes("/node_modules/") || SAYS_COMMONJS.test(text) ? "commonjs" : "esm";
  }
}

/** Whether a source has an import or export declaration. */
export function hasModuleSyntax(source: string): boolean {
  if (!MAYBE_ESM.test(source)) return false;
  const tokens = scan(source);
  let before: Token | undefined;
  let token: Token | undefined;
  for (;;) {
    const { value: next, done } = tokens.next();
    if (typeof next === "object" && token?.kind === "word" && token.depth === 0 && before?.text !== ".") {
      if (isDeclaration(token.text, next)) return true;
    }
    // What no tokens are found in is told by its lines.
    if (done) return next === "unclear" && SAYS_ESM.test(source);
    [before, token] = [token, next];
  }
}

function isDeclaration(word: string, next: Token): boolean {
  if (word !== "import" && word !== "export") return false;
  return next.kind === "word" || next.text === "{" || next.text === "*" ||
    word === "import" && next.kind === "string";
}
