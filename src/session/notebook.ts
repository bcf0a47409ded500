/** What a program may need beside its language, as far as it can be told without reading it as Python does. */

import { type Language, traitsOf } from "../languages.ts";
import type { ExecutionRequest } from "./execution.ts";

/**
 * A line that may be a command for the shell, as notebooks have them. Strings can have such lines too: then a session
 * gets a shell that it does not use.
 */
const COMMAND_LINE =
  /^[ \t]*(?:[A-Za-z_][\w.,[\]'" ]*=[ \t]*)?(?:!|%%?(?:bash|sh|shell|script|sx|system|pip|cat|cp|ls|mkdir|mv|rm|rmdir)\b)/m;

/** The languages whose heaps an execution may use. */
export function languagesOf({ language, program, code }: ExecutionRequest): readonly Language[] {
  const both = language === "python" && program === undefined && COMMAND_LINE.test(code);
  return both ? ["python", "shell"] : [language];
}

/** Whether a language needs a Worker of the larger kind. */
export function needsShell(language: Language): boolean {
  return traitsOf(language).worker === "shell_worker";
}
