/** `serialize` and `deserialize` of Node's `v8`: the bytes are the same. */
import buffer, { asBuffer } from "./buffer.js";
import { invalidArgType } from "./errors.js";
import { Reader } from "./serializer/reader.js";
import { Writer } from "./serializer/writer.js";

const { Buffer } = buffer;
/** In the order of Node's numbers for them. */
const VIEWS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  DataView,
  Buffer,
  BigInt64Array,
  BigUint64Array,
];

function writeView(value, out) {
  if (!ArrayBuffer.isView(value)) return false;
  const type = Buffer.isBuffer(value)
    ? Buffer
    : VIEWS.findLast((each) => each !== Buffer && value instanceof each);
  out.tag("\\");
  out.uint(VIEWS.indexOf(type));
  out.uint(value.byteLength);
  out.raw(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  return true;
}

function readView(from) {
  const type = VIEWS[from.uint()];
  const bytes = from.raw(from.uint());
  if (!type) throw new Error("Unable to deserialize cloned data.");
  if (type === Buffer) return asBuffer(bytes);
  return new type(bytes.buffer, 0, bytes.length / (type.BYTES_PER_ELEMENT ?? 1));
}

export function serialize(value) {
  const writer = new Writer(writeView).ownViews();
  try {
    writer.value(value);
  } catch (error) {
    throw error?.name === "DataCloneError" ? new Error(error.message) : error;
  }
  return asBuffer(writer.bytes.slice());
}

export function deserialize(bytes) {
  if (!ArrayBuffer.isView(bytes)) {
    throw invalidArgType("buffer", ["Buffer", "TypedArray", "DataView"], bytes);
  }
  return new Reader(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), readView).value();
}
