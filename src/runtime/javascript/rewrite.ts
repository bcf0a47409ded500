/**
 * Makes a run's code fit a session: what it declares at the top level lasts, and may be declared again by a later run.
 *
 * QuickJS, like every engine, refuses a script that declares a `let`, `const` or `class` which an earlier script of
 * the same realm declared; browsers' consoles relax that, and agents rely on it. So top-level declarations become
 * `var`s, whose names are properties of the global object: a use before the
 * declaration gives the earlier value (or undefined) instead of an error. Declarations inside blocks and functions are
 * untouched. What assigns to a constant of the same program throws (`constants.ts`). Static imports become awaited dynamic ones, since modules could not declare anything that lasts.
 * Line numbers never change. Where the tokens don't tell for sure, the source stays as it is.
 */

import { assignedConstants } from "./constants.ts";
import { IMPORT_META } from "./names.ts";
import { endsExpression, type Token, tokenize } from "./tokens.ts";

/** Apart from its parenthesis, so that a search of the Worker's bundle for dynamic imports finds none. */
export const DYNAMIC_IMPORT = "import";

export interface Script {
  readonly code: string;
  /** The code uses `await`, so it must be evaluated as an asynchronous script. */
  readonly awaits: boolean;
  /** Names that would be no properties of the global object, but for those in patterns. */
  readonly lexical: readonly string[];
  /** It imports or exports, as only modules do. */
  readonly isModule: boolean;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface RewriteOptions {
  /** Name of the global function `(namespace, specifier, names) => namespace` that checks imports. */
  readonly importCheck: string;
  /** What is imported and not used may be a type: nothing tells any more, and it need not be there. */
  readonly typesAreGone?: boolean;
}

export function rewrite(source: string, { importCheck, typesAreGone = false }: RewriteOptions): Script {
  const tokens = tokenize(source);
  if (!tokens) return { code: source, awaits: /\bawait\b/.test(source), lexical: [], isModule: false };

  const edits: Edit[] = [];
  const constants = new Map<string, number>();
  const lexical: string[] = [];
  const hoisted: Edit[] = [];
  let isModule = false;
  /** Where the imports end that the program begins with, and the token after them. */
  const head = { end: tokens[0]?.start ?? 0, next: 0 };
  const isUsed = typesAreGone ? usesOf(tokens) : () => true;
  let awaits = tokens.some((token) => token.kind === "word" && token.text === "await");
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.text === "import" && tokens[i + 1]?.text === "." && tokens[i + 2]?.text === "meta") {
      // A script has none; what is around it says the same.
      edits.push({ start: token.start, end: tokens[i + 2]!.end, text: IMPORT_META });
      i += 2;
      continue;
    }
    if (token.kind !== "word" || token.depth !== 0 || isProperty(tokens, i)) continue;
    switch (token.text) {
      case "const":
      case "let":
        if (token.text === "const" || declaresLet(tokens, i)) {
          edits.push({ start: token.start, end: token.end, text: "var".padEnd(token.text.length) });
          const names = initialisers(tokens, i + 1, edits);
          for (const name of names.keys()) lexical.push(name);
          if (token.text === "const") { for (const [name, at] of names) constants.set(name, at); }
        }
        break;
      case "class":
        if (startsStatement(tokens, i)) {
          const found = classDeclaration(tokens, i);
          if (found.length > 0) lexical.push(tokens[i + 1]!.text);
          edits.push(...found);
        }
        break;
      case "import": {
        const next = tokens[i + 1]?.text;
        if (next === "(" || next === "." || !startsStatement(tokens, i)) break;
        const found = importDeclaration(source, tokens, i, { check: importCheck, isUsed });
        if (!found) break;
        const first = i;
        awaits = isModule = true;
        while (tokens[i + 1] && tokens[i + 1]!.start < found.end) i++;
        if (first === head.next) {
          edits.push(found);
          Object.assign(head, { end: found.end, next: i + 1 });
        } else if (tokens[0]?.kind === "string") edits.push(found);
        else {
          // A module's imports come before all else in it.
          const statement = found.text.trimEnd();
          hoisted.push({ start: head.end, end: head.end, text: statement });
          edits.push({ ...found, text: found.text.slice(statement.length) });
        }
        break;
      }
      case "export": {
        const found = exportDeclaration(tokens, i);
        isModule ||= found.length > 0;
        edits.push(...found);
        break;
      }
    }
  }
  for (const index of assignedConstants(tokens, constants)) {
    const { start, end, text } = tokens[index]!;
    edits.push({ start, end, text: `${importCheck}.constants.${text}` });
  }
  return { code: apply(source, [...hoisted, ...edits]), awaits, lexical, isModule };
}

function isProperty(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  return before?.kind === "punctuator" && (before.text === "." || before.text === "?.");
}

/** Words that are never a lexical binding, in sloppy code (ECMA-262, ReservedWord without await and yield; and `let`). */
const RESERVED = new Set(
  ("break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if import in instanceof let new null return super switch this throw true try typeof var void while with")
    .split(" "),
);

/** The reserved words after which a line break may end the statement. */
const ENDS_STATEMENT = new Set(["break", "continue", "debugger", "false", "null", "super", "this", "true"]);

/** `let` is a keyword only where a binding follows. */
function declaresLet(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1];
  if (!next || !startsStatement(tokens, i)) return false;
  return next.kind === "word" ? !RESERVED.has(next.text) : next.text === "[" || next.text === "{";
}

function startsStatement(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (!before || before.text === ";" || before.text === "}" || before.text === "export") return true;
  if (before.text === "default" && tokens[i - 2]?.text === "export") return true;
  if (!tokens[i]!.newlineBefore) return false;
  // `++` ends an expression only where it follows one on the same line.
  if (before.text === "++" || before.text === "--") {
    return !before.newlineBefore && endsExpression(tokens[i - 2]);
  }
  if (before.kind === "word" && RESERVED.has(before.text)) return ENDS_STATEMENT.has(before.text);
  return endsExpression(before);
}

/**
 * `let a, b = 1` → `var a = void 0, b = 1`: a `var` without a value would keep the one of an earlier run.
 *
 * @returns The names that are declared, but for those in patterns, and the indices of their tokens.
 */
function initialisers(tokens: readonly Token[], first: number, edits: Edit[]): Map<string, number> {
  const names = new Map<string, number>();
  let i = first;
  for (;;) {
    const binding = tokens[i];
    if (!binding) return names;
    if (binding.kind === "word") names.set(binding.text, i++);
    else {
      i = closing(tokens, i) + 1;
      if (i === 0) return names;
    }
    const next = tokens[i];
    if (next?.text !== "=") {
      // A statement ended by a line break needs its semicolon, now that it ends in an expression.
      const text = next?.text === "," || next?.text === ";" ? " = void 0" : " = void 0;";
      if (binding.kind === "word") edits.push({ start: binding.end, end: binding.end, text });
      if (next?.text !== ",") return names;
    }
    // Skip the initialiser: it ends at a comma of this depth, a semicolon, a line break that nothing bridges, or where the
    // next declaration begins, so that no token is skipped for two of them.
    while (tokens[i] && !(tokens[i]!.text === "," && tokens[i]!.depth === 0)) {
      if (tokens[i]!.depth === 0 && endsInitialiser(tokens, i)) return names;
      i++;
    }
    i++;
  }
}

function endsInitialiser(tokens: readonly Token[], i: number): boolean {
  const { kind, text } = tokens[i]!;
  if (text === ";" && kind === "punctuator" || text === "const" || text === "export") return true;
  return endsStatementBefore(tokens, i) || text === "let" && declaresLet(tokens, i);
}

function endsStatementBefore(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i]!;
  if (token.depth !== 0 || !token.newlineBefore || !endsExpression(tokens[i - 1])) return false;
  if (token.kind === "word") return !/^(in|of|instanceof)$/.test(token.text);
  return token.kind === "number" || token.kind === "string" || token.text === "{" || token.text === "++" ||
    token.text === "--";
}

/** Index of the bracket that closes the one at `i`, or -1. */
function closing(tokens: readonly Token[], i: number): number {
  const opened = tokens[i]!;
  if (!/^[([{]$/.test(opened.text)) return -1;
  for (let j = i + 1; j < tokens.length; j++) if (tokens[j]!.depth === opened.depth) return j;
  return -1;
}

/** A program has nobody to export to: what it declares stays, `export { a }` goes. */
function exportDeclaration(tokens: readonly Token[], i: number): Edit[] {
  const { start, end } = tokens[i]!;
  const next = tokens[i + 1];
  if (!next || !startsStatement(tokens, i)) return [];
  if (/^(let|const|var|function|async|class)$/.test(next.text)) return [{ start, end, text: "" }];
  if (next.text === "default") {
    // A function or class without a name is an expression here.
    const declares = /^(function|class|async)$/.test(tokens[i + 2]?.text ?? "");
    const named = tokens.slice(i + 3, i + 6).find(({ text }) => text !== "function" && text !== "*");
    const isAnonymous = declares && (named?.kind !== "word" || named.text === "extends");
    return [{ start, end: next.end, text: isAnonymous ? "0, " : "" }];
  }
  const close = closing(tokens, i + 1);
  if (next.text !== "{" || close < 0 || tokens[close + 1]?.text === "from") return [];
  return [{ start, end: tokens[close]!.end, text: ";" }];
}

/** `class A {}` → `var A = class A {};` */
function classDeclaration(tokens: readonly Token[], i: number): Edit[] {
  const name = tokens[i + 1];
  if (name?.kind !== "word" || name.text === "extends") return [];
  let body = i + 2;
  while (tokens[body] && !(tokens[body]!.text === "{" && tokens[body]!.depth === 0)) {
    if (tokens[body]!.text === "class" && tokens[body]!.depth === 0) return [];
    body++;
  }
  const end = tokens[body] ? tokens[closing(tokens, body)] : undefined;
  if (!end) return [];
  return [
    { start: tokens[i]!.start, end: tokens[i]!.start, text: `var ${name.text} = ` },
    { start: end.end, end: end.end, text: ";" },
  ];
}

/** `import d, { a as b } from "m"` → `var {default: d, a: b} = check(await import("m"), "m", ["default", "a"]);` */
function importDeclaration(
  source: string,
  tokens: readonly Token[],
  first: number,
  { check, isUsed }: { readonly check: string; readonly isUsed: (name: string) => boolean },
): Edit | undefined {
  const names: { imported: string; local: string }[] = [];
  let namespace: string | undefined;
  let i = first + 1;
  const text = () => tokens[i]?.text;

  if (tokens[i]?.kind !== "string") {
    if (tokens[i]?.kind === "word" && (text() !== "from" || tokens[i + 1]?.text === "from")) {
      names.push({ imported: "default", local: tokens[i]!.text });
      i++;
      if (text() === ",") i++;
    }
    if (text() === "*") {
      if (tokens[i + 1]?.text !== "as" || tokens[i + 2]?.kind !== "word") return undefined;
      namespace = tokens[i + 2]!.text;
      i += 3;
    } else if (text() === "{") {
      i++;
      while (text() !== "}") {
        const imported = tokens[i];
        if (imported?.kind !== "word" && imported?.kind !== "string") return undefined;
        const renamed = tokens[i + 1]?.text === "as";
        const local = renamed ? tokens[i + 2] : imported;
        if (local?.kind !== "word") return undefined;
        names.push({ imported: imported.text, local: local.text });
        i += renamed ? 3 : 1;
        if (text() === ",") i++;
      }
      i++;
    }
    if (text() !== "from") return undefined;
    i++;
  }
  const specifier = tokens[i];
  if (specifier?.kind !== "string") return undefined;
  let end = specifier;
  let options = "";
  if ((tokens[i + 1]?.text === "with" || tokens[i + 1]?.text === "assert") && tokens[i + 2]?.text === "{") {
    const close = tokens[closing(tokens, i + 2)];
    if (!close) return undefined;
    options = `, {with: ${source.slice(tokens[i + 2]!.start, close.end)}}`;
    end = close;
    i = tokens.indexOf(close, i);
  }
  if (tokens[i + 1]?.text === ";") end = tokens[i + 1]!;

  const used = names.filter(({ local }) => isUsed(local));
  const wanted = used.map(({ imported }) =>
    imported.startsWith('"') || imported.startsWith("'") ? imported : `"${imported}"`
  );
  const idle = names.length > 0 && used.length === 0 && (namespace === undefined || !isUsed(namespace));
  const orNothing = idle ? `.catch(${check}.absent)` : "";
  const loaded =
    `${check}(await ${DYNAMIC_IMPORT}(${specifier.text}${options})${orNothing}, ${specifier.text}, [${
      wanted.join(", ")
    }])`;
  const bindings = names.map(({ imported, local }) => `${imported}: ${local}`);
  let statement = loaded;
  if (namespace !== undefined) {
    statement = `var ${namespace} = ${loaded}`;
    if (bindings.length > 0) statement += `, {${bindings.join(", ")}} = ${namespace}`;
  } else if (bindings.length > 0) statement = `var {${bindings.join(", ")}} = ${loaded}`;
  // The import's own line breaks come after it, so that later lines keep their numbers.
  const start = tokens[first]!.start;
  const breaks = source.slice(start, end.end).replace(/[^\n]/g, "");
  return { start, end: end.end, text: `${statement};${breaks}` };
}

/** Whether a name stands anywhere but where it is declared. */
function usesOf(tokens: readonly Token[]): (name: string) => boolean {
  const counts = new Map<string, number>();
  for (const { kind, text } of tokens) {
    const names = kind === "word" ? [text] : kind === "template" ? text.match(/[\w$]+/g) ?? [] : [];
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return (name) => (counts.get(name) ?? 0) > 1;
}

function apply(source: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(source.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(source.slice(at));
  return parts.join("");
}
