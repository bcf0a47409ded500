const header = Buffer.alloc(12);
header.write("WBOX", 0, "ascii");
header.writeUInt16BE(1, 4);
header.writeUInt32LE(0xdeadbeef, 6);
header.writeInt8(-5, 10);
console.log(header, header.toString("hex"));
console.log(
  header.toString("ascii", 0, 4),
  header.readUInt16BE(4),
  header.readUInt32LE(6).toString(16),
  header.readInt8(10),
);
const text = "Grüße, 世界 🌍";
const bytes = Buffer.from(text, "utf8");
console.log(bytes.length, Buffer.byteLength(text), bytes.toString("base64"), bytes.toString("base64url"));
console.log(
  Buffer.from(bytes.toString("base64"), "base64").equals(bytes),
  bytes.indexOf("世"),
  bytes.includes("Grü"),
);
const parts = Buffer.concat([
  Buffer.from([1, 2, 3]),
  Buffer.from("ff00", "hex"),
  Buffer.from(new Uint16Array([258]).buffer),
]);
console.log(
  parts,
  [...parts.subarray(2, 5)],
  parts.slice(-2),
  Buffer.compare(Buffer.from("a"), Buffer.from("b")),
);
console.log(JSON.stringify(Buffer.from("hi")), Buffer.isBuffer(parts), parts instanceof Uint8Array);
try {
  header.readUInt32BE(10);
} catch (error) {
  console.log(error.name, error.code);
}
const swapped = Buffer.from([1, 2, 3, 4]).swap16();
console.log(swapped, swapped.fill("ab"), Buffer.alloc(5, "xyz").toString());
const view = new DataView(new ArrayBuffer(8));
view.setFloat64(0, Math.PI);
console.log(Buffer.from(view.buffer).readDoubleBE().toFixed(5), new TextDecoder().decode(bytes) === text);
console.log(Buffer.from("€").toJSON(), String(Buffer.from("latin é", "latin1")));
