/** What gzip, zlib and raw deflate are unpacked by: piece by piece, and checked as zlib checks them. */
import { Inflate } from "fflate/browser";
import { host } from "./runtime.js";

export const codes = {
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

function zlibError(message, code = "Z_DATA_ERROR") {
  const error = new Error(message);
  error.errno = codes[code];
  error.code = code;
  return error;
}

/** What the error numbers of fflate are for zlib. */
const MESSAGES = {
  1: "invalid block type",
  2: "invalid literal/length code",
  3: "invalid distance too far back",
};
const isOfFormat = (error) => typeof error?.code === "number";

/** Most bytes that the host sums up at once. */
const MOST_AT_ONCE = 1024 * 1024;
const own = (bytes) =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : new Uint8Array(bytes).buffer;
function summed(sum, bytes, start) {
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) {
    start = host[sum](own(bytes.subarray(at, at + MOST_AT_ONCE)), start);
  }
  return start;
}
export const crc32 = (bytes, start = 0) => summed("crc32", bytes, start);
export const adler32 = (bytes, start = 1) => summed("adler32", bytes, start);

const NOTHING = new Uint8Array(0);
function joined(a, b) {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Flags of gzip's header. */
const HEADER_SUM = 2;
const EXTRA = 4;
const TEXTS = [8, 16];
const UNKNOWN = 0xe0;

/** Each takes what waits, and says how many bytes of it are done with; undefined: it needs more. */
const HEADERS = {
  gunzip(bytes) {
    if (bytes[0] !== 31 || bytes.length > 1 && bytes[1] !== 139) throw zlibError("incorrect header check");
    if (bytes.length > 2 && bytes[2] !== 8) throw zlibError("unknown compression method");
    if (bytes.length < 10) return undefined;
    const flags = bytes[3];
    if (flags & UNKNOWN) throw zlibError("unknown header flags set");
    let end = 10;
    if (flags & EXTRA) {
      if (bytes.length < end + 2) return undefined;
      end += 2 + (bytes[end] | bytes[end + 1] << 8);
    }
    for (const text of TEXTS) {
      if (!(flags & text)) continue;
      end = bytes.indexOf(0, end) + 1;
      if (end === 0) return undefined;
    }
    if (flags & HEADER_SUM) {
      if (bytes.length < end + 2) return undefined;
      const sum = crc32(bytes.subarray(0, end)) & 0xffff;
      if (sum !== (bytes[end] | bytes[end + 1] << 8)) throw zlibError("header crc mismatch");
      end += 2;
    }
    return bytes.length < end ? undefined : end;
  },
  inflate(bytes, unpacker) {
    if (bytes.length < 2) return undefined;
    if ((bytes[0] << 8 | bytes[1]) % 31 !== 0) throw zlibError("incorrect header check");
    if ((bytes[0] & 15) !== 8) throw zlibError("unknown compression method");
    if (bytes[0] >> 4 > 7) throw zlibError("invalid window size");
    if (!(bytes[1] & 32)) {
      unpacker.dictionary = undefined;
      return 2;
    }
    if (bytes.length < 6) return undefined;
    const { dictionary } = unpacker;
    if (!dictionary) throw zlibError("Missing dictionary", "Z_NEED_DICT");
    if (viewOf(bytes).getUint32(2) !== adler32(dictionary)) {
      throw zlibError("Bad dictionary", "Z_NEED_DICT");
    }
    return 6;
  },
  inflateRaw: () => 0,
  unzip(bytes, unpacker) {
    if (bytes[0] === 31 && bytes.length < 2) return undefined;
    unpacker.format = bytes[0] === 31 && bytes[1] === 139 ? "gunzip" : "inflate";
    return 0;
  },
};
const TRAILERS = { gunzip: 8, inflate: 4, inflateRaw: 0 };

export class Unpacker {
  /** @param format Of {@link HEADERS}. @param emit Gets what comes out, in pieces. */
  constructor(format, dictionary, emit) {
    this.format = format;
    this.dictionary = dictionary;
    this.emit = emit;
    this.waiting = NOTHING;
    /** What comes next: "header", "data", "trailer"; "member", another or nothing; "over", what follows is ignored. */
    this.next = "header";
  }
  push(bytes) {
    if (this.next === "over") return;
    this.waiting = joined(this.waiting, bytes);
    while (this.waiting.length > 0 || this.next === "trailer") {
      const done = this[this.next]();
      if (done === undefined) break;
      this.waiting = this.waiting.subarray(done);
    }
    // Whoever gave them may write over them.
    this.waiting = new Uint8Array(this.waiting);
  }
  /** @throws {Error} if it is not over. */
  end() {
    if (this.next !== "member" && this.next !== "over") {
      throw zlibError("unexpected end of file", "Z_BUF_ERROR");
    }
  }
  header() {
    const { format } = this;
    const end = HEADERS[format](this.waiting, this);
    if (end === undefined || format !== this.format) return end;
    this.sum = this.format === "inflate" ? 1 : 0;
    this.length = 0;
    this.codec = new Inflate(this.dictionary ? { dictionary: this.dictionary } : {}, (chunk) => {
      if (chunk.length === 0) return;
      if (this.format !== "inflateRaw") {
        this.sum = (this.format === "gunzip" ? crc32 : adler32)(chunk, this.sum);
      }
      this.length += chunk.length;
      this.emit(chunk);
    });
    this.next = "data";
    return end;
  }
  data() {
    const { codec, waiting } = this;
    try {
      codec.push(waiting, false);
    } catch (error) {
      if (!isOfFormat(error)) throw error;
      throw zlibError(MESSAGES[error.code] ?? "invalid code lengths set");
    }
    // Whether its last block is over, and the byte in which that ends.
    if (!codec.s.f || codec.s.l) return waiting.length;
    this.next = "trailer";
    return waiting.length - codec.p.length + (codec.s.p === 0 ? 0 : 1);
  }
  trailer() {
    const { format, waiting } = this;
    const size = TRAILERS[format];
    if (waiting.length < size) return undefined;
    const view = viewOf(waiting);
    if (size > 0 && view.getUint32(0, format === "gunzip") !== this.sum) {
      throw zlibError("incorrect data check");
    }
    if (format === "gunzip" && view.getUint32(4, true) !== this.length >>> 0) {
      throw zlibError("incorrect length check");
    }
    this.codec = undefined;
    this.next = format === "gunzip" ? "member" : "over";
    return size;
  }
  member() {
    this.next = this.waiting[0] === 0 ? "over" : "header";
    return 0;
  }
  over() {
    return this.waiting.length;
  }
}
