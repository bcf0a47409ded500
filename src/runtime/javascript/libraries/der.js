/** ASN.1 in DER, as bytes and back, and PEM. */
import { coded } from "./errors.js";
import { hooks } from "./runtime.js";

export const buffers = () => hooks.modules.buffer.Buffer;
export const asBytes = (data, encoding) =>
  new Uint8Array(
    typeof data === "string"
      ? buffers().from(data, encoding ?? "utf8")
      : data instanceof ArrayBuffer
      ? data
      : new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  );
const fromHex = (hex) => buffers().from(hex, "hex");

export function der(tag, ...contents) {
  const Buffer = buffers();
  const body = Buffer.concat(contents.map((each) => new Uint8Array(each)));
  const length = body.length < 128
    ? [body.length]
    : body.length < 256
    ? [0x81, body.length]
    : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
export const sequence = (...contents) => der(0x30, ...contents);
export const oid = (hex) => der(0x06, fromHex(hex));
export const integer = (bytes) => {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at++;
  const short = bytes.subarray(at);
  return der(0x02, short[0] & 0x80 ? [0, ...short] : short);
};
/** The elements of DER, one after the other. */
export function elements(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at++];
    let length = bytes[at++];
    if (length & 0x80) {
      const count = length & 0x7f;
      length = 0;
      for (let index = 0; index < count; index++) length = length * 256 + bytes[at++];
    }
    if (!(at + length <= bytes.length)) throw undecodable();
    found.push({ tag, body: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}
export const undecodable = () =>
  coded(Error, "ERR_OSSL_UNSUPPORTED", "error:1E08010C:DECODER routines::unsupported");
export const hexOf = (bytes) => buffers().from(bytes).toString("hex");

export function pem(label, bytes) {
  const lines = buffers().from(bytes).toString("base64").match(/.{1,64}/g).join("\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
