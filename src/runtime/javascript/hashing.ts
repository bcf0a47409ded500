/**
 * The inner loops of hashing, for guests: inside QuickJS a megabyte of SHA-256 takes five seconds.
 *
 * Nothing is kept between calls: the state of a hash is the guest's, so that it goes with its heap. Each call is bounded
 * to some milliseconds and charged as fuel by what it does.
 */

import { md5, ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from "@noble/hashes/sha2.js";
import { keccakP } from "@noble/hashes/sha3.js";
import { adler32 } from "../../archive/adler32.ts";
import { crc32 } from "../../archive/crc32.ts";
import { Aborted } from "../../control/cell.ts";
import { GuestError } from "./guest_error.ts";

/** Most bytes of a message that one call hashes, and that it sums up. */
const MOST_BYTES = 256 * 1024;
const MOST_SUMMED_BYTES = 1024 * 1024;
/** Most rounds of PBKDF2 in one call. */
const MOST_ROUNDS = 1000;
/** Most memory that scrypt may want, and most work, in blocks of 128 bytes that are mixed twice. */
const SCRYPT_MAX_BYTES = 64 * 1024 * 1024;
const SCRYPT_MAX_BLOCKS = 1 << 20;
/** Before and after it mixes, scrypt does not look up: what its lanes take together, what comes out, and what goes in. */
const SCRYPT_MAX_LANE_BYTES = 512 * 1024;
const SCRYPT_MAX_OUTPUT = 64 * 1024;
const SCRYPT_MAX_INPUT = 1024 * 1024;
/** Bytes of a check sum for a unit of fuel. */
const SUMMED_PER_FUEL = 16;
/** Fuel for what takes as long as one unit of the guest's own does, measured. */
const FUEL_PER_BYTE = 1;
const FUEL_PER_ROUND = 200;
const FUEL_PER_BLOCK = 300;
const FUEL_PER_DIGITS = 10;
/** Of a power's numbers, hexadecimal. */
const POWER_MAX_DIGITS = 1024;
const KECCAK_WORDS = 50;
/** Bytes in a block: those of SHA3-512, and of SHAKE128. */
const KECCAK_RATE_MIN = 72;
const KECCAK_RATE_MAX = 168;

/** What the hashes of the library are made of, which their types hide. */
interface Compression {
  readonly blockLen: number;
  readonly outputLen: number;
  readonly isLE: boolean;
  get(): number[];
  set(...words: number[]): void;
  process(view: DataView, offset: number): void;
}

const HASHES = new Map<string, () => Compression>(
  Object.entries({ md5, ripemd160, sha1, sha224, sha256, sha384, sha512, sha512_224, sha512_256 })
    .map(([name, hash]) => [name, () => hash.create() as unknown as Compression]),
);

function compression(name: string, state: Uint8Array): Compression {
  const make = HASHES.get(name);
  if (!make) throw new GuestError(`there is no hash ${JSON.stringify(name.slice(0, 50))}`);
  const hash = make();
  const size = hash.get().length * 4;
  if (state.length !== 0 && state.length !== size) throw new GuestError("that is not the state of this hash");
  if (state.length > 0) hash.set(...words(state));
  return hash;
}

function words(state: Uint8Array): number[] {
  const view = new DataView(state.buffer, state.byteOffset, state.length);
  return Array.from({ length: state.length / 4 }, (_, index) => view.getInt32(4 * index, true));
}

function stateOf(hash: Compression): Uint8Array {
  return new Uint8Array(Int32Array.from(hash.get()).buffer);
}

/**
 * The functions by the names they have for the prelude.
 *
 * @param charge Takes fuel for what is done. @param look Called every few milliseconds; throws if it is to end.
 */
export function hashing(charge: (fuel: number) => void, look: () => void) {
  const summing =
    (sum: (bytes: Uint8Array, start: number) => number) => (data: Uint8Array, start: number) => {
      if (data.length > MOST_SUMMED_BYTES) throw new GuestError("a megabyte can be summed up at once");
      charge(Math.ceil(data.length / SUMMED_PER_FUEL));
      return sum(data, start >>> 0);
    };
  return {
    /** Check sums of gzip and zlib. @throws {GuestError} if it is too much at once. */
    crc32: summing(crc32),
    adler32: summing(adler32),

    /**
     * Hashes whole blocks.
     *
     * @param state What the call before gave; empty at the start.
     * @throws {GuestError} if a block is not whole, or it is too much at once.
     */
    hashBlocks(name: string, state: Uint8Array, data: Uint8Array): Uint8Array {
      const hash = compression(name, state);
      if (data.length > MOST_BYTES || data.length % hash.blockLen !== 0) {
        throw new GuestError("only whole blocks can be hashed, 256 KiB at once");
      }
      charge(data.length * FUEL_PER_BYTE);
      const view = new DataView(data.buffer, data.byteOffset, data.length);
      for (let at = 0; at < data.length; at += hash.blockLen) hash.process(view, at);
      return stateOf(hash);
    },

    /**
     * The digest of a message of `length` bytes.
     *
     * @param state Of its whole blocks. @param rest What comes after them. @throws {GuestError} if that is a block or more.
     */
    hashEnd(name: string, state: Uint8Array, rest: Uint8Array, length: number): Uint8Array {
      const hash = compression(name, state);
      if (rest.length >= hash.blockLen || !Number.isSafeInteger(length)) {
        throw new GuestError("what is left of a message is less than a block");
      }
      const field = hash.blockLen / 8;
      const tail = new Uint8Array(hash.blockLen * (rest.length + 1 + field > hash.blockLen ? 2 : 1));
      charge(tail.length * FUEL_PER_BYTE);
      tail.set(rest);
      tail[rest.length] = 0x80;
      const view = new DataView(tail.buffer);
      view.setBigUint64(tail.length - 8, BigInt(length) * 8n, hash.isLE);
      for (let at = 0; at < tail.length; at += hash.blockLen) hash.process(view, at);
      const digest = new DataView(new ArrayBuffer(4 * hash.get().length));
      hash.get().forEach((word, index) => digest.setInt32(4 * index, word, hash.isLE));
      return new Uint8Array(digest.buffer).slice(0, hash.outputLen);
    },

    /** As `hashBlocks`, of Keccak with `rate` bytes in a block. */
    keccakBlocks(rate: number, state: Uint8Array, data: Uint8Array): Uint8Array {
      if (!Number.isInteger(rate) || rate < KECCAK_RATE_MIN || rate > KECCAK_RATE_MAX || rate % 8 !== 0) {
        throw new GuestError("there is no such Keccak");
      }
      if (
        data.length > MOST_BYTES || data.length % rate !== 0 || ![0, 4 * KECCAK_WORDS].includes(state.length)
      ) {
        throw new GuestError("only whole blocks can be hashed, 256 KiB at once");
      }
      charge(2 * data.length * FUEL_PER_BYTE);
      const sponge = new Uint32Array(KECCAK_WORDS);
      const bytes = new Uint8Array(sponge.buffer);
      bytes.set(state);
      for (let at = 0; at < data.length; at += rate) {
        for (let index = 0; index < rate; index++) bytes[index]! ^= data[at + index]!;
        keccakP(sponge);
      }
      return bytes;
    },

    /**
     * Goes on with one block of PBKDF2.
     *
     * @param inner State of the hash after HMAC's inner key; @param outer After its outer one.
     * @param block `U` and `T`, one after the other. @returns The same, `rounds` later.
     */
    pbkdf2Rounds(
      name: string,
      inner: Uint8Array,
      outer: Uint8Array,
      block: Uint8Array,
      rounds: number,
    ): Uint8Array {
      const hash = compression(name, inner);
      const [innerWords, outerWords] = [inner, outer].map(words);
      const size = block.length / 2;
      if (!Number.isInteger(size) || size === 0 || size > outer.length || outer.length !== inner.length) {
        throw new GuestError("that is no block of PBKDF2");
      }
      if (!(rounds >= 0 && rounds <= MOST_ROUNDS)) throw new GuestError("those are too many rounds at once");
      charge(rounds * FUEL_PER_ROUND);
      const padded = new Uint8Array(hash.blockLen);
      const view = new DataView(padded.buffer);
      padded.set(block.subarray(0, size));
      padded[size] = 0x80;
      view.setUint32(
        hash.isLE ? hash.blockLen - 8 : hash.blockLen - 4,
        8 * (hash.blockLen + size),
        hash.isLE,
      );
      const total = block.slice(size);
      const round = (start: readonly number[]) => {
        hash.set(...start);
        hash.process(view, 0);
        const after = hash.get();
        for (let index = 0; index < size / 4; index++) view.setInt32(4 * index, after[index]!, hash.isLE);
      };
      for (let done = 0; done < rounds; done++) {
        round(innerWords!);
        round(outerWords!);
        for (let index = 0; index < size; index++) total[index]! ^= padded[index]!;
      }
      const result = new Uint8Array(2 * size);
      result.set(padded.subarray(0, size));
      result.set(total, size);
      return result;
    },

    /** A power of a number modulo another one, in hexadecimal digits. @throws {GuestError} if they are too long. */
    modPow(base: string, exponent: string, modulus: string): string {
      const texts = [base, exponent, modulus];
      if (!texts.every((text) => text.length <= POWER_MAX_DIGITS && /^[\da-f]+$/.test(text))) {
        throw new GuestError("powers are of hexadecimal numbers of 4096 bits at most");
      }
      charge(exponent.length * modulus.length * FUEL_PER_DIGITS);
      const [number, , divisor] = texts.map((text) => BigInt(`0x${text}`)) as [bigint, bigint, bigint];
      if (divisor === 0n) throw new GuestError("there is nothing modulo 0");
      let power = 1n % divisor;
      for (const digit of exponent) {
        look();
        for (let bit = 8; bit > 0; bit >>= 1) {
          power = power * power % divisor;
          if (parseInt(digit, 16) & bit) power = power * number % divisor;
        }
      }
      return power.toString(16);
    },

    /** @throws {GuestError} if it would take more memory or time than is given. */
    scrypt(password: Uint8Array, salt: Uint8Array, options: readonly number[]): Uint8Array {
      const [N = 0, r = 0, p = 0, dkLen = 0] = options;
      const blocks = N * r * p;
      const fits = [N, r, p, dkLen].every((each) => Number.isInteger(each) && each > 0) &&
        N * r * 128 <= SCRYPT_MAX_BYTES && blocks <= SCRYPT_MAX_BLOCKS &&
        p * r * 128 <= SCRYPT_MAX_LANE_BYTES;
      if (!fits) {
        throw new GuestError(
          `scrypt may use ${SCRYPT_MAX_BYTES >> 20} MiB (N * r * 128) and ${
            SCRYPT_MAX_LANE_BYTES >> 10
          } KiB for its lanes (p * r * 128), and mix ${SCRYPT_MAX_BLOCKS} blocks (N * r * p) here`,
        );
      }
      if (dkLen > SCRYPT_MAX_OUTPUT || Math.max(password.length, salt.length) > SCRYPT_MAX_INPUT) {
        throw new GuestError(
          `scrypt gives ${SCRYPT_MAX_OUTPUT >> 10} KiB, of a password and a salt of ${
            SCRYPT_MAX_INPUT >> 20
          } MiB, at most here`,
        );
      }
      charge(blocks * FUEL_PER_BLOCK + dkLen);
      try {
        return scrypt(password, salt, { N, r, p, dkLen, maxmem: 2 * SCRYPT_MAX_BYTES, onProgress: look });
      } catch (error) {
        if (error instanceof Aborted || error instanceof GuestError) throw error;
        throw new GuestError(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
