/** Bearer tokens, compared in constant time. */

import { checkTokens } from "../../../config/tokens.ts";

export class StaticTokens {
  readonly #hashes: Promise<readonly (readonly [name: string, hash: Uint8Array])[]>;

  /** @param tokens By name. @throws {ConfigError} for a name or a token that can't be one. */
  constructor(tokens: Readonly<Record<string, string>>) {
    checkTokens(tokens);
    this.#hashes = Promise.all(
      Object.entries(tokens).map(async ([name, token]) => [name, await sha256(token)] as const),
    );
  }

  /** @returns The token's name, found in a time that tells nothing of the tokens: all are compared, as hashes. */
  async nameOf(token: string): Promise<string | undefined> {
    const given = await sha256(token);
    let found: string | undefined;
    for (const [name, hash] of await this.#hashes) if (sameBytes(hash, given)) found = name;
    return found;
  }
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Looks at every byte, wherever the first difference is. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.reduce((difference, byte, at) => difference | (byte ^ b[at]!), 0) === 0;
}
