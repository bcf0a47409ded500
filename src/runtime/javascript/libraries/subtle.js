// deno-lint-ignore-file require-await -- a failure is a rejection
/** `crypto.subtle`: digests, HMAC, keys from passwords, AES; pairs of keys by `subtle_keys.js`. */
import { encode } from "./buffer.js";
import { decode } from "./encodings.js";
import { hkdf, knownHash, makeHash, makeMac, pbkdf2 } from "./hash.js";
import { hooks, platform } from "./runtime.js";
import * as pairs from "./subtle_keys.js";

const failed = (name, message) => new platform.DOMException(message, name);
const unsupported = (what) =>
  failed(
    "NotSupportedError",
    `${what} is not here: there are SHA-1, SHA-256, SHA-384, SHA-512, HMAC, PBKDF2, HKDF, AES-GCM, AES-CBC, AES-CTR, RSA, ECDSA, ECDH, Ed25519 and X25519`,
  );

function bytesOf(data) {
  if (data instanceof ArrayBuffer) return new Uint8Array(data.slice(0));
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  throw new TypeError("expected an ArrayBuffer or a view of one");
}
const nameOf = (algorithm) => `${algorithm?.name ?? algorithm}`.toUpperCase();
const HASHES = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"];
function hashOf(algorithm) {
  const name = nameOf(algorithm);
  if (!HASHES.includes(name)) throw unsupported(name);
  return name;
}
const buffer = (bytes) => bytes.slice().buffer;

const secrets = new WeakMap();
export class CryptoKey {
  constructor(key, fields) {
    if (key !== secrets) throw new TypeError("Illegal constructor");
    Object.assign(this, fields);
    Object.freeze(this);
  }
  get [Symbol.toStringTag]() {
    return "CryptoKey";
  }
}
function make(secret, algorithm, extractable, usages, type = "secret") {
  const key = new CryptoKey(secrets, {
    type,
    extractable: Boolean(extractable),
    algorithm,
    usages: [...usages],
  });
  secrets.set(key, secret);
  return key;
}
function secretOf(key, algorithm, usage) {
  if (!(key instanceof CryptoKey)) throw new TypeError("expected a CryptoKey");
  if (nameOf(key.algorithm) !== nameOf(algorithm)) {
    throw failed("InvalidAccessError", "Key algorithm mismatch");
  }
  if (!key.usages.includes(usage)) throw failed("InvalidAccessError", `Unable to use this key to ${usage}`);
  return secrets.get(key);
}

const AES = ["AES-GCM", "AES-CBC", "AES-CTR"];
function cipher(algorithm, key, usage, encrypts, data) {
  const name = nameOf(algorithm);
  if (name === "RSA-OAEP") {
    return pairs.cipher(algorithm, key, secretOf(key, algorithm, usage), encrypts, bytesOf(data));
  }
  if (!AES.includes(name)) throw unsupported(name);
  const secret = secretOf(key, algorithm, usage);
  const { aes } = hooks.library("ciphers");
  try {
    return buffer(aes(
      name.slice(4).toLowerCase(),
      secret,
      {
        iv: bytesOf(name === "AES-CTR" ? algorithm.counter : algorithm.iv),
        aad: algorithm.additionalData && bytesOf(algorithm.additionalData),
        tagLength: (algorithm.tagLength ?? 128) / 8,
      },
      encrypts,
      bytesOf(data),
    ));
  } catch (error) {
    throw failed("OperationError", `The operation failed for an operation-specific reason: ${error.message}`);
  }
}

function derived(algorithm, key, length) {
  const name = nameOf(algorithm);
  if (name === "ECDH" || name === "X25519") {
    const shared = pairs.agreed(algorithm, secrets.get(key), (each) => secrets.get(each));
    const size = length === null || length === undefined ? shared.length : length / 8;
    if (size > shared.length) throw failed("OperationError", "derived bit length is too small");
    return shared.slice(0, size);
  }
  if (name !== "PBKDF2" && name !== "HKDF") throw unsupported(name);
  const secret = secrets.get(key);
  if (key.algorithm.name !== name) throw failed("InvalidAccessError", "Key algorithm mismatch");
  const hash = knownHash(hashOf(algorithm.hash));
  const salt = bytesOf(algorithm.salt);
  return name === "PBKDF2"
    ? pbkdf2(hash, secret, salt, algorithm.iterations, length / 8)
    : hkdf(hash, secret, salt, bytesOf(algorithm.info), length / 8);
}

const BLOCKS = { "SHA-1": 64, "SHA-256": 64, "SHA-384": 128, "SHA-512": 128 };
/** What a key's algorithm says when it is asked. */
function described(algorithm, secret) {
  const name = nameOf(algorithm);
  if (name === "HMAC") return { name, hash: { name: hashOf(algorithm.hash) }, length: secret.length * 8 };
  if (AES.includes(name)) {
    if (![16, 24, 32].includes(secret.length)) throw failed("DataError", "Invalid key length");
    return { name, length: secret.length * 8 };
  }
  if (name === "PBKDF2" || name === "HKDF") return { name };
  throw unsupported(name);
}

export const subtle = {
  async digest(algorithm, data) {
    return buffer(makeHash(knownHash(hashOf(algorithm))).update(bytesOf(data)).digest());
  },
  async importKey(format, data, algorithm, extractable, usages) {
    if (pairs.isAsymmetric(algorithm)) {
      return pairs.importKey(
        format,
        format === "jwk" ? data : bytesOf(data),
        algorithm,
        extractable,
        usages,
        make,
      );
    }
    if (format === "jwk") {
      if (data.kty !== "oct") throw unsupported(`A key of the kind ${data.kty}`);
      const secret = encode(data.k, "base64url");
      return make(new Uint8Array(secret), described(algorithm, secret), extractable, usages);
    }
    if (format !== "raw") throw unsupported(`A key in the format ${format}`);
    const secret = bytesOf(data);
    return make(secret, described(algorithm, secret), extractable, usages);
  },
  async exportKey(format, key) {
    if (!key.extractable) throw failed("InvalidAccessError", "key is not extractable");
    const secret = secrets.get(key);
    if (key.type !== "secret") return pairs.exportKey(format, key, secret);
    if (format === "raw") return buffer(secret);
    if (format !== "jwk") throw unsupported(`The format ${format}`);
    const bits = key.algorithm.length;
    const alg = key.algorithm.name === "HMAC"
      ? `HS${key.algorithm.hash.name.slice(4)}`
      : `A${bits}${key.algorithm.name.slice(4)}`;
    return { kty: "oct", k: decode(secret, "base64url"), alg, key_ops: [...key.usages], ext: true };
  },
  async generateKey(algorithm, extractable, usages) {
    if (pairs.isAsymmetric(algorithm)) return pairs.generatePair(algorithm, extractable, usages, make);
    const name = nameOf(algorithm);
    const length = name === "HMAC"
      ? algorithm.length === undefined ? BLOCKS[hashOf(algorithm.hash)] : algorithm.length / 8
      : algorithm.length / 8;
    if (name !== "HMAC" && !AES.includes(name)) throw unsupported(name);
    const secret = platform.crypto.getRandomValues(new Uint8Array(length));
    return make(secret, described(algorithm, secret), extractable, usages);
  },
  async sign(algorithm, key, data) {
    if (pairs.isAsymmetric(algorithm)) {
      return pairs.sign(algorithm, key, secretOf(key, algorithm, "sign"), bytesOf(data));
    }
    if (nameOf(algorithm) !== "HMAC") throw unsupported(nameOf(algorithm));
    const secret = secretOf(key, algorithm, "sign");
    return buffer(makeMac(knownHash(key.algorithm.hash.name), secret).update(bytesOf(data)).digest());
  },
  async verify(algorithm, key, signature, data) {
    if (pairs.isAsymmetric(algorithm)) {
      const known = secretOf(key, algorithm, "verify");
      return pairs.verify(algorithm, key, known, bytesOf(signature), bytesOf(data));
    }
    if (nameOf(algorithm) !== "HMAC") throw unsupported(nameOf(algorithm));
    const secret = secretOf(key, algorithm, "verify");
    const made = makeMac(knownHash(key.algorithm.hash.name), secret).update(bytesOf(data)).digest();
    const other = bytesOf(signature);
    let difference = made.length ^ other.length;
    for (let at = 0; at < made.length; at++) difference |= made[at] ^ (other[at] ?? 0);
    return difference === 0;
  },
  async encrypt(algorithm, key, data) {
    return cipher(algorithm, key, "encrypt", true, data);
  },
  async decrypt(algorithm, key, data) {
    return cipher(algorithm, key, "decrypt", false, data);
  },
  async deriveBits(algorithm, key, length) {
    return buffer(derived(algorithm, key, length));
  },
  async deriveKey(algorithm, key, target, extractable, usages) {
    const length = target.length ?? BLOCKS[target.hash?.name ?? target.hash] * 8;
    const secret = derived(algorithm, key, length);
    return make(secret, described(target, secret), extractable, usages);
  },
  async wrapKey() {
    throw unsupported("wrapKey");
  },
  async unwrapKey() {
    throw unsupported("unwrapKey");
  },
};
for (const name in subtle) {
  const method = subtle[name];
  Object.defineProperty(subtle, name, {
    value: method,
    enumerable: false,
    configurable: true,
    writable: true,
  });
}
Object.defineProperty(subtle, Symbol.toStringTag, { value: "SubtleCrypto", configurable: true });
