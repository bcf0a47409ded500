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
  /** The entry module of the Workers that can run it. */
  readonly worker: "worker" | "shell_worker";
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
    worker: "worker",
    doctor: { code: "sum(range(10))", result: "45" },
  },
  javascript: {
    title: "JavaScript",
    version: "ES2023",
    description: "QuickJS-ng compiled to WebAssembly",
    features: [
      "persistent variables",
      "top-level await",
      "ES modules from files",
      "timers",
      "console",
      "no network",
    ],
    handlerStyle: "camelCase",
    packages: "npm",
    worker: "worker",
    doctor: { code: "[1, 2, 3].map((x) => x * x).join()", result: "'1,4,9'" },
  },
  shell: {
    title: "shell",
    version: "bash 5",
    description: "A bash interpreter with the usual commands, over the session's files",
    features: [
      "persistent variables and functions",
      "pipes, redirections, globs, arrays",
      "grep, sed, awk, jq, find, tar, zip",
      "python3 and node on files",
      "no background jobs",
      "no network",
    ],
    handlerStyle: null,
    packages: null,
    worker: "shell_worker",
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

/** Those with packages of their own. */
export type PackagedLanguage = {
  [Name in Language]: typeof LANGUAGES[Name]["packages"] extends null ? never : Name;
}[Language];

export const PACKAGED_LANGUAGES = LANGUAGE_NAMES.filter((name) => LANGUAGES[name].packages !== null) as [
  PackagedLanguage,
  ...PackagedLanguage[],
];
