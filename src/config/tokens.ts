/** Bearer tokens that the operator hands out; the name of each becomes a principal. */

import { ConfigError } from "./error.ts";

export const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** What a Bearer header can carry (RFC 6750 section 2.1), and long enough to make guessing hopeless. */
export const TOKEN = /^[A-Za-z0-9._~+/-]{16,512}=*$/;

/**
 * Parses tokens written as `alice=…,bob=…`, or one per line of a file, where `#` begins a comment.
 *
 * @throws {ConfigError}
 */
export function parseTokens(text: string, source: string): Record<string, string> {
  const tokens: Record<string, string> = {};
  const entries = text.split(/[\n,]/).map((line) => line.trim()).filter((line) =>
    line && !line.startsWith("#")
  );
  for (const [index, entry] of entries.entries()) {
    const [, name, token] = /^([^=\s]+)\s*=\s*(\S+)$/.exec(entry) ?? [];
    if (name === undefined || token === undefined) {
      throw new ConfigError(`${source}: entry ${index + 1} is not of the form name=token`);
    }
    if (Object.hasOwn(tokens, name)) throw new ConfigError(`${source}: the name "${name}" appears twice`);
    tokens[name] = token;
  }
  if (entries.length === 0) throw new ConfigError(`${source}: contains no tokens`);
  checkTokens(tokens);
  return tokens;
}

/** @throws {ConfigError} for an invalid name or token, and for a token with two names. */
export function checkTokens(tokens: Readonly<Record<string, string>>): void {
  const seen = new Set<string>();
  for (const [name, token] of Object.entries(tokens)) {
    if (!TOKEN_NAME.test(name)) {
      throw new ConfigError(
        `"${name}" is not a valid name for a token: use 1 to 64 characters of A-Z a-z 0-9 . _ -`,
      );
    }
    if (!TOKEN.test(token)) {
      throw new ConfigError(
        `the token of "${name}" must have 16 to 512 characters of A-Z a-z 0-9 . _ ~ + / -`,
      );
    }
    if (seen.has(token)) throw new ConfigError(`the token of "${name}" is also the token of another name`);
    seen.add(token);
  }
}
