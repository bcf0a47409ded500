/** The languages that sessions run: one table for everything that goes by language. */

/** What the rest of the program knows of a language. Its interpreter is in src/runtime. */
export interface LanguageTraits {
  /** As people write it. */
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** What it can and can't do, for list_runtimes. */
  readonly features: readonly string[];
  /** How the names in a handler's context are written; null: the language has no handlers. */
  readonly handlerStyle: "snake_case" | "camelCase" | null;
  /** Which index its packages come from; null: none. */
  readonly packages: "pip" | "npm" | null;
  /** A line that doctor runs, and what it must come to: its value, or its output where lines have no values. */
  readonly doctor: { readonly code: string } & ({ readonly result: string } | { readonly stdout: string });
}

export const LANGUAGES = {
  python: {
    title: "Python",
    version: "3.13",
    description: "CPython compiled to WebAssembly, with its standard library",
    features: [
      "persistent variables",
      "top-level await",
      "magics and !commands of notebooks",
      "asyncio",
      "sqlite3",
      "zlib, bz2, lzma",
      "threads that run one after another",
      "no network",
    ],
    handlerStyle: "snake_case",
    packages: "pip",
    doctor: { code: "sum(range(10))", result: "45" },
  },
  javascript: {
    title: "JavaScript",
    version: "ES2023",
    description: "QuickJS-ng compiled to WebAssembly",
    features: [
      "persistent variables",
      "TypeScript: types are taken off, not checked",
      "top-level await",
      "ES modules from files",
      "timers",
      "console",
      "no network",
    ],
    handlerStyle: "camelCase",
    packages: "npm",
    doctor: { code: "[1, 2, 3].map((x) => x * x).join()", result: "'1,4,9'" },
  },
  shell: {
    title: "shell",
    version: "bash 5",
    description: "A bash compiled to WebAssembly with the usual commands, over the session's files",
    features: [
      "persistent variables and functions",
      "pipes, redirections, globs, arrays",
      "grep, sed, awk, jq, find, tar, zip",
      "python3 and node on files",
      "background jobs within a call, servers among them: curl reaches localhost",
      "no network",
    ],
    handlerStyle: null,
    packages: null,
    doctor: { code: "printf '%s\\n' b a | sort | head -n 1", stdout: "a\n" },
  },
} as const satisfies Readonly<Record<string, LanguageTraits>>;

export type Language = keyof typeof LANGUAGES;

/** What the table says of a language. */
export function traitsOf(language: Language): LanguageTraits {
  return LANGUAGES[language];
}

/** Their names, in the table's order. */
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];

/** A way to write a language that needs work before it runs: types are taken off of TypeScript. */
export type Dialect = "typescript";

/** What is meant by another name. */
interface Meant {
  readonly language: Language;
  readonly dialect?: Dialect;
}

/** What languages are called besides their names. */
export const LANGUAGE_ALIASES = {
  typescript: { language: "javascript", dialect: "typescript" },
  ts: { language: "javascript", dialect: "typescript" },
  js: { language: "javascript" },
  node: { language: "javascript" },
  nodejs: { language: "javascript" },
  py: { language: "python" },
  python3: { language: "python" },
  bash: { language: "shell" },
  sh: { language: "shell" },
} as const satisfies Readonly<Record<string, Meant>>;

/** A language as callers name it. */
export type LanguageAlias = Language | keyof typeof LANGUAGE_ALIASES;

export const LANGUAGE_ALIAS_NAMES = [...LANGUAGE_NAMES, ...Object.keys(LANGUAGE_ALIASES)] as [
  LanguageAlias,
  ...LanguageAlias[],
];

/** What a name of a language means. */
export function meantBy(name: LanguageAlias): Meant {
  return name in LANGUAGES
    ? { language: name as Language }
    : LANGUAGE_ALIASES[name as keyof typeof LANGUAGE_ALIASES];
}

/** Those with packages of their own. */
export type PackagedLanguage = {
  [Name in Language]: typeof LANGUAGES[Name]["packages"] extends null ? never : Name;
}[Language];

export const PACKAGED_LANGUAGES = LANGUAGE_NAMES.filter((name) => LANGUAGES[name].packages !== null) as [
  PackagedLanguage,
  ...PackagedLanguage[],
];
