/** Kinds of objects whose state must survive: how each is made, and what can be done with it. `$n` is a small number. */

import { JAVASCRIPT_KINDS } from "./objects_javascript.ts";
import { PYTHON_KINDS } from "./objects_python.ts";
import type { HeapLanguage } from "./session.ts";

export interface Kind {
  readonly name: string;
  readonly language: HeapLanguage;
  readonly make: string;
  readonly use: readonly string[];
}

export const KINDS: readonly Kind[] = [...PYTHON_KINDS, ...JAVASCRIPT_KINDS];
