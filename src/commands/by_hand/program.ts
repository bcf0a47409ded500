/** A program that is run from a file or from text, made into code for a session in which nothing else is. */

import { type Dialect, type Language, type LanguageAlias, meantBy } from "../../languages.ts";

const LANGUAGES_BY_ENDING: Readonly<Record<string, LanguageAlias>> = {
  py: "python",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  sh: "shell",
  bash: "shell",
};

/** The language of a file by its name, or by its first line. */
export function languageOf(name: string, source: string): LanguageAlias | undefined {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1] ?? "";
  if (Object.hasOwn(LANGUAGES_BY_ENDING, ending)) return LANGUAGES_BY_ENDING[ending];
  const [, interpreter = ""] = /^#!.*?\b(python|node|bash|sh)[0-9.]*\s*(?:\n|$)/.exec(source) ?? [];
  return interpreter === "" ? undefined : interpreter === "python" ? "python" : interpreter as LanguageAlias;
}

/** What is given to a session. */
export interface RunnableCode {
  readonly language: Language;
  readonly dialect?: Dialect;
  readonly code: string;
}

/**
 * @param path Of its file in the session; absent: it has none.
 * @param args What it is to find as its arguments.
 */
export function programOf(
  name: LanguageAlias,
  source: string,
  path: string | undefined,
  args: readonly string[],
): RunnableCode {
  const { language, dialect } = meantBy(name);
  const argv = JSON.stringify(args);
  switch (language) {
    case "python": {
      const begin = `import sys; sys.argv = [${JSON.stringify(path ?? "-c")}, *${argv}]; ` +
        (path === undefined ? "" : `__file__ = ${JSON.stringify(path)}; sys.path.insert(0, "/app"); `);
      const file = JSON.stringify(path ?? "<string>");
      // Its text as it is, so that what it imports can be seen; its own names for places.
      return { language, code: `${begin}exec(compile(${quoted(source)}, ${file}, "exec"))` };
    }
    case "javascript": {
      const begin = `process.argv.splice(1, Infinity, ${
        [...path === undefined ? [] : [JSON.stringify(path)], `...${argv}`].join()
      }); `;
      const code = path === undefined
        ? `${begin}${source}\n;undefined`
        : `${begin}${isCommonJs(path, source) ? "require" : "await import"}(${
          JSON.stringify(path)
        }); undefined`;
      return { language, ...path === undefined && dialect && { dialect }, code };
    }
    case "shell": {
      const begin = `set -- ${args.map(shellQuoted).join(" ")}\n`;
      return { language, code: begin + (path === undefined ? source : `. ${shellQuoted(path)}`) };
    }
  }
}

/** Whether a file of JavaScript has what only such modules have: its own `__filename`, and not `import`. */
function isCommonJs(path: string, source: string): boolean {
  return path.endsWith(".cjs") ||
    path.endsWith(".js") && !/^\s*(?:import|export)\b|^\S.*\bawait\b|^await\b/m.test(source);
}

/** A text in Python's longest quotes, with its line breaks: each line of it begins one. */
function quoted(text: string): string {
  return `"""\\\n${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\r", "\\r")}"""`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A traceback without the line by which the program was begun. */
export function withoutBeginning(traceback: string): string {
  return traceback.replace(/^ {2}File "<execution \d+>", line \d+, in <module>\n(?: {4}.*\n)*/m, "");
}
