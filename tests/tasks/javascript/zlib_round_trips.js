const zlib = require("zlib");
const { promisify } = require("util");
const input = Buffer.from("The quick brown fox ".repeat(50));
for (
  const [n, a, b] of [["gzip", zlib.gzipSync, zlib.gunzipSync], [
    "deflate",
    zlib.deflateSync,
    zlib.inflateSync,
  ], ["raw", zlib.deflateRawSync, zlib.inflateRawSync]]
) {
  const z = a(input, { level: 9 });
  console.log(n, z.length < 100, b(z).equals(input));
}
(async () => {
  const gz = promisify(zlib.gzip);
  const z = await gz("abc");
  console.log(z[0], z[1], (await promisify(zlib.unzip)(z)).toString());
  try {
    await promisify(zlib.gunzip)("junk");
  } catch (e) {
    console.log(e.code, e.errno, e.message);
  }
  try {
    zlib.inflateSync(zlib.deflateSync(input).subarray(0, 20));
  } catch (e) {
    console.log(e.code, e.message);
  }
  console.log(zlib.crc32?.("hello"), zlib.constants.Z_BEST_COMPRESSION);
  const g = zlib.createGzip();
  const out = [];
  g.on("data", (c) => out.push(c));
  g.on("end", () => console.log(zlib.gunzipSync(Buffer.concat(out)).toString()));
  g.write("part1 ");
  g.end("part2");
})();
