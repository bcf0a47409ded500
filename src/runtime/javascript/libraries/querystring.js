/** `querystring`. The packages of that name are of Node 0.10: they know no iteration and no lone surrogates. */
import { coded } from "./errors.js";
import { hooks, platform } from "./runtime.js";

const KEEP = /[!'()*]/;
void KEEP;
function escape(value) {
  const text = typeof value === "string" ? value : typeof value === "object" ? `${value}` : `${value}`;
  try {
    return encodeURIComponent(text).replace(/%(?:21|27|28|29|2A)/g, (each) => decodeURIComponent(each));
  } catch {
    throw coded(URIError, "ERR_INVALID_URI", "URI malformed");
  }
}

/** Bytes of what is escaped; what is no escape stays. */
function unescapeBuffer(text) {
  const bytes = [];
  const source = hooks.encodeUtf8(`${text}`);
  const hex = (byte) => byte === undefined ? NaN : parseInt(String.fromCharCode(byte), 16);
  for (let at = 0; at < source.length; at++) {
    const [high, low] = source[at] === 37 ? [hex(source[at + 1]), hex(source[at + 2])] : [NaN, NaN];
    if (Number.isNaN(high) || Number.isNaN(low)) bytes.push(source[at]);
    else {
      bytes.push(high * 16 + low);
      at += 2;
    }
  }
  return platform.Buffer.from(bytes);
}
function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text).toString();
  }
}

const primitive = (value) => {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "";
  if (typeof value === "bigint" || typeof value === "boolean") return `${value}`;
  return "";
};
function stringify(object, separator = "&", equals = "=", options) {
  if (object === null || typeof object !== "object") return "";
  const encode = options?.encodeURIComponent ?? querystring.escape;
  const [between, is] = [separator || "&", equals || "="];
  return Object.keys(object).map((name) => {
    const key = encode(primitive(name)) + is;
    const value = object[name];
    return Array.isArray(value)
      ? value.map((each) => key + encode(primitive(each))).join(between)
      : key + encode(primitive(value));
  }).filter(Boolean).join(between);
}

const MOST_KEYS = 1000;
function parse(text, separator, equals, options) {
  const found = Object.create(null);
  if (typeof text !== "string" || text.length === 0) return found;
  const [between, is] = [separator ? `${separator}` : "&", equals ? `${equals}` : "="];
  const most = typeof options?.maxKeys === "number" ? options.maxKeys : MOST_KEYS;
  const given = options?.decodeURIComponent;
  const plain = (part) => {
    const spaced = part.replaceAll("+", given && given !== unescape ? "%20" : " ");
    if (!given && querystring.unescape === unescape && !spaced.includes("%")) return spaced;
    try {
      return (given ?? querystring.unescape)(spaced);
    } catch {
      return querystring.unescape(spaced);
    }
  };
  const parts = text.split(between).filter((part) => part !== "");
  for (const part of most > 0 ? parts.slice(0, most) : parts) {
    const at = part.indexOf(is);
    const name = plain(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "" : plain(part.slice(at + is.length));
    if (!(name in found)) found[name] = value;
    else if (Array.isArray(found[name])) found[name].push(value);
    else found[name] = [found[name], value];
  }
  return found;
}

const querystring = { parse, stringify, escape, unescape, unescapeBuffer, decode: parse, encode: stringify };
export default querystring;
