const b = Buffer.from("héllo wörld");
console.log(
  b,
  b.length,
  b.toString("hex"),
  b.toString("base64"),
  b.slice(0, 3),
  b.indexOf("w"),
  b.equals(Buffer.from(b)),
);
const w = Buffer.alloc(16);
w.writeUInt32BE(0xdeadbeef, 0);
w.writeInt16LE(-2, 4);
w.writeDoubleBE(Math.PI, 8);
console.log(w, w.readUInt32BE(0).toString(16), w.readInt16LE(4), w.readDoubleBE(8));
try {
  w.readUInt32BE(14);
} catch (e) {
  console.log(e.name, e.code, e.message);
}
try {
  w.writeUInt8(300, 0);
} catch (e) {
  console.log(e.code, e.message);
}
console.log(
  Buffer.concat([Buffer.from("a"), Buffer.from("b")]),
  Buffer.compare(Buffer.from("a"), Buffer.from("b")),
  Buffer.byteLength("日本"),
  Buffer.isBuffer(b),
  JSON.stringify(Buffer.from("x")),
  [...Buffer.from([1, 2]).entries()],
  Buffer.from("ff", "hex")[0],
  b.subarray(1, 3).toString("latin1"),
  b.readUIntBE(0, 3),
  Buffer.from([256, -1, 1.9]),
  w.swap16().length,
  Buffer.alloc(3, "ab"),
  b.toString("utf8", 0, 2),
  Buffer.from(new Uint16Array([1, 256]).buffer),
  b.fill("z", 0, 2).toString(),
  Buffer.from("test").toJSON(),
  b.lastIndexOf("l"),
  b.includes("wör"),
  Buffer.alloc(60),
);
try {
  Buffer.from(5);
} catch (e) {
  console.log(e.code, e.message);
}
try {
  Buffer.alloc(-1);
} catch (e) {
  console.log(e.code, e.message);
}
console.log(
  new Blob(["a", "b"], { type: "text/plain" }),
  new File(["x"], "f.txt").name,
  atob("aGk="),
  btoa("hi"),
);
const dec = new (require("string_decoder").StringDecoder)("utf8");
console.log(dec.write(Buffer.from([0xe2, 0x82])) + dec.write(Buffer.from([0xac])) + dec.end());
new Blob(["héy"]).text().then(console.log);
console.log(
  w.readBigUInt64LE(0),
  new TextDecoder("utf-16le").decode(new Uint8Array([104, 0, 105, 0])),
  b.buffer.byteLength > 0,
  b.parent !== undefined,
);
