/** Ciphers and signatures, loaded at their first use: most programs that hash need neither. */
import { cbc, ctr, ecb, gcm } from "@noble/ciphers/aes.js";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { coded, notHere } from "./errors.js";
import { asymmetric } from "./signatures.js";
import { hooks, setRuntime } from "./runtime.js";

const modules = () => hooks.modules;
const asBytes = (data, encoding) =>
  typeof data === "string"
    ? modules().buffer.Buffer.from(data, encoding ?? "utf8")
    : data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const plain = (bytes) => new Uint8Array(bytes);

/** One message by AES at once. @param mode "gcm", "cbc", "ctr" or "ecb". */
export function aes(mode, key, { iv, aad, tagLength = 16 }, encrypts, data) {
  if (mode === "gcm") {
    if (tagLength !== 16) {
      throw notHere("A tag of another length than 16 bytes", "the cipher makes no others");
    }
    const cipher = gcm(plain(key), plain(iv), aad && plain(aad));
    return encrypts ? cipher.encrypt(data) : cipher.decrypt(data);
  }
  const cipher = mode === "ecb"
    ? ecb(plain(key))
    : mode === "cbc"
    ? cbc(plain(key), plain(iv))
    : ctr(plain(key), plain(iv));
  return encrypts ? cipher.encrypt(data) : cipher.decrypt(data);
}

const joined = (a, b) => {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
};
/** A counter's block, so many blocks later. */
function counted(block, count) {
  const next = plain(block);
  let carry = count;
  for (let at = 15; at >= 0 && carry > 0; at--) {
    carry += next[at];
    next[at] = carry % 256;
    carry = Math.floor(carry / 256);
  }
  return next;
}

/** A stream of AES-CTR that goes on where it was. */
class Counter {
  #key;
  #block;
  #used = 0;
  constructor(key, block) {
    this.#key = plain(key);
    this.#block = plain(block);
  }
  update(bytes) {
    const start = this.#used % 16;
    const padded = joined(new Uint8Array(start), bytes);
    const output = ctr(this.#key, counted(this.#block, (this.#used - start) / 16)).encrypt(padded);
    this.#used += bytes.length;
    return output.subarray(start);
  }
}

const badDecrypt = () =>
  coded(Error, "ERR_OSSL_BAD_DECRYPT", "error:1C800064:Provider routines::bad decrypt");
const unauthentic = () => new Error("Unsupported state or unable to authenticate data");
const finalized = () => coded(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation final");

function cipherClass() {
  const { stream } = modules();
  return class Cipheriv extends stream.Transform {
    #mode;
    #key;
    #iv;
    #encrypts;
    #rest = new Uint8Array(0);
    #all = [];
    #counter;
    #padding = true;
    #aad;
    #tag;
    #done = false;
    #encoding;
    constructor(name, key, iv, options, encrypts) {
      super(options);
      const [, bits, mode] = /^(?:id-)?aes-?(\d+)(?:-(\w+))?$/.exec(name) ?? [];
      this.#mode = name === "chacha20-poly1305" ? "chacha" : bits ? mode ?? "cbc" : undefined;
      const size = this.#mode === "chacha" ? 32 : bits / 8;
      if (!["cbc", "ctr", "ecb", "gcm", "chacha"].includes(this.#mode)) {
        throw coded(Error, "ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher");
      }
      if (key.length !== size) throw coded(RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
      const wanted = this.#mode === "ecb"
        ? 0
        : this.#mode === "chacha"
        ? 12
        : this.#mode === "gcm"
        ? iv?.length
        : 16;
      if ((iv?.length ?? 0) !== wanted || this.#mode === "gcm" && !(iv?.length > 0)) {
        throw coded(TypeError, "ERR_CRYPTO_INVALID_IV", "Invalid initialization vector");
      }
      if (options?.authTagLength !== undefined && options.authTagLength !== 16) {
        throw notHere("A tag of another length than 16 bytes", "the ciphers make no others");
      }
      [this.#key, this.#iv, this.#encrypts] = [plain(key), iv && plain(iv), encrypts];
      if (this.#mode === "ctr") this.#counter = new Counter(key, iv);
      if (this.#mode === "gcm" && iv.length === 12) {
        this.#counter = new Counter(key, joined(this.#iv, new Uint8Array([0, 0, 0, 2])));
      }
    }
    #give(bytes, encoding) {
      const { Buffer } = modules().buffer;
      const made = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      return encoding && encoding !== "buffer" ? made.toString(encoding) : made;
    }
    update(data, inputEncoding, outputEncoding) {
      if (this.#done) throw finalized();
      this.#encoding = outputEncoding;
      return this.#give(this.#updated(asBytes(data, inputEncoding)), outputEncoding);
    }
    #updated(bytes) {
      if (this.#mode === "gcm" || this.#mode === "chacha") this.#all.push(plain(bytes));
      if (this.#counter) return this.#counter.update(bytes);
      if (this.#mode === "gcm" || this.#mode === "chacha") return new Uint8Array(0);
      const whole = joined(this.#rest, bytes);
      // When decrypting the last block waits: it may be padding.
      const keep = this.#encrypts || !this.#padding
        ? whole.length % 16
        : whole.length === 0
        ? 0
        : (whole.length - 1) % 16 + 1;
      this.#rest = whole.slice(whole.length - keep);
      return this.#blocks(whole.slice(0, whole.length - keep), true);
    }
    /** @param open Whether more blocks follow: there is no padding yet. */
    #blocks(bytes, open) {
      if (bytes.length === 0 && open) return bytes;
      const options = { disablePadding: open || !this.#padding };
      const cipher = this.#mode === "ecb" ? ecb(this.#key, options) : cbc(this.#key, this.#iv, options);
      const output = this.#encrypts ? cipher.encrypt(bytes) : cipher.decrypt(bytes);
      if (this.#mode === "cbc") this.#iv = plain((this.#encrypts ? output : bytes).slice(-16));
      return output;
    }
    final(outputEncoding) {
      if (this.#done) throw finalized();
      this.#done = true;
      return this.#give(this.#last(), outputEncoding ?? this.#encoding);
    }
    #last() {
      if (this.#mode === "ctr") return new Uint8Array(0);
      if (this.#mode === "gcm" || this.#mode === "chacha") {
        const message = this.#all.reduce(joined, new Uint8Array(0));
        const make = () =>
          this.#mode === "gcm"
            ? gcm(this.#key, this.#iv, this.#aad)
            : chacha20poly1305(this.#key, this.#iv, this.#aad);
        if (this.#encrypts) {
          const sealed = make().encrypt(message);
          this.#tag = sealed.slice(-16);
          return this.#counter ? new Uint8Array(0) : sealed.slice(0, -16);
        }
        if (!this.#tag) throw unauthentic();
        try {
          const opened = make().decrypt(joined(message, this.#tag));
          return this.#counter ? new Uint8Array(0) : opened;
        } catch {
          throw unauthentic();
        }
      }
      if (!this.#padding) {
        if (this.#rest.length > 0) {
          throw this.#encrypts
            ? coded(
              Error,
              "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH",
              "error:1C80006A:Provider routines::wrong final block length",
            )
            : coded(
              Error,
              "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH",
              "error:1C80006B:Provider routines::wrong final block length",
            );
        }
        return new Uint8Array(0);
      }
      if (!this.#encrypts && this.#rest.length !== 16) {
        throw coded(
          Error,
          "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH",
          "error:1C80006B:Provider routines::wrong final block length",
        );
      }
      try {
        return this.#blocks(this.#rest, false);
      } catch (error) {
        if (this.#encrypts) throw error;
        throw badDecrypt();
      }
    }
    setAutoPadding(padding = true) {
      this.#padding = Boolean(padding);
      return this;
    }
    setAAD(data, options) {
      this.#aad = joined(this.#aad ?? new Uint8Array(0), asBytes(data, options?.encoding));
      return this;
    }
    setAuthTag(tag, encoding) {
      const bytes = plain(asBytes(tag, encoding));
      if (bytes.length !== 16) {
        throw coded(
          TypeError,
          "ERR_CRYPTO_INVALID_AUTH_TAG",
          `Invalid authentication tag length: ${bytes.length}`,
        );
      }
      this.#tag = bytes;
      return this;
    }
    getAuthTag() {
      if (!this.#done || !this.#encrypts) {
        throw coded(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state for operation getAuthTag");
      }
      return this.#give(this.#tag);
    }
    _transform(chunk, encoding, callback) {
      callback(null, this.update(chunk, encoding));
    }
    _flush(callback) {
      try {
        this.push(this.final("buffer"));
        callback();
      } catch (error) {
        callback(error);
      }
    }
  };
}

let Cipheriv;
const secret = (key) => key?.type === "secret" ? key.export() : asBytes(key);
function made(encrypts) {
  return (name, key, iv, options) => {
    Cipheriv ??= cipherClass();
    return new Cipheriv(
      `${name}`.toLowerCase(),
      secret(key),
      iv === null || iv === undefined ? undefined : asBytes(iv),
      options,
      encrypts,
    );
  };
}

/** What Node's module has of these. */
export const node = { createCipheriv: made(true), createDecipheriv: made(false) };

export function install(host, givenHooks) {
  setRuntime(host, givenHooks);
  Object.assign(node, asymmetric());
}
