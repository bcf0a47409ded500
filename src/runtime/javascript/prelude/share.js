/** Values that the languages of a session hand to each other; the format is that of Python's _wasmbox_share. */
export function installShare(host, hooks) {
  const DIRECTORY = "/shared";
  const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
  const MAX_DEPTH = 200;

  function pathOf(name) {
    if (typeof name === "string" && NAME.test(name)) return `${DIRECTORY}/${name}`;
    throw new TypeError(
      `a name must be up to 100 of A-Z a-z 0-9 _ . - and not start with . or -: ${
        hooks.inspect(name, { bound: 120 })
      }`,
    );
  }

  const tagged = (kind, value) => ({ $type: kind, value });
  const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
  const bytesOf = (value) =>
    value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);

  function encode(value, where, depth) {
    if (depth > MAX_DEPTH) {
      throw new RangeError(`the value is nested more than ${MAX_DEPTH} levels, or contains itself`);
    }
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return encodeNumber(value);
      case "bigint":
        return tagged("int", value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`);
      case "object":
        if (value === null) return null;
        if (isBytes(value)) return tagged("bytes", hooks.toBase64(bytesOf(value)));
        if (Array.isArray(value)) {
          return value.map((item, index) => encode(item, `${where}[${index}]`, depth + 1));
        }
        if ([Object.prototype, null].includes(Object.getPrototypeOf(value))) {
          return encodeObject(value, where, depth);
        }
    }
    const kind = typeof value === "object" ? value.constructor?.name ?? "object" : typeof value;
    throw new TypeError(
      `a value of type ${kind}${where ? ` (at ${where})` : ""} can't be shared: ` +
        "null, booleans, numbers, BigInts, strings, bytes, arrays and plain objects can",
    );
  }

  function encodeNumber(value) {
    if (Number.isNaN(value)) return tagged("float", "nan");
    if (!Number.isFinite(value)) return tagged("float", value > 0 ? "inf" : "-inf");
    return Object.is(value, -0) ? tagged("float", "-0.0") : value;
  }

  function encodeObject(value, where, depth) {
    const items = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, encode(item, `${where}.${key.slice(0, 40)}`, depth + 1)]);
    return items.some(([key]) => key === "$type") ? tagged("dict", items) : Object.fromEntries(items);
  }

  function decode(_key, found) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, "$type")) return found;
    const { $type: kind, value } = found;
    switch (kind) {
      case "int": {
        const number = BigInt(value.replace("-", ""));
        const whole = value.startsWith("-") ? -number : number;
        return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
      }
      case "float":
        return Number(value.replace("inf", "Infinity"));
      case "bytes":
        return hooks.fromBase64(value);
      default:
        return Object.fromEntries(value);
    }
  }

  hooks.define("share", function share(name, value) {
    const path = pathOf(name);
    let data;
    if (isBytes(value)) {
      const bytes = bytesOf(value);
      data = new Uint8Array(bytes.length + 1);
      data.set(bytes, 1);
    } else data = hooks.encodeUtf8(JSON.stringify(encode(value, "", 0)));
    // No name that can be shared starts with a dot.
    const fresh = `${DIRECTORY}/.new`;
    try {
      host.mkdir(DIRECTORY, 1);
      host.writeFile(fresh, hooks.bufferOf(data));
      host.rename(fresh, path);
    } catch (error) {
      host.rm(fresh, 0, 1);
      throw new Error(`the value can't be shared: ${error.message}`);
    }
  });

  hooks.define("shared", function shared(name) {
    const path = pathOf(name);
    if (host.exists(path) !== 1) {
      const known = globalThis.sharedNames().join(", ") || "nothing";
      throw new ReferenceError(`nothing is shared as '${name}'; shared: ${known}`);
    }
    const data = new Uint8Array(host.readFile(path));
    return data[0] === 0 ? data.slice(1) : JSON.parse(hooks.decodeUtf8(data, true), decode);
  });

  hooks.define("sharedNames", function sharedNames() {
    if (host.exists(DIRECTORY) !== 1) return [];
    return JSON.parse(host.readdir(DIRECTORY)).map(([name]) => name).filter((name) => NAME.test(name)).sort();
  });
}
