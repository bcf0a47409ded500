const b = Buffer.from("héllo wörld");
console.log(
  b,
  b.length,
  b.toString("hex"),
  b.toString("base64"),
  b.toString("latin1"),
  b.slice(0, 3),
  b.subarray(-3).toString(),
  b.indexOf("w"),
  b.includes("llo"),
  Buffer.compare(Buffer.from("a"), Buffer.from("b")),
  b.equals(Buffer.from("héllo wörld")),
  Buffer.byteLength("€"),
  Buffer.isBuffer(b),
  b.toJSON().data.length,
);
const w = Buffer.alloc(24);
w.writeUInt32BE(0xdeadbeef, 0);
w.writeInt16LE(-2, 4);
w.writeDoubleBE(Math.PI, 8);
w.writeBigUInt64LE(2n ** 40n, 16);
w.writeUInt8(255, 6);
console.log(
  w,
  w.readUInt32BE(0),
  w.readInt16LE(4),
  w.readDoubleBE(8),
  w.readBigUInt64LE(16),
  w.readUIntBE(0, 3),
  w.swap32 && w.toString("hex"),
);
for (
  const f of [
    () => w.readUInt8(99),
    () => w.writeUInt8(256, 0),
    () => Buffer.from(5),
    () => Buffer.alloc(-1),
    () => Buffer.from("zz", "nope"),
    () => w.readInt32LE(1.5),
  ]
) {
  try {
    f();
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
}
console.log(
  Buffer.concat([Buffer.from("a"), Buffer.from("bc")], 2),
  Buffer.from([256, -1, 1.7]),
  Buffer.from("ff0g", "hex"),
  Buffer.from("YQ", "base64"),
  Buffer.from("_-8", "base64url"),
  Buffer.alloc(5, "ab"),
  Buffer.from(new Uint16Array([1, 256]).buffer),
  Buffer.from("abc").fill("x", 1),
  Buffer.from("test").reverse().toString(),
  [...Buffer.from("ab").entries()],
  Buffer.from("a").buffer instanceof ArrayBuffer,
  Buffer.from("ümlaut", "latin1"),
  Buffer.from("hi", "utf16le"),
  Buffer.from("aGk", "base64").toString(),
  Buffer.poolSize,
  Buffer.from({ length: 2, 0: 7, 1: 8 }),
  new Uint8Array(b.buffer, b.byteOffset, 2),
  Buffer.from("x".repeat(60)),
  b.write("ZZ", 1),
  b.toString("utf8", 0, 4),
  b.copy(w, 0, 0, 2),
  b.lastIndexOf("l"),
  b.at(-1),
  Buffer.of(1, 2),
  Buffer.from("€").toString("binary"),
  Buffer.from("a\ud800b").toString("hex"),
);
const { StringDecoder } = require("string_decoder");
const sd = new StringDecoder("utf8");
console.log(
  sd.write(Buffer.from([0xe2, 0x82])) + "|" + sd.write(Buffer.from([0xac])) + "|" +
    sd.end(Buffer.from([0xe2])),
);
const dv = new DataView(new ArrayBuffer(8));
dv.setFloat32(0, 1.5);
dv.setBigInt64 && dv.setInt8(7, -1);
console.log(
  new Uint8Array(dv.buffer),
  Float32Array.from([1.1, 2]),
  new Float64Array([1e-10, NaN]),
  Int32Array.of(1, 2).map((x) => x * 2),
  new BigInt64Array(1),
  new Uint8ClampedArray([300, -5]),
  Uint8Array.from("123"),
  new Uint8Array([3, 1, 2]).sort().join("-"),
  new Uint8Array([1, 2, 3]).with?.(0, 9),
  Array.from(new Uint8Array([1, 2]).subarray(1)),
  structuredClone(new Uint16Array([5])),
  new SharedArrayBuffer(2).byteLength,
  ArrayBuffer.isView(dv),
);
const { transcode } = require("buffer");
console.log(
  transcode(Buffer.from("é"), "utf8", "latin1"),
  require("buffer").constants.MAX_LENGTH > 1e9,
  Buffer.from("abc").toString("ascii"),
  b.readUInt16BE(0).toString(2),
  Buffer.from([1, 2, 3]).readUIntLE(0, 3),
  b.hexSlice?.(0, 2),
  Buffer.from("test").toLocaleString(),
  JSON.stringify(Buffer.from("q")),
  String(Buffer.from("str")),
  Buffer.from("a") + "b",
  Buffer.from(Buffer.from("copy")).toString(),
  { b: Buffer.from("in obj") },
  [Buffer.alloc(2)],
);
