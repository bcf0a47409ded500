/** Globals of the web platform: encodings, structuredClone, base64, crypto. */
export function installWeb(host, hooks) {
  const fromCharCode = String.fromCharCode;

  function bytesOf(data) {
    if (data === undefined) return new Uint8Array(0);
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw new TypeError("expected an ArrayBuffer or a view of one");
  }

  /** An ArrayBuffer with just these bytes. */
  function bufferOf(bytes) {
    // Not by slice, which gives a view of the same bytes where they are a Buffer.
    return bytes.buffer.byteLength === bytes.length ? bytes.buffer : new Uint8Array(bytes).buffer;
  }
  hooks.hook("bufferOf", bufferOf);

  // The host's strings end at a NUL: something else that a text does not have stands for it on the way.
  const STAND_INS = ["\x01", "\x02", "\x03", "\x04", "\x05", "\x06", "\x0e", "\x0f", "\x10", "\x11", "\x7f"];

  /** UTF-8 of a string. */
  function encodeUtf8(text) {
    const whole = text.toWellFormed();
    if (!whole.includes("\0")) return new Uint8Array(host.encode(whole));
    const standIn = STAND_INS.find((each) => !whole.includes(each));
    if (standIn === undefined) return encodePieces(whole.split("\0"));
    const bytes = new Uint8Array(host.encode(whole.replaceAll("\0", standIn)));
    const byte = standIn.charCodeAt(0);
    for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) bytes[at] = 0;
    return bytes;
  }

  function encodePieces(pieces) {
    const parts = pieces.map((part) => new Uint8Array(host.encode(part)));
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length + 1, -1));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length + 1;
    }
    return bytes;
  }

  const decoded = (buffer, fatal) =>
    fatal ? unlessInvalid("utf-8", () => host.decode(buffer, 1)) : host.decode(buffer, 0);

  function unlessInvalid(encoding, decode) {
    try {
      return decode();
    } catch (error) {
      if (error.name !== "TypeError") throw error;
      const refused = new TypeError(`The encoded data was not valid for encoding ${encoding}`);
      refused.code = "ERR_ENCODING_INVALID_ENCODED_DATA";
      throw refused;
    }
  }

  function decodeUtf8(bytes, fatal) {
    if (bytes.length === 0) return "";
    let nul = bytes.indexOf(0);
    if (nul < 0) return decoded(bufferOf(bytes), fatal);
    const standIn = STAND_INS.find((each) => !bytes.includes(each.charCodeAt(0)));
    if (standIn === undefined) return decodePieces(bytes, fatal);
    const copy = new Uint8Array(bytes);
    for (; nul >= 0; nul = copy.indexOf(0, nul + 1)) copy[nul] = standIn.charCodeAt(0);
    return decoded(copy.buffer, fatal).replaceAll(standIn, "\0");
  }

  function decodePieces(bytes, fatal) {
    const parts = [];
    for (let at = 0; at <= bytes.length;) {
      const nul = bytes.indexOf(0, at);
      const end = nul < 0 ? bytes.length : nul;
      parts.push(at === end ? "" : decoded(bufferOf(bytes.subarray(at, end)), fatal));
      at = end + 1;
    }
    return parts.join("\0");
  }
  hooks.hook("encodeUtf8", encodeUtf8);
  hooks.hook("decodeUtf8", decodeUtf8);

  function decodeUnits(units) {
    const parts = [];
    for (let at = 0; at < units.length; at += 8192) {
      parts.push(fromCharCode(...units.subarray(at, at + 8192)));
    }
    return parts.join("");
  }

  hooks.define(
    "TextEncoder",
    class TextEncoder {
      get encoding() {
        return "utf-8";
      }
      encode(text = "") {
        return encodeUtf8(`${text}`);
      }
      encodeInto(text, target) {
        let read = 0;
        let written = 0;
        for (const char of `${text}`.toWellFormed()) {
          const code = char.codePointAt(0);
          const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
          if (written + size > target.length) break;
          target.set(encodeUtf8(char), written);
          written += size;
          read += char.length;
        }
        return { read, written };
      }
    },
  );

  const LABELS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    "utf-16le": "utf-16le",
    "utf-16": "utf-16le",
    "latin1": "windows-1252",
    "iso-8859-1": "windows-1252",
    "ascii": "windows-1252",
    "us-ascii": "windows-1252",
    "windows-1252": "windows-1252",
  };
  const MULTIBYTE = new Set(["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "iso-2022-jp", "shift_jis"]);
  const C1 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
  hooks.define(
    "TextDecoder",
    class TextDecoder {
      #encoding;
      #fatal;
      #ignoreBOM;
      #kept = new Uint8Array(0);
      #started = false;
      constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
        const wanted = `${label}`.trim().toLowerCase();
        this.#encoding = Object.hasOwn(LABELS, wanted)
          ? LABELS[wanted]
          : wanted.includes("\0")
          ? undefined
          : host.encodingNamed(wanted);
        if (!this.#encoding) {
          const error = new RangeError(`The "${label}" encoding is not supported`);
          throw Object.assign(error, { code: "ERR_ENCODING_NOT_SUPPORTED" });
        }
        this.#fatal = Boolean(fatal);
        this.#ignoreBOM = Boolean(ignoreBOM);
      }
      get encoding() {
        return this.#encoding;
      }
      get fatal() {
        return this.#fatal;
      }
      get ignoreBOM() {
        return this.#ignoreBOM;
      }
      decode(data, { stream = false } = {}) {
        let bytes = bytesOf(data);
        if (this.#kept.length > 0) {
          const joined = new Uint8Array(this.#kept.length + bytes.length);
          joined.set(this.#kept);
          joined.set(bytes, this.#kept.length);
          bytes = joined;
        }
        const whole = stream ? bytes.length - this.#incomplete(bytes) : bytes.length;
        this.#kept = bytes.slice(whole);
        let text = this.#decode(bytes.subarray(0, whole));
        if (!this.#started && text.length > 0) {
          if (!this.#ignoreBOM && text[0] === "\ufeff") text = text.slice(1);
          this.#started = true;
        }
        if (!stream) this.#started = false;
        return text;
      }
      #decode(bytes) {
        if (this.#encoding === "utf-8") return decodeUtf8(bytes, this.#fatal);
        if (this.#encoding === "utf-16le") {
          const units = new Uint16Array(bytes.length >> 1);
          for (let i = 0; i < units.length; i++) units[i] = bytes[2 * i] | (bytes[2 * i + 1] << 8);
          return decodeUnits(units).toWellFormed() + (bytes.length % 2 ? "\ufffd" : "");
        }
        if (this.#encoding !== "windows-1252") {
          const decode = () => host.decodeText(this.#encoding, bufferOf(bytes), this.#fatal ? 1 : 0);
          return decodeUnits(new Uint16Array(unlessInvalid(this.#encoding, decode)));
        }
        return decodeUnits(bytes).replace(/[\x80-\x9f]/g, (char) => C1[char.charCodeAt(0) - 0x80]);
      }
      /** How many bytes at the end begin a character that is not there as a whole. */
      #incomplete(bytes) {
        if (this.#encoding.startsWith("utf-16")) {
          const odd = bytes.length % 2;
          const high = bytes[bytes.length - odd - (this.#encoding === "utf-16le" ? 1 : 2)];
          return high >= 0xd8 && high < 0xdc ? odd + 2 : odd;
        }
        // Where characters begin only a decoder of these knows: all of it waits for its end.
        if (MULTIBYTE.has(this.#encoding)) return bytes.length;
        if (this.#encoding !== "utf-8") return 0;
        for (let back = 1; back <= Math.min(3, bytes.length); back++) {
          const byte = bytes[bytes.length - back];
          if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
          if (byte < 0x80) return 0;
        }
        return 0;
      }
    },
  );

  const invalid = (message) => {
    const { DOMException } = hooks;
    return new DOMException(message, "InvalidCharacterError");
  };
  hooks.hook("bytesToText", (encoding, bytes) => host.bytesToText(encoding, bufferOf(bytes)));
  /** Undefined if the text is not all in the encoding. The host would see nothing of what follows a NUL. */
  hooks.hook("textToBytes", (encoding, text) => {
    const bytes = text.includes("\0") ? undefined : host.textToBytes(encoding, text);
    return bytes && new Uint8Array(bytes);
  });
  function fromBase64(text) {
    const bytes = hooks.textToBytes("base64", text);
    if (bytes) return bytes;
    const dense = text.replace(/[\t\n\f\r ]/g, "");
    const clean = dense.length % 4 === 0 ? dense.replace(/={1,2}$/, "") : dense;
    throw invalid(
      /[^A-Za-z0-9+/]/.test(clean)
        ? "Invalid character"
        : "The string to be decoded is not correctly encoded.",
    );
  }
  hooks.hook("toBase64", (bytes) => hooks.bytesToText("base64", bytes));
  hooks.hook("fromBase64", fromBase64);
  hooks.define("btoa", function btoa(data) {
    const text = `${data}`;
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 255) {
        throw invalid("The string to be encoded contains characters outside of the Latin1 range.");
      }
      bytes[i] = code;
    }
    return hooks.toBase64(bytes);
  });
  hooks.define("atob", function atob(data) {
    return decodeUnits(fromBase64(`${data}`));
  });

  const INTEGERS = /^(?:Big)?U?[Ii]nt\d+(?:Clamped)?Array$/;
  hooks.define("crypto", {
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || !INTEGERS.test(array[Symbol.toStringTag])) {
        throw new TypeError("crypto.getRandomValues: expected an array of integers");
      }
      if (array.byteLength > 65536) {
        const error = new Error(`The requested length exceeds 65,536 bytes: ${array.byteLength}`);
        error.name = "QuotaExceededError";
        throw error;
      }
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(
        new Uint8Array(host.random(array.byteLength)),
      );
      return array;
    },
    randomUUID() {
      const bytes = new Uint8Array(host.random(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        "-",
      );
    },
    [Symbol.toStringTag]: "Crypto",
  });

  /** What most values are made of, which need not be looked at any closer. */
  const PLAIN = [Object.prototype, Array.prototype, null];
  hooks.define("structuredClone", function structuredClone(value, options) {
    if (arguments.length === 0) throw new TypeError("The value argument must be specified");
    const transfer = hooks.transferOf(options?.transfer);
    const clones = new Map();
    const refuse = (what) => {
      const { DOMException } = hooks;
      return new DOMException(`${what} could not be cloned.`, "DataCloneError");
    };
    /** Of what is more than its properties; undefined of anything else. */
    const special = (source, remember) => {
      if (source instanceof Date) return remember(new Date(source.getTime()));
      if (source instanceof RegExp) return remember(new RegExp(source.source, source.flags));
      if (source instanceof ArrayBuffer) return remember(source.slice(0));
      if (source instanceof DataView) {
        return remember(new DataView(clone(source.buffer), source.byteOffset, source.byteLength));
      }
      if (ArrayBuffer.isView(source)) {
        const type = globalThis[source[Symbol.toStringTag]];
        return remember(new type(clone(source.buffer), source.byteOffset, source.length));
      }
      if (source instanceof Map) {
        const copy = remember(new Map());
        for (const [key, item] of [...source]) copy.set(clone(key), clone(item));
        return copy;
      }
      if (source instanceof Set) {
        const copy = remember(new Set());
        for (const item of [...source]) copy.add(clone(item));
        return copy;
      }
      if (source instanceof Error) {
        const types = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
        const copy = remember(new (types[source.name] ?? Error)(source.message));
        for (const key of ["stack", "cause"]) {
          if (Object.hasOwn(source, key)) {
            Object.defineProperty(copy, key, {
              value: clone(source[key]),
              writable: true,
              configurable: true,
            });
          }
        }
        return copy;
      }
      if ([Number, String, Boolean, BigInt].some((type) => source instanceof type)) {
        return remember(Object(source.valueOf()));
      }
      if ([Promise, WeakMap, WeakSet, WeakRef, Symbol].some((type) => source instanceof type)) {
        throw refuse(`#<${source.constructor?.name ?? "Object"}>`);
      }
      const shared = hooks.sharedByClones(source, transfer);
      return shared && remember(shared);
    };
    const clone = (source) => {
      if (typeof source === "function" || typeof source === "symbol") throw refuse(String(source));
      if (typeof source !== "object" || source === null) return source;
      const known = clones.get(source);
      if (known) return known;
      const remember = (copy) => {
        clones.set(source, copy);
        return copy;
      };
      const isPlain = PLAIN.includes(Object.getPrototypeOf(source));
      const made = isPlain ? undefined : special(source, remember);
      if (made) return made;
      const copy = remember(Array.isArray(source) ? new Array(source.length) : {});
      for (const key of Object.keys(source)) copy[key] = clone(source[key]);
      return copy;
    };
    const made = clone(value);
    // What is handed over is gone here; that it was copied, nobody sees.
    for (const each of transfer) if (each instanceof ArrayBuffer) each.transfer();
    return made;
  });
}
