/** Whether what was typed is all of it, or the beginning of something. */

import type { Language } from "../../languages.ts";
import type { Outcome } from "../../session/outcome.ts";

/** What the languages say of a program that ends too early. */
const TOO_EARLY =
  /was never closed|unexpected EOF|unterminated triple-quoted|expected an indented block|unexpected end of (?:input|file|script)|Unexpected token (?:''|""|EOF)|unterminated (?:quot|string|template|here)|missing .*(?:done|fi|esac)\b/i;

/** Whether there is more to come for certain: brackets are open, or a block of Python, which an empty line ends. */
export function goesOn(language: Language, lines: readonly string[]): boolean {
  if (lines.at(-1)?.endsWith("\\")) return true;
  if (language === "javascript") return isOpen(lines.join("\n"));
  if (language === "shell") return hasOpenDocument(lines);
  return language === "python" && lines.at(-1)?.trim() !== "" &&
    lines.some((line) => /:\s*(?:#.*)?$/.test(line) || line.startsWith("@"));
}

/** Whether a document of the shell's (`<<END`) has not ended yet. */
function hasOpenDocument(lines: readonly string[]): boolean {
  return lines.some((line, at) => {
    const [, end] = /<<-?\s*(?:\\|["'])?(\w+)/.exec(line) ?? [];
    return end !== undefined && !lines.slice(at + 1).some((other) => other.trim() === end);
  });
}

/** Whether brackets, a template or a comment of JavaScript are open at its end. Regular expressions are taken for code. */
function isOpen(code: string): boolean {
  const rest = code.replaceAll(
    /\/\*[^]*?\*\/|\/\/.*|(["'])(?:\\[^]|(?!\1)[^\\\n])*\1|`(?:\\[^]|[^\\`])*`/g,
    "",
  );
  if (/`|\/\*/.test(rest)) return true;
  const count = (pattern: RegExp) => rest.match(pattern)?.length ?? 0;
  return count(/[([{]/g) > count(/[)\]}]/g);
}

/** Whether it was not run because its end is missing. */
export function isIncomplete({ error, stdout, stderr }: Outcome): boolean {
  return stdout === "" && (TOO_EARLY.test(error?.message ?? "") || TOO_EARLY.test(stderr));
}

/** Whether a piece of stderr may say that the end is missing, so that it is shown only if that is not so. */
export function mayBeAboutEnd(text: string): boolean {
  return TOO_EARLY.test(text);
}
