/** RSA for `crypto`: schemes by `micro-rsa-dsa-dh`, primes with powers that the host computes. */
import { mgf1, OAEP, PKCS1_KEM, PSS } from "micro-rsa-dsa-dh/rsa.js";
import * as schemes from "micro-rsa-dsa-dh/rsa.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from "@noble/hashes/sha2.js";
import { sha3_224, sha3_256, sha3_384, sha3_512 } from "@noble/hashes/sha3.js";
import { coded, notHere } from "./errors.js";
import { knownHash } from "./hash.js";
import { hooks, host } from "./runtime.js";

const HASHES = {
  sha1,
  sha224,
  sha256,
  sha384,
  sha512,
  sha512_224,
  sha512_256,
  sha3_224,
  sha3_256,
  sha3_384,
  sha3_512,
};
const PADDING = { pkcs1: 1, oaep: 4, pss: 6 };
const SALT = { digest: -1, auto: -2 };
const LEAST_BITS = 512;
const MOST_BITS = 4096;
const ROUNDS = 8;

const toHex = (number) => number.toString(16);
export const bytesOf = (number) => {
  const hex = toHex(number);
  return new Uint8Array(hooks.modules.buffer.Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex"));
};
export const numberOf = (bytes) =>
  BigInt(`0x${hooks.modules.buffer.Buffer.from(bytes).toString("hex") || "0"}`);
const power = (base, exponent, modulus) =>
  BigInt(`0x${host.modPow(toHex(base % modulus), toHex(exponent), toHex(modulus))}`);

function inverse(number, modulus) {
  let [a, b, x, y] = [((number % modulus) + modulus) % modulus, modulus, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}

const random = (size) => new Uint8Array(hooks.modules.crypto.randomBytes(size));
const SMALL = [];
for (let candidate = 3; candidate < 3000; candidate += 2) {
  if (SMALL.every((prime) => candidate % prime !== 0)) SMALL.push(candidate);
}

/** Miller and Rabin's test, with bases at random. */
function isPrime(number) {
  const least = number - 1n;
  let odd = least;
  let twos = 0;
  while (odd % 2n === 0n) {
    odd /= 2n;
    twos++;
  }
  for (let round = 0; round < ROUNDS; round++) {
    const base = round === 0 ? 2n : 2n + numberOf(random(32)) % (number - 3n);
    let raised = power(base, odd, number);
    if (raised === 1n || raised === least) continue;
    let left = twos - 1;
    for (; left > 0 && raised !== least; left--) raised = raised * raised % number;
    if (raised !== least) return false;
  }
  return true;
}

/** A prime with its two upper bits set, so that the product of two has all of its own. */
function primeOf(bits, exponent) {
  for (;;) {
    const bytes = random(Math.ceil(bits / 8));
    let start = numberOf(bytes) >> BigInt(8 * bytes.length - bits);
    start |= 3n << BigInt(bits - 2) | 1n;
    const rests = SMALL.map((prime) => Number(start % BigInt(prime)));
    for (let step = 0; step < 4000; step += 2) {
      if (SMALL.some((prime, at) => (rests[at] + step) % prime === 0)) continue;
      const candidate = start + BigInt(step);
      if (candidate >> BigInt(bits) !== 0n) break;
      if ((candidate - 1n) % exponent !== 0n && isPrime(candidate)) return candidate;
    }
  }
}

/** @returns `{ n, e, d, p, q }`. */
export function makeKey({ modulusLength = 2048, publicExponent = 65537 }) {
  if (!(modulusLength >= LEAST_BITS && modulusLength <= MOST_BITS)) {
    throw notHere(`RSA with ${modulusLength} bits`, `keys have ${LEAST_BITS} to ${MOST_BITS}`);
  }
  const e = typeof publicExponent === "number" ? BigInt(publicExponent) : numberOf(publicExponent);
  if (e < 3n || e % 2n === 0n) {
    throw coded(Error, "ERR_OSSL_RSA_PUB_EXPONENT_OUT_OF_RANGE", "pub exponent out of range");
  }
  for (;;) {
    const p = primeOf(Math.ceil(modulusLength / 2), e);
    const q = primeOf(Math.floor(modulusLength / 2), e);
    if (p === q) continue;
    const [n, phi] = [p * q, (p - 1n) * (q - 1n)];
    const d = inverse(e, phi);
    if (e * d % phi === 1n) return { n, e, d, p: p > q ? p : q, q: p > q ? q : p };
  }
}

/** What a private key in PKCS #1 has beside the modulus and its exponents. */
export const primesOf = ({ d, p, q }) => [p, q, d % (p - 1n), d % (q - 1n), inverse(q, p)];

function schemeOf(algorithm, given, keyBits, verifies) {
  const name = knownHash(algorithm ?? "sha256");
  const hash = HASHES[name];
  if (!hash) throw notHere(`RSA with ${algorithm}`, `there are ${Object.keys(HASHES).join(", ")}`);
  if ((given?.padding ?? PADDING.pkcs1) === PADDING.pkcs1) return [schemes[`PKCS1_${name.toUpperCase()}`]];
  if (given.padding !== PADDING.pss) {
    throw notHere(`RSA with padding ${given.padding}`, "it signs by PKCS #1 and PSS");
  }
  const { saltLength = SALT.auto } = given;
  const most = Math.ceil((keyBits - 1) / 8) - hash.outputLen - 2;
  const lengths = saltLength === SALT.digest
    ? [hash.outputLen]
    : saltLength !== SALT.auto
    ? [saltLength]
    : verifies
    ? [most, hash.outputLen, 0]
    : [most];
  return lengths.map((length) => PSS(hash, mgf1(hash), length));
}

export const sign = (algorithm, data, given, { n, d, bits }) =>
  schemeOf(algorithm, given, bits, false)[0].sign({ n, d }, data);
export const verify = (algorithm, data, given, { n, e, bits }, signature) =>
  schemeOf(algorithm, given, bits, true).some((scheme) => {
    try {
      return scheme.verify({ n, e }, data, signature);
    } catch {
      return false;
    }
  });

function cipherOf(given) {
  const { padding = PADDING.oaep, oaepHash = "sha1", oaepLabel } = given ?? {};
  if (padding === PADDING.pkcs1) return PKCS1_KEM;
  if (padding !== PADDING.oaep) {
    throw notHere(`RSA with padding ${padding}`, "it encrypts by PKCS #1 and OAEP");
  }
  const hash = HASHES[knownHash(oaepHash)];
  if (!hash) throw notHere(`OAEP with ${oaepHash}`, `there are ${Object.keys(HASHES).join(", ")}`);
  return OAEP(hash, mgf1(hash), oaepLabel && new Uint8Array(oaepLabel));
}
export function encrypt(given, { n, e }, data) {
  try {
    return cipherOf(given).encrypt({ n, e }, data);
  } catch (error) {
    if (error.code) throw error;
    throw coded(
      Error,
      "ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE",
      "error:0200006E:rsa routines::data too large for key size",
    );
  }
}
export function decrypt(given, { n, d }, data) {
  try {
    return cipherOf(given).decrypt({ n, d }, data);
  } catch (error) {
    if (error.code) throw error;
    throw coded(
      Error,
      "ERR_OSSL_RSA_OAEP_DECODING_ERROR",
      "error:02000079:rsa routines::oaep decoding error",
    );
  }
}

/** What is done with a private key, and undone with the public one: type 1 of PKCS #1. */
export function wrap({ n, d, bits }, data) {
  const size = Math.ceil(bits / 8);
  if (data.length > size - 11) {
    throw coded(
      Error,
      "ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE",
      "error:0200006E:rsa routines::data too large for key size",
    );
  }
  const block = new Uint8Array(size).fill(255);
  block.set([0, 1]);
  block[size - data.length - 1] = 0;
  block.set(data, size - data.length);
  const made = bytesOf(power(numberOf(block), d, n));
  const padded = new Uint8Array(size);
  padded.set(made, size - made.length);
  return padded;
}
export function unwrap({ n, e }, data) {
  const block = bytesOf(power(numberOf(data), e, n));
  const end = block.indexOf(0);
  if (block[0] !== 1 || end < 9 || block.subarray(1, end).some((byte) => byte !== 255)) {
    throw coded(
      Error,
      "ERR_OSSL_RSA_PADDING_CHECK_FAILED",
      "error:02000072:rsa routines::padding check failed",
    );
  }
  return block.slice(end + 1);
}
