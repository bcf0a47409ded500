/** `zlib`, by fflate: three times as fast as pako where no compiler helps. */
import * as fflate from "fflate/browser";
import buffer, { asBuffer } from "./buffer.js";
import { checkFunction, checkNumber, coded, invalidArgType, notHere, outOfRange } from "./errors.js";
import stream from "./stream.js";
import { promisify } from "./util.js";
import { hooks, platform } from "./runtime.js";

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
};
const codes = { ...RESULTS };
for (const [name, value] of Object.entries(RESULTS)) codes[value] = name;

/** What the error numbers of fflate are for zlib. */
const MESSAGES = {
  0: ["unexpected end of file", "Z_BUF_ERROR"],
  1: ["invalid block type", "Z_DATA_ERROR"],
  2: ["invalid code lengths set", "Z_DATA_ERROR"],
  3: ["invalid distance too far back", "Z_DATA_ERROR"],
  6: ["incorrect header check", "Z_DATA_ERROR"],
};
function failure(error) {
  if (typeof error?.code === "string") return error;
  const [message, code] = MESSAGES[error?.code] ?? ["invalid stored block lengths", "Z_DATA_ERROR"];
  return zlibError(message, code);
}
function zlibError(message, code) {
  const error = new Error(message);
  error.errno = codes[code];
  error.code = code;
  return error;
}

function bytesOf(data) {
  if (typeof data === "string") return hooks.encodeUtf8(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw invalidArgType("buffer", ["string", "Buffer", "TypedArray", "DataView", "ArrayBuffer"], data);
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
const isGzip = (bytes) => bytes[0] === 31 && bytes[1] === 139;

/** An end that is cut off, and what follows the end, as zlib finds them. */
function inflated(kind, bytes, options) {
  const { dictionary } = options;
  const parts = [];
  let ended = false;
  const make = { gunzip: fflate.Gunzip, inflate: fflate.Unzlib, inflateRaw: fflate.Inflate }[kind];
  const decoder = new make(dictionary ? { dictionary } : {}, (chunk, final) => {
    parts.push(chunk.slice());
    ended ||= final;
  });
  if (kind === "gunzip" && (bytes.length >= 2 && !isGzip(bytes) || bytes.length === 1 && bytes[0] !== 31)) {
    throw zlibError("incorrect header check", "Z_DATA_ERROR");
  }
  if (bytes.length === 0) throw zlibError("unexpected end of file", "Z_BUF_ERROR");
  decoder.push(bytes, true);
  void ended;
  return concatenated(parts);
}
function concatenated(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** CRC-32 of gzip's trailer, and Adler-32 of zlib's. */
const TABLE = new Uint32Array(256).map((_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ value >>> 1 : value >>> 1;
  return value;
});
function crc32(data, start = 0) {
  let value = ~start;
  for (const byte of bytesOf(data)) value = TABLE[(value ^ byte) & 255] ^ value >>> 8;
  return ~value >>> 0;
}
function adler32(bytes) {
  let [a, b] = [1, 0];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + 3800);
    for (; at < end; at++) b += a += bytes[at];
    a %= 65521;
    b %= 65521;
  }
  return (b << 16 | a) >>> 0;
}
function checkTrailer(kind, bytes, output) {
  if (kind === "inflate" && bytes.length >= 6) {
    const at = bytes.length - 4;
    const found = (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0;
    if (found !== adler32(output)) throw zlibError("incorrect data check", "Z_DATA_ERROR");
  }
}

const CODECS = {
  gzip: (bytes, options) => fflate.gzipSync(bytes, { ...options, mtime: 0 }),
  deflate: (bytes, options) => fflate.zlibSync(bytes, options),
  deflateRaw: (bytes, options) => fflate.deflateSync(bytes, options),
  gunzip: (bytes, options) => inflated("gunzip", bytes, options),
  inflate: (bytes, options) => {
    const output = inflated("inflate", bytes, options);
    checkTrailer("inflate", bytes, output);
    return output;
  },
  inflateRaw: (bytes, options) => inflated("inflateRaw", bytes, options),
  unzip: (bytes, options) => isGzip(bytes) ? CODECS.gunzip(bytes, options) : CODECS.inflate(bytes, options),
};
function run(name, data, options) {
  const bytes = bytesOf(data);
  let output;
  try {
    output = CODECS[name](bytes, optionsOf(options));
  } catch (error) {
    throw failure(error);
  }
  // The byte that says which system it was made on: Linux, as zlib writes it here.
  if (name === "gzip") output[9] = 3;
  const most = options?.maxOutputLength ?? buffer.kMaxLength;
  if (output.length > most) {
    throw coded(RangeError, "ERR_BUFFER_TOO_LARGE", `Cannot create a Buffer larger than ${most} bytes`);
  }
  return asBuffer(output);
}

const STREAMS = {
  Gzip: fflate.Gzip,
  Deflate: fflate.Zlib,
  DeflateRaw: fflate.Deflate,
  Gunzip: fflate.Gunzip,
  Inflate: fflate.Unzlib,
  InflateRaw: fflate.Inflate,
  Unzip: fflate.Decompress,
};
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
const MOST_AT_ONCE = 65536;
for (const [name, Codec] of Object.entries(STREAMS)) {
  const compresses = /^(?:Gzip|Deflate)/.test(name);
  const Class = {
    [name]: class extends ZlibBase {
      constructor(options) {
        super(options);
        const { dictionary, level } = optionsOf(options);
        const given = compresses
          ? { level, ...(name === "Gzip" && { mtime: 0 }), ...(dictionary && { dictionary }) }
          : dictionary
          ? { dictionary }
          : {};
        this._codec = new Codec(given, (chunk) => {
          if (chunk.length > 0) this.push(buffer.Buffer.from(chunk));
        });
      }
      _transform(chunk, encoding, callback) {
        const bytes = typeof chunk === "string" ? buffer.Buffer.from(chunk, encoding) : bytesOf(chunk);
        this.bytesWritten += bytes.length;
        try {
          if (
            !compresses && this.bytesWritten === bytes.length && /^(?:Gunzip)$/.test(name) &&
            bytes.length >= 2 && !isGzip(bytes)
          ) {
            throw { code: 6 };
          }
          for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) {
            this._codec.push(Uint8Array.prototype.slice.call(bytes, at, at + MOST_AT_ONCE), false);
          }
          callback();
        } catch (error) {
          callback(failure(error));
        }
      }
      _flush(callback) {
        try {
          if (compresses || this.bytesWritten > 0) this._codec.push(new Uint8Array(0), true);
          callback();
        } catch (error) {
          callback(failure(error));
        }
      }
    },
  }[name];
  // Functions, since old code calls them without `new`.
  classes[name] = new Proxy(Class, { apply: (_target, _self, [options]) => new Class(options) });
}

const zlib = {
  constants,
  codes,
  crc32: (data, value = 0) => {
    if (typeof value !== "number") throw invalidArgType("value", "number", value);
    if (value < 0 || value > 2 ** 32 - 1) throw outOfRange("value", ">= 0 && <= 4294967295", value);
    return crc32(data, value);
  },
  ...classes,
};
for (const [name, Class] of Object.entries(classes)) zlib[`create${name}`] = (options) => new Class(options);
for (const name of Object.keys(CODECS)) {
  zlib[`${name}Sync`] = { [`${name}Sync`]: (data, options) => run(name, data, options) }[`${name}Sync`];
  zlib[name] = {
    [name](data, options, callback) {
      const done = typeof options === "function" ? options : callback;
      checkFunction(done, "callback");
      bytesOf(data);
      setImmediate(() => {
        let output;
        try {
          output = run(name, data, typeof options === "function" ? undefined : options);
        } catch (error) {
          return done(error);
        }
        done(null, output);
      });
    },
  }[name];
}
const brotli = (name) =>
  function () {
    throw notHere(`zlib.${name}`, "there is no Brotli", "zlib.gzip and zlib.deflate compress");
  };
for (
  const name of [
    "brotliCompress",
    "brotliCompressSync",
    "brotliDecompress",
    "brotliDecompressSync",
    "createBrotliCompress",
    "createBrotliDecompress",
    "BrotliCompress",
    "BrotliDecompress",
  ]
) {
  zlib[name] = brotli(name);
}
for (const [name, value] of Object.entries(constants)) {
  if (/^Z_/.test(name)) Object.defineProperty(zlib, name, { value, enumerable: false });
}
void promisify;

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
      const codec = new STREAMS[found[at]]({}, (chunk) => chunk.length > 0 && out.enqueue(chunk.slice()));
      const guarded = (call) => {
        try {
          call();
        } catch (error) {
          throw new TypeError(failure(error).message);
        }
      };
      const { readable, writable } = new platform.TransformStream({
        start: (controller) => void (out = controller),
        transform: (chunk) => guarded(() => codec.push(bytesOf(chunk).slice(), false)),
        flush: () => guarded(() => codec.push(new Uint8Array(0), true)),
      });
      this.readable = readable;
      this.writable = writable;
    }
  };
}
export const globals = { CompressionStream: webStream(0), DecompressionStream: webStream(1) };
for (const name in globals) Object.defineProperty(globals[name], "name", { value: name });
export default zlib;
