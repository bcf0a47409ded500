/** Hashes whose inner loops the host runs, and what is made of them: HMAC, PBKDF2, HKDF. */
import { host } from "./runtime.js";

const MOST_AT_ONCE = 256 * 1024;
const BIG = new Set(["sha384", "sha512", "sha512_224", "sha512_256"]);
const SIZES = {
  md5: 16,
  ripemd160: 20,
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
  sha512_224: 28,
  sha512_256: 32,
};
/** Rate in bytes, suffix, and size if it is not a matter of choice. */
const SPONGES = {
  sha3_224: [144, 6, 28],
  sha3_256: [136, 6, 32],
  sha3_384: [104, 6, 48],
  sha3_512: [72, 6, 64],
  shake128: [168, 31, 16],
  shake256: [136, 31, 32],
};

const own = (bytes) =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : new Uint8Array(bytes).buffer;

/** What both kinds share: whole blocks go to the host, the rest waits. */
class Blocks {
  constructor(blockSize) {
    this.blockSize = blockSize;
    this.rest = new Uint8Array(blockSize);
    this.waiting = 0;
    this.length = 0;
    this.state = new ArrayBuffer(0);
  }
  update(bytes) {
    this.length += bytes.length;
    let at = 0;
    if (this.waiting > 0) {
      at = Math.min(this.blockSize - this.waiting, bytes.length);
      this.rest.set(bytes.subarray(0, at), this.waiting);
      this.waiting += at;
      if (this.waiting < this.blockSize) return this;
      this.run(this.rest);
      this.waiting = 0;
    }
    const most = MOST_AT_ONCE - MOST_AT_ONCE % this.blockSize;
    const end = bytes.length - (bytes.length - at) % this.blockSize;
    for (; at < end; at += most) this.run(bytes.subarray(at, Math.min(at + most, end)));
    const left = Uint8Array.prototype.subarray.call(bytes, end);
    this.rest.set(left);
    this.waiting = left.length;
    return this;
  }
  copy() {
    const made = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    made.rest = this.rest.slice();
    return made;
  }
}

class Digest extends Blocks {
  constructor(name) {
    super(BIG.has(name) ? 128 : 64);
    this.name = name;
    this.size = SIZES[name];
  }
  run(blocks) {
    this.state = host.hashBlocks(this.name, this.state, own(blocks));
  }
  digest() {
    const rest = this.rest.slice(0, this.waiting).buffer;
    return new Uint8Array(host.hashEnd(this.name, this.state, rest, this.length));
  }
}

class Sponge extends Blocks {
  constructor(name, size) {
    const [rate, suffix, preset] = SPONGES[name];
    super(rate);
    this.suffix = suffix;
    this.size = size ?? preset;
  }
  run(blocks) {
    this.state = host.keccakBlocks(this.blockSize, this.state, own(blocks));
  }
  digest() {
    const tail = new Uint8Array(this.blockSize);
    tail.set(this.rest.subarray(0, this.waiting));
    tail[this.waiting] ^= this.suffix;
    tail[this.blockSize - 1] ^= 0x80;
    this.run(tail);
    const output = new Uint8Array(this.size);
    const nothing = new Uint8Array(this.blockSize);
    for (let at = 0; at < this.size; at += this.blockSize) {
      if (at > 0) this.run(nothing);
      output.set(new Uint8Array(this.state, 0, Math.min(this.blockSize, this.size - at)), at);
    }
    return output;
  }
}

const ALIASES = {
  "rmd160": "ripemd160",
  "ripemd": "ripemd160",
  "sha512224": "sha512_224",
  "sha512256": "sha512_256",
  "sha3224": "sha3_224",
  "sha3256": "sha3_256",
  "sha3384": "sha3_384",
  "sha3512": "sha3_512",
};
/** @returns The name that these functions have for a hash; undefined if there is none. */
export function knownHash(name) {
  const plain = `${name}`.toLowerCase().replace(/^rsa-/, "");
  const short = plain.replace(/[-_/]/g, "");
  const known = ALIASES[short] ?? short;
  return Object.hasOwn(SIZES, known) || Object.hasOwn(SPONGES, known) ? known : undefined;
}
/** As Node lists them, as far as they are here. */
export const HASH_NAMES = [
  "RSA-MD5",
  "RSA-RIPEMD160",
  "RSA-SHA1",
  "RSA-SHA224",
  "RSA-SHA256",
  "RSA-SHA3-224",
  "RSA-SHA3-256",
  "RSA-SHA3-384",
  "RSA-SHA3-512",
  "RSA-SHA384",
  "RSA-SHA512",
  "RSA-SHA512/224",
  "RSA-SHA512/256",
  "md5",
  "ripemd",
  "ripemd160",
  "rmd160",
  "sha1",
  "sha224",
  "sha256",
  "sha3-224",
  "sha3-256",
  "sha3-384",
  "sha3-512",
  "sha384",
  "sha512",
  "sha512-224",
  "sha512-256",
  "shake128",
  "shake256",
];

/** @param name Of {@link knownHash}. @param size Of the output, where that is a matter of choice. */
export function makeHash(name, size) {
  return Object.hasOwn(SPONGES, name) ? new Sponge(name, size) : new Digest(name);
}
export const isXof = (name) => name.startsWith("shake");
export const sizeOf = (name) => SIZES[name] ?? SPONGES[name][2];

class Mac {
  constructor(name, key) {
    const inner = makeHash(name);
    const short = key.length > inner.blockSize ? makeHash(name).update(key).digest() : key;
    const padded = new Uint8Array(inner.blockSize);
    padded.set(short);
    this.inner = inner.update(padded.map((byte) => byte ^ 0x36));
    this.outer = makeHash(name).update(padded.map((byte) => byte ^ 0x5c));
    this.size = inner.size;
  }
  update(bytes) {
    this.inner.update(bytes);
    return this;
  }
  copy() {
    return Object.assign(Object.create(Mac.prototype), {
      inner: this.inner.copy(),
      outer: this.outer.copy(),
      size: this.size,
    });
  }
  digest() {
    return this.outer.update(this.inner.digest()).digest();
  }
}
export const makeMac = (name, key) => new Mac(name, key);

const MOST_ROUNDS = 1000;
export function pbkdf2(name, password, salt, rounds, length) {
  const start = new Mac(name, password);
  const { size } = start;
  const output = new Uint8Array(Math.ceil(length / size) * size);
  const direct = Object.hasOwn(SIZES, name);
  for (let block = 1; (block - 1) * size < length; block++) {
    const index = new Uint8Array([block >>> 24, block >>> 16 & 255, block >>> 8 & 255, block & 255]);
    const first = start.copy().update(salt).update(index).digest();
    let total = first;
    if (direct) {
      let both = new Uint8Array(2 * size);
      both.set(first);
      both.set(first, size);
      for (let left = rounds - 1; left > 0; left -= MOST_ROUNDS) {
        both = new Uint8Array(
          host.pbkdf2Rounds(
            name,
            start.inner.state,
            start.outer.state,
            both.buffer,
            Math.min(left, MOST_ROUNDS),
          ),
        );
      }
      total = both.subarray(size);
    } else {
      let last = first;
      total = first.slice();
      for (let round = 1; round < rounds; round++) {
        last = start.copy().update(last).digest();
        for (let at = 0; at < size; at++) total[at] ^= last[at];
      }
    }
    output.set(total, (block - 1) * size);
  }
  return output.slice(0, length);
}

export function hkdf(name, key, salt, info, length) {
  const extracted = new Mac(name, salt.length > 0 ? salt : new Uint8Array(sizeOf(name))).update(key).digest();
  const size = extracted.length;
  const output = new Uint8Array(Math.ceil(length / size) * size);
  let last = new Uint8Array(0);
  for (let block = 1; (block - 1) * size < length; block++) {
    last = new Mac(name, extracted).update(last).update(info).update(new Uint8Array([block])).digest();
    output.set(last, (block - 1) * size);
  }
  return output.slice(0, length);
}

export function scrypt(password, salt, { N, r, p }, length) {
  return new Uint8Array(host.scrypt(own(password), own(salt), N, r, p, length));
}
