/** The keys with which a server signs what it stores: the first signs, all verify. */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";

const KEY_BYTES = 32;
/** A line of a key file. */
const KEY_LINE = /^[0-9a-f]{64,512}$/i;

export class KeyFileError extends Error {
  override name = "KeyFileError";
}

export class Keys {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #first: { readonly name: string; readonly key: Uint8Array };

  /** @param keys At least one. */
  constructor(keys: readonly Uint8Array[]) {
    const named = keys.map((key) => ({ name: nameOf(key), key }));
    if (!named[0]) throw new KeyFileError("there is no key");
    this.#first = named[0];
    this.#keys = new Map(named.map(({ name, key }) => [name, key]));
  }

  /**
   * @param text Keys of at least 32 bytes in hexadecimal, one a line; `#` begins a remark.
   * @throws {KeyFileError}
   */
  static parse(text: string): Keys {
    const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter((line) =>
      line !== ""
    );
    if (lines.length === 0) throw new KeyFileError("there is no key in it");
    if (!lines.every((line) => KEY_LINE.test(line) && line.length % 2 === 0)) {
      throw new KeyFileError("a key is 64 hexadecimal digits, one key a line (openssl rand -hex 32)");
    }
    return new Keys(lines.map((line) => Buffer.from(line, "hex")));
  }

  /** A key that nobody has yet, as a key file's text. */
  static generate(): string {
    return `${randomBytes(KEY_BYTES).toString("hex")}\n`;
  }

  /** @returns The key's name, and the HMAC-SHA256 (RFC 2104) in hexadecimal. */
  sign(bytes: Uint8Array): { name: string; mac: string } {
    const { name, key } = this.#first;
    return { name, mac: createHmac("sha256", key).update(bytes).digest("hex") };
  }

  verify(bytes: Uint8Array, name: string, mac: string): "right" | "wrong" | "unknown_key" {
    const key = this.#keys.get(name);
    if (!key) return "unknown_key";
    const right = createHmac("sha256", key).update(bytes).digest();
    const given = Buffer.from(mac, "hex");
    return given.length === right.length && timingSafeEqual(given, right) ? "right" : "wrong";
  }
}

/** Tells keys apart, and nothing about them. */
function nameOf(key: Uint8Array): string {
  return createHash("sha256").update("wasmbox key name").update(key).digest("hex").slice(0, 16);
}
