/** `zlib`, by fflate: three times as fast as pako where no compiler helps. */
import * as fflate from "fflate/browser";
import buffer, { asBuffer } from "./buffer.js";
import { checkFunction, checkNumber, coded, invalidArgType, notHere, outOfRange } from "./errors.js";
import stream from "./stream.js";
import { hooks, host, platform } from "./runtime.js";
import { codes as errorCodes, crc32, Unpacker } from "./unpacker.js";

const { Transform } = stream;

/** What zlib's functions return. */
const RESULTS = {
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_VERSION_ERROR: -6,
};
export const constants = {
  Z_NO_FLUSH: 0,
  Z_PARTIAL_FLUSH: 1,
  Z_SYNC_FLUSH: 2,
  Z_FULL_FLUSH: 3,
  Z_FINISH: 4,
  Z_BLOCK: 5,
  ...RESULTS,
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
  Z_FILTERED: 1,
  Z_HUFFMAN_ONLY: 2,
  Z_RLE: 3,
  Z_FIXED: 4,
  Z_DEFAULT_STRATEGY: 0,
  Z_MIN_WINDOWBITS: 8,
  Z_MAX_WINDOWBITS: 15,
  Z_DEFAULT_WINDOWBITS: 15,
  Z_MIN_CHUNK: 64,
  Z_MAX_CHUNK: Infinity,
  Z_DEFAULT_CHUNK: 16384,
  Z_MIN_MEMLEVEL: 1,
  Z_MAX_MEMLEVEL: 9,
  Z_DEFAULT_MEMLEVEL: 8,
  Z_MIN_LEVEL: -1,
  Z_MAX_LEVEL: 9,
  Z_DEFAULT_LEVEL: -1,
  DEFLATE: 1,
  INFLATE: 2,
  GZIP: 3,
  GUNZIP: 4,
  DEFLATERAW: 5,
  INFLATERAW: 6,
  UNZIP: 7,
  BROTLI_DECODE: 8,
  BROTLI_ENCODE: 9,
  BROTLI_OPERATION_PROCESS: 0,
  BROTLI_OPERATION_FLUSH: 1,
  BROTLI_OPERATION_FINISH: 2,
  BROTLI_PARAM_MODE: 0,
  BROTLI_MODE_GENERIC: 0,
  BROTLI_MODE_TEXT: 1,
  BROTLI_MODE_FONT: 2,
  BROTLI_PARAM_QUALITY: 1,
  BROTLI_MIN_QUALITY: 0,
  BROTLI_MAX_QUALITY: 11,
  BROTLI_DEFAULT_QUALITY: 11,
  BROTLI_PARAM_LGWIN: 2,
  BROTLI_MIN_WINDOW_BITS: 10,
  BROTLI_MAX_WINDOW_BITS: 24,
  BROTLI_DEFAULT_WINDOW: 22,
  BROTLI_PARAM_SIZE_HINT: 5,
};
const codes = { ...errorCodes };
for (const [name, value] of Object.entries(errorCodes)) codes[value] = name;

function bytesOf(data, name = "buffer", buffers = true) {
  if (typeof data === "string") return hooks.encodeUtf8(data);
  if (buffers && data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const kinds = ["string", "Buffer", "TypedArray", "DataView", ...buffers ? ["ArrayBuffer"] : []];
  throw invalidArgType(name, kinds, data);
}
function optionsOf(options) {
  const { level, memLevel, dictionary } = options ?? {};
  if (level !== undefined) checkNumber(level, "options.level", -1, 9);
  if (memLevel !== undefined) checkNumber(memLevel, "options.memLevel", 1, 9);
  return {
    level: level === undefined || level === -1 ? 6 : level,
    ...(dictionary && { dictionary: bytesOf(dictionary) }),
  };
}
/** Most bytes that are packed or unpacked at once: a thousand times as much may come out. */
const MOST_AT_ONCE = 65536;

/** Whether an end that is cut off is one, as zlib says it: unless it is told to give what there is. */
const isLenient = (options) =>
  options?.finishFlush !== undefined && options.finishFlush !== constants.Z_FINISH;

function unpacked(format, bytes, options, most) {
  const parts = [];
  let length = 0;
  const unpacker = new Unpacker(format, optionsOf(options).dictionary, (chunk) => {
    length += chunk.length;
    if (length > most) throw tooLarge(most);
    parts.push(chunk);
  });
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) {
    unpacker.push(bytes.subarray(at, at + MOST_AT_ONCE));
  }
  if (!isLenient(options)) unpacker.end();
  return concatenated(parts);
}
const tooLarge = (most) =>
  coded(RangeError, "ERR_BUFFER_TOO_LARGE", `Cannot create a Buffer larger than ${most} bytes`);
function concatenated(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Most that the host packs at once. */
const MOST_BY_HOST = 64 * 1024 * 1024;
/** What the host packs by the same library, some ten times as fast, unless it is too much or goes by a dictionary. */
const packer = (format, pack) => (bytes, options) =>
  options.dictionary || bytes.length > MOST_BY_HOST
    ? pack(bytes, options)
    : new Uint8Array(host.pack(format, options.level, hooks.bufferOf(bytes)));
const PACKERS = {
  gzip: packer("gzip", (bytes, options) => fflate.gzipSync(bytes, { ...options, mtime: 0 })),
  deflate: packer("deflate", fflate.zlibSync),
  deflateRaw: packer("deflateRaw", fflate.deflateSync),
};
const UNPACKERS = ["gunzip", "inflate", "inflateRaw", "unzip"];
function run(name, data, options) {
  const bytes = bytesOf(data);
  const most = options?.maxOutputLength ?? buffer.kMaxLength;
  const pack = PACKERS[name];
  if (!pack) return asBuffer(unpacked(name, bytes, options, most));
  const output = pack(bytes, optionsOf(options));
  // The byte that says which system it was made on: Linux, as zlib writes it here.
  if (name === "gzip") output[9] = 3;
  if (output.length > most) throw tooLarge(most);
  return asBuffer(output);
}

/** What the streams of these names work with; each gives its pieces to `emit`. */
const packing = (Codec, more) => ({ level, dictionary }, emit) => {
  const codec = new Codec({ level, ...more, ...(dictionary && { dictionary }) }, emit);
  return {
    push: (bytes) => codec.push(Uint8Array.prototype.slice.call(bytes), false),
    end: () => codec.push(new Uint8Array(0), true),
    flush: () => codec.flush?.(),
  };
};
const unpacking = (format) => ({ dictionary }, emit) => new Unpacker(format, dictionary, emit);
const STREAMS = {
  Gzip: packing(fflate.Gzip, { mtime: 0 }),
  Deflate: packing(fflate.Zlib),
  DeflateRaw: packing(fflate.Deflate),
  Gunzip: unpacking("gunzip"),
  Inflate: unpacking("inflate"),
  InflateRaw: unpacking("inflateRaw"),
  Unzip: unpacking("unzip"),
};
/** As a function, since old code calls classes without `new`. */
const callable = (Class) => new Proxy(Class, { apply: (_target, _self, [options]) => new Class(options) });
class ZlibBase extends Transform {
  constructor(options) {
    super(options);
    this.bytesWritten = 0;
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.destroy();
  }
  flush(kind, callback) {
    const done = typeof kind === "function" ? kind : callback;
    this._codec?.flush?.();
    if (done) platform.process.nextTick(done);
  }
  params(_level, _strategy, callback) {
    callback?.(null);
  }
  reset() {}
}
const classes = {};
for (const [name, begin] of Object.entries(STREAMS)) {
  const Class = {
    [name]: class extends ZlibBase {
      constructor(options) {
        super(options);
        this._lenient = isLenient(options);
        this._codec = begin(optionsOf(options), (chunk) => {
          if (chunk.length > 0) this.push(buffer.Buffer.from(chunk));
        });
      }
      _transform(chunk, encoding, callback) {
        const bytes = typeof chunk === "string" ? buffer.Buffer.from(chunk, encoding) : bytesOf(chunk);
        this.bytesWritten += bytes.length;
        try {
          for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) {
            this._codec.push(bytes.subarray(at, at + MOST_AT_ONCE));
          }
        } catch (error) {
          return callback(error);
        }
        callback();
      }
      _flush(callback) {
        try {
          if (!this._lenient) this._codec.end();
        } catch (error) {
          return callback(error);
        }
        callback();
      }
    },
  }[name];
  classes[name] = callable(Class);
}

function brotliDecompress(bytes, { maxOutputLength: most = buffer.kMaxLength } = {}) {
  const found = hooks.library("brotli").unpackBrotli(bytes);
  if (found === "cut") {
    throw coded(Error, "Z_BUF_ERROR", "unexpected end of file", { errno: constants.Z_BUF_ERROR });
  }
  if (found === "damaged") {
    throw coded(Error, "ERR_BROTLI_DECODER_ERROR", "Decompression failed", { errno: -2 });
  }
  if (found.output.length > most) throw tooLarge(most);
  return asBuffer(found.output);
}
/** It is unpacked when all of it is there. */
class BrotliDecompress extends ZlibBase {
  #parts = [];
  #options;
  constructor(options) {
    super(options);
    this.#options = options;
  }
  _transform(chunk, encoding, callback) {
    const bytes = typeof chunk === "string" ? buffer.Buffer.from(chunk, encoding) : bytesOf(chunk);
    this.bytesWritten += bytes.length;
    this.#parts.push(bytes.slice());
    callback();
  }
  _flush(callback) {
    try {
      this.push(brotliDecompress(concatenated(this.#parts), this.#options));
    } catch (error) {
      return callback(error);
    }
    callback();
  }
}

const zlib = {
  constants,
  codes,
  crc32: (data, value = 0) => {
    if (typeof value !== "number") throw invalidArgType("value", "number", value);
    if (value < 0 || value > 2 ** 32 - 1) throw outOfRange("value", ">= 0 && <= 4294967295", value);
    return crc32(bytesOf(data, "data", false), value);
  },
  ...classes,
};
for (const [name, Class] of Object.entries(classes)) zlib[`create${name}`] = (options) => new Class(options);
/** A function at once, and one that calls back. */
function atOnceAndLater(name, work) {
  const now = `${name}Sync`;
  return {
    [now]: { [now]: (data, options) => work(data, options) }[now],
    [name]: {
      [name](data, options, callback) {
        const [given, done] = typeof options === "function" ? [undefined, options] : [options, callback];
        checkFunction(done, "callback");
        bytesOf(data);
        hooks.told(() => {
          let output;
          try {
            output = work(data, given);
          } catch (error) {
            return done(error);
          }
          done(null, output);
        });
      },
    }[name],
  };
}
for (const name of [...Object.keys(PACKERS), ...UNPACKERS]) {
  Object.assign(zlib, atOnceAndLater(name, (data, options) => run(name, data, options)));
}
Object.assign(zlib, {
  ...atOnceAndLater("brotliDecompress", (data, options) => brotliDecompress(bytesOf(data), options)),
  BrotliDecompress: callable(BrotliDecompress),
  createBrotliDecompress: (options) => new BrotliDecompress(options),
});
for (const name of ["brotliCompress", "brotliCompressSync", "createBrotliCompress", "BrotliCompress"]) {
  zlib[name] = function () {
    throw notHere(
      `zlib.${name}`,
      "Brotli is only unpacked here",
      "zlib.gzip and zlib.deflate compress",
    );
  };
}
for (const [name, value] of Object.entries(constants)) {
  if (/^Z_/.test(name)) Object.defineProperty(zlib, name, { value, enumerable: false });
}

/** CompressionStream and DecompressionStream of the web. */
const FORMATS = {
  gzip: ["Gzip", "Gunzip"],
  deflate: ["Deflate", "Inflate"],
  "deflate-raw": ["DeflateRaw", "InflateRaw"],
};
function webStream(at) {
  return class {
    constructor(format) {
      const found = FORMATS[format];
      if (!found) throw new TypeError(`Unsupported compression format: '${format}'`);
      let out;
      const codec = STREAMS[found[at]](
        optionsOf(),
        (chunk) => chunk.length > 0 && out.enqueue(chunk.slice()),
      );
      const guarded = (call) => {
        try {
          call();
        } catch (error) {
          throw new TypeError(error.message);
        }
      };
      const { readable, writable } = new platform.TransformStream({
        start: (controller) => void (out = controller),
        transform: (chunk) => guarded(() => codec.push(bytesOf(chunk))),
        flush: () => guarded(() => codec.end()),
      });
      this.readable = readable;
      this.writable = writable;
    }
  };
}
export const globals = { CompressionStream: webStream(0), DecompressionStream: webStream(1) };
for (const name in globals) Object.defineProperty(globals[name], "name", { value: name });
export default zlib;
