/** What a text costs a model, by a tokenizer that is public; others differ by some percent. */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** @param value A text as it is, anything else as its JSON; nothing of undefined. */
export function tokensOf(value: unknown): number {
  if (value === undefined) return 0;
  return countTokens(typeof value === "string" ? value : JSON.stringify(value));
}
