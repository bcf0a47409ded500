/** `crypto`: hashes, random numbers, keys from passwords; ciphers and signatures come with a library of their own. */
import buffer, { asBuffer, encode } from "./buffer.js";
import { decode } from "./encodings.js";
import {
  checkFunction,
  checkInteger,
  checkString,
  coded,
  invalidArgType,
  invalidKey,
  notHere,
  outOfRange,
} from "./errors.js";
import { HASH_NAMES, hkdf, isXof, knownHash, makeHash, makeMac, pbkdf2, scrypt } from "./hash.js";
import { hooks, host, platform } from "./runtime.js";
import stream from "./stream.js";
import { subtle } from "./subtle.js";

const { Buffer } = buffer;
const { Transform } = stream;

/** Bytes of what Node takes for data. */
export function bytesOf(data, encoding, name = "data") {
  if (typeof data === "string") return encode(data, encoding === "buffer" ? "utf8" : encoding ?? "utf8");
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], data);
}
export const given = (bytes, encoding) =>
  encoding && encoding !== "buffer" ? decode(bytes, encoding) : asBuffer(bytes);

function hashNamed(name) {
  checkString(name, "algorithm");
  const known = knownHash(name);
  if (!known) throw new Error("Digest method not supported");
  return known;
}
function digestNamed(name, label = "digest") {
  checkString(name, label);
  const known = knownHash(name);
  if (!known || isXof(known)) throw coded(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
  return known;
}
const finalized = () => coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");

/** A stream that is made of an object when that is used as one, as in Node: most hashes never are. */
function LazyTransform(options) {
  Object.defineProperty(this, "_options", { value: options, writable: true, configurable: true });
}
Object.setPrototypeOf(LazyTransform.prototype, Transform.prototype);
for (const name of ["_readableState", "_writableState"]) {
  Object.defineProperty(LazyTransform.prototype, name, {
    get() {
      Transform.call(this, this._options);
      return this[name];
    },
    set(value) {
      Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true });
    },
    configurable: true,
  });
}

/** What hashes and HMACs share. */
class Digester extends LazyTransform {
  #hash;
  #done = false;
  #digested;
  constructor(hash, options) {
    super(options);
    this.#hash = hash;
  }
  get state() {
    return this.#hash;
  }
  update(data, encoding) {
    if (this.#done) throw finalized();
    this.#hash.update(bytesOf(data, encoding));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw finalized();
    this.#done = true;
    return given(this.#digested ?? this.#hash.digest(), encoding);
  }
  _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  }
  _flush(callback) {
    // As in Node, the digest of what was piped in can be asked for too.
    if (!this.#done) this.push(asBuffer((this.#digested = this.#hash.digest()).slice()));
    callback();
  }
  check() {
    if (this.#done) throw finalized();
  }
}
class Hash extends Digester {
  #options;
  constructor(name, options, state) {
    const length = options?.outputLength;
    if (length !== undefined) checkInteger(length, "options.outputLength", 0, 2 ** 31 - 1);
    const known = state ? undefined : hashNamed(name);
    if (length !== undefined && known && !isXof(known) && makeHash(known).size !== length) {
      throw coded(
        Error,
        "ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH",
        "Unsupported state or unable to set XOF length",
      );
    }
    super(state ?? makeHash(known, length), options);
    this.#options = options;
  }
  copy(options) {
    this.check();
    return new Hash("", options ?? this.#options, this.state.copy());
  }
}
class Hmac extends Digester {
  constructor(name, key, options) {
    checkString(name, "hmac");
    const known = knownHash(name);
    if (!known || isXof(known)) throw coded(Error, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
    super(makeMac(known, keyBytes(key, options?.encoding)), options);
  }
}
const callable = (Class) => new Proxy(Class, { apply: (_target, _self, args) => new Class(...args) });

/** A secret key's bytes. */
export function keyBytes(key, encoding) {
  if (key?.type === "secret" && typeof key.export === "function") return key.export();
  return bytesOf(key, encoding, "key");
}

function randomBytes(size, callback) {
  checkInteger(size, "size", 0, 2 ** 31 - 1);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 65536) {
    bytes.set(new Uint8Array(host.random(Math.min(65536, size - at))), at);
  }
  if (callback === undefined) return bytes;
  checkFunction(callback);
  hooks.told(callback, null, bytes);
}
function randomFillSync(view, offset = 0, size) {
  if (!ArrayBuffer.isView(view) && !(view instanceof ArrayBuffer)) {
    throw invalidArgType("buf", ["ArrayBuffer", "ArrayBufferView"], view);
  }
  const bytes = view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const count = size ?? bytes.length - offset;
  checkInteger(offset, "offset", 0, bytes.length);
  checkInteger(count, "size", 0, bytes.length - offset);
  bytes.set(randomBytes(count), offset);
  return view;
}
const MOST_INT = 2 ** 48 - 1;
function randomInt(least, most, callback) {
  let [from, to, done] = [least, most, callback];
  if (to === undefined || typeof to === "function") [from, to, done] = [0, least, most];
  if (!Number.isSafeInteger(from)) throw invalidArgType("min", "a safe integer", from);
  if (!Number.isSafeInteger(to)) throw invalidArgType("max", "a safe integer", to);
  if (to <= from) throw outOfRange("max", `greater than the value of "min" (${from})`, to);
  const range = to - from;
  if (range > MOST_INT) throw outOfRange(from === 0 ? "max" : "max - min", `<= ${MOST_INT}`, range);
  const limit = MOST_INT - MOST_INT % range;
  let value;
  do value = randomBytes(6).readUIntBE(0, 6); while (value >= limit);
  const result = value % range + from;
  if (done === undefined) return result;
  checkFunction(done);
  hooks.told(done, null, result);
}

/** With a callback: what is computed at once, told later. */
const later = (compute, callback) => {
  checkFunction(callback);
  let result;
  try {
    result = compute();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    hooks.told(callback, error);
    return;
  }
  hooks.told(callback, null, result);
};

function pbkdf2Sync(password, salt, iterations, length, digest) {
  const [key, salted] = [bytesOf(password, "utf8", "password"), bytesOf(salt, "utf8", "salt")];
  checkInteger(iterations, "iterations", 1, 2 ** 31 - 1);
  checkInteger(length, "keylen", 0, 2 ** 31 - 1);
  return asBuffer(pbkdf2(digestNamed(digest), key, salted, iterations, length));
}
function scryptSync(password, salt, length, options = {}) {
  const N = options.N ?? options.cost ?? 16384;
  const r = options.r ?? options.blockSize ?? 8;
  const p = options.p ?? options.parallelization ?? 1;
  const most = options.maxmem ?? 32 * 1024 * 1024;
  checkInteger(length, "keylen", 0, 2 ** 31 - 1);
  const [key, salted] = [bytesOf(password, "utf8", "password"), bytesOf(salt, "utf8", "salt")];
  if (!(N > 1) || (N & N - 1) !== 0 || 128 * N * r > most) {
    throw coded(
      RangeError,
      "ERR_CRYPTO_INVALID_SCRYPT_PARAMS",
      `Invalid scrypt params: ${128 * N * r > most ? "memory limit exceeded" : "N must be a power of two"}`,
    );
  }
  if (length === 0) return Buffer.alloc(0);
  try {
    return asBuffer(scrypt(key, salted, { N, r, p }, length));
  } catch (error) {
    throw coded(RangeError, "ERR_CRYPTO_INVALID_SCRYPT_PARAMS", error.message);
  }
}
function hkdfSync(digest, key, salt, info, length) {
  const name = digestNamed(digest);
  checkInteger(length, "length", 0, 2 ** 31 - 1);
  if (length > 255 * makeHash(name).size) {
    throw coded(RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
  }
  const output = hkdf(
    name,
    keyBytes(key),
    bytesOf(salt, "utf8", "salt"),
    bytesOf(info, "utf8", "info"),
    length,
  );
  return output.buffer.slice(output.byteOffset, output.byteOffset + output.length);
}

function timingSafeEqual(a, b) {
  const [left, right] = [bytesOf(a, "utf8", "buf1"), bytesOf(b, "utf8", "buf2")];
  if (typeof a === "string") {
    throw invalidArgType("buf1", ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], a);
  }
  if (typeof b === "string") {
    throw invalidArgType("buf2", ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], b);
  }
  if (left.length !== right.length) {
    throw coded(
      RangeError,
      "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH",
      "Input buffers must have the same byte length",
    );
  }
  let difference = 0;
  for (let at = 0; at < left.length; at++) difference |= left[at] ^ right[at];
  return difference === 0;
}

/** What the library of ciphers and signatures has; it is loaded with the first of them. */
const MORE = [
  "createCipheriv",
  "createDecipheriv",
  "createSign",
  "createVerify",
  "sign",
  "verify",
  "generateKeyPair",
  "generateKeyPairSync",
  "generateKeySync",
  "generateKey",
  "createPrivateKey",
  "createPublicKey",
  "createSecretKey",
  "createECDH",
  "diffieHellman",
  "publicEncrypt",
  "privateDecrypt",
  "privateEncrypt",
  "publicDecrypt",
];
const more = Object.fromEntries(MORE.map((name) => [
  name,
  {
    [name]: (...args) => hooks.library("ciphers").node[name](...args),
  }[name],
]));
const { generateKeyPair } = more;
Object.defineProperty(generateKeyPair, Symbol.for("nodejs.util.promisify.custom"), {
  value: (...args) =>
    new Promise((resolve, reject) =>
      generateKeyPair(
        ...args,
        (error, publicKey, privateKey) => error ? reject(error) : resolve({ publicKey, privateKey }),
      )
    ),
});
const CIPHERS = [
  "aes-128-cbc",
  "aes-128-ctr",
  "aes-128-ecb",
  "aes-128-gcm",
  "aes-192-cbc",
  "aes-192-ctr",
  "aes-192-ecb",
  "aes-192-gcm",
  "aes-256-cbc",
  "aes-256-ctr",
  "aes-256-ecb",
  "aes-256-gcm",
  "chacha20-poly1305",
];
const absent = (name, why, instead) =>
  function () {
    throw notHere(`${name} of Node's module 'crypto'`, why, instead);
  };

class KeyObject {
  #fields;
  constructor(fields) {
    this.#fields = fields;
    Object.defineProperty(this, "fields", { value: fields });
  }
  get type() {
    return this.#fields.type;
  }
  get asymmetricKeyType() {
    return this.#fields.asymmetricKeyType;
  }
  get asymmetricKeyDetails() {
    return this.#fields.asymmetricKeyDetails;
  }
  get symmetricKeySize() {
    return this.#fields.secret?.length;
  }
  export(options) {
    if (this.#fields.secret && options?.format === "jwk") {
      return { kty: "oct", k: decode(this.#fields.secret, "base64url") };
    }
    return this.#fields.secret ? Buffer.from(this.#fields.secret) : this.#fields.export(options);
  }
  equals(other) {
    return this.type === other.type &&
      `${this.#fields.id ?? this.export()}` === `${other.fields.id ?? other.export()}`;
  }
  get [Symbol.toStringTag]() {
    return "KeyObject";
  }
}

const getRandomValues = (array) => platform.crypto.getRandomValues(array);
const crypto = {
  Hash: callable(Hash),
  Hmac: callable(Hmac),
  KeyObject,
  createHash: (name, options) => new Hash(name, options),
  createHmac: (name, key, options) => {
    if (
      typeof key !== "string" && !ArrayBuffer.isView(key) && !(key instanceof ArrayBuffer) &&
      !(key instanceof KeyObject)
    ) {
      throw invalidKey(key);
    }
    return new Hmac(name, key, options);
  },
  hash: (name, data, encoding = "hex") => new Hash(name).update(data).digest(encoding),
  getHashes: () => [...HASH_NAMES],
  getCiphers: () => [...CIPHERS],
  getCurves: () => ["prime256v1", "secp256k1", "secp384r1", "secp521r1"],
  getCipherInfo(name) {
    const [, bits, mode] = /^aes-(\d+)-(\w+)$/.exec(`${name}`.toLowerCase()) ?? [];
    if (!bits || !CIPHERS.includes(`${name}`.toLowerCase())) return undefined;
    return {
      mode,
      name: `${name}`.toLowerCase(),
      nid: 0,
      blockSize: mode === "cbc" ? 16 : 1,
      ivLength: mode === "gcm" ? 12 : 16,
      keyLength: bits / 8,
    };
  },
  randomBytes,
  pseudoRandomBytes: randomBytes,
  prng: randomBytes,
  rng: randomBytes,
  randomFillSync,
  randomFill(view, ...args) {
    const callback = args.pop();
    later(() => randomFillSync(view, ...args), callback);
  },
  randomInt,
  randomUUID: () => platform.crypto.randomUUID(),
  pbkdf2Sync,
  pbkdf2: (password, salt, iterations, length, digest, callback) =>
    later(() => pbkdf2Sync(password, salt, iterations, length, digest), callback),
  scryptSync,
  scrypt: (password, salt, length, ...rest) =>
    later(() => scryptSync(password, salt, length, rest.length > 1 ? rest[0] : {}), rest.at(-1)),
  hkdfSync,
  hkdf: (digest, key, salt, info, length, callback) =>
    later(() => hkdfSync(digest, key, salt, info, length), callback),
  timingSafeEqual,
  ...more,
  createDiffieHellman: absent(
    "createDiffieHellman",
    "there is no Diffie-Hellman over integers",
    "generateKeyPairSync('x25519') and diffieHellman agree on keys",
  ),
  generatePrimeSync: absent("generatePrimeSync", "nothing here finds primes"),
  X509Certificate: class X509Certificate {
    constructor() {
      throw notHere("X509Certificate of Node's module 'crypto'", "nothing here reads certificates");
    }
  },
  getFips: () => 0,
  setFips() {},
  secureHeapUsed: () => ({ total: 0, used: 0, utilization: 0, min: 0 }),
  constants: {
    RSA_PKCS1_PADDING: 1,
    RSA_NO_PADDING: 3,
    RSA_PKCS1_OAEP_PADDING: 4,
    RSA_PKCS1_PSS_PADDING: 6,
    RSA_PSS_SALTLEN_DIGEST: -1,
    RSA_PSS_SALTLEN_AUTO: -2,
    RSA_PSS_SALTLEN_MAX_SIGN: -2,
  },
  subtle,
  getRandomValues,
};
Object.defineProperty(crypto, "webcrypto", { get: () => platform.crypto, enumerable: true });

export { KeyObject };
export default crypto;
