/** What `node:zlib` says of what is damaged: never other bytes, and what Node says. */

import { deepEqual, equal } from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

const PRELUDE = `
  const zlib = require("zlib");
  const text = Buffer.from("to be or not to be, that is the question; to be ".repeat(3));
  const told = (f) => { try { return String(f()); } catch (e) { return e.code + " " + e.message; } };
  const flipped = (bytes, at, mask = 0xff) => { const b = Buffer.from(bytes); b[at] ^= mask; return b; };
`;
const EOF = "Z_BUF_ERROR unexpected end of file";

for (
  const [format, pack, unpack] of [
    ["gzip", "gzipSync", "gunzipSync"],
    ["zlib", "deflateSync", "inflateSync"],
    ["gzip or zlib", "gzipSync", "unzipSync"],
  ] as const
) {
  Deno.test(`no damage to ${format} makes other bytes of it, and what is cut off is refused`, async () => {
    const wrong = await new Session().value(`${PRELUDE}
      const packed = zlib.${pack}(text); const wrong = [];
      for (let n = 0; n < packed.length; n++) {
        const cut = told(() => zlib.${unpack}(packed.subarray(0, n)));
        if (cut !== "${EOF}") wrong.push([n, cut]);
        for (const mask of [1, 8, 128, 255]) {
          const found = told(() => zlib.${unpack}(flipped(packed, n, mask)));
          if (found !== String(text) && !/^Z_(DATA|BUF|NEED_DICT)/.test(found)) wrong.push([n, mask, found]);
        }
      }
      JSON.stringify(wrong)`);
    equal(wrong, "'[]'");
  });
}

Deno.test("a raw stream that is cut off is refused", async () => {
  const told = await new Session().value(`${PRELUDE}
    const packed = zlib.deflateRawSync(text);
    [...new Set([...packed.keys()].map((n) => told(() => zlib.inflateRawSync(packed.subarray(0, n)))))].join()`);
  equal(told, `'${EOF}'`);
});

/** As Node 20 has it. */
const SAID: readonly (readonly [code: string, said: string])[] = [
  ["zlib.gunzipSync(flipped(a, 0))", "Z_DATA_ERROR incorrect header check"],
  ["zlib.gunzipSync(flipped(a, 2))", "Z_DATA_ERROR unknown compression method"],
  ["zlib.gunzipSync(flipped(a, 3))", "Z_DATA_ERROR unknown header flags set"],
  ["zlib.gunzipSync(flipped(a, 8))", "abc"],
  ["zlib.gunzipSync(flipped(a, a.length - 6))", "Z_DATA_ERROR incorrect data check"],
  ["zlib.gunzipSync(flipped(a, a.length - 2))", "Z_DATA_ERROR incorrect length check"],
  ["zlib.inflateSync(flipped(d, d.length - 1))", "Z_DATA_ERROR incorrect data check"],
  ["zlib.gunzipSync('')", EOF],
  ["zlib.gunzipSync(Buffer.concat([a, b, Buffer.alloc(10)]))", "abcdef"],
  ["zlib.gunzipSync(Buffer.concat([a, Buffer.from('garbage')]))", "Z_DATA_ERROR incorrect header check"],
  [
    "zlib.gunzipSync(Buffer.concat([a, Buffer.from([31, 139, 255])]))",
    "Z_DATA_ERROR unknown compression method",
  ],
  ["zlib.gunzipSync(Buffer.concat([a, Buffer.from([0, 1, 2])]))", "abc"],
  ["zlib.gunzipSync(Buffer.concat([a, Buffer.from([31])]))", EOF],
  ["zlib.gunzipSync(a.subarray(0, -9), { finishFlush: zlib.constants.Z_SYNC_FLUSH })", "abc"],
  ["zlib.inflateSync(Buffer.concat([d, Buffer.from('garbage')]))", "abc"],
  ["zlib.unzipSync(d) + zlib.unzipSync(Buffer.concat([a, b]))", "abcabcdef"],
  ["zlib.unzipSync(a.subarray(0, 1))", EOF],
  ["zlib.inflateSync(zlib.deflateSync('abcabc', { dictionary: a }))", "Z_NEED_DICT Missing dictionary"],
  [
    "zlib.inflateSync(zlib.deflateSync('abcabc', { dictionary: a }), { dictionary: b })",
    "Z_NEED_DICT Bad dictionary",
  ],
  ["zlib.inflateSync(zlib.deflateSync('abcabc', { dictionary: text }), { dictionary: text })", "abcabc"],
  ["zlib.inflateSync(d, { dictionary: text })", "abc"],
  [
    "zlib.gunzipSync(a, { maxOutputLength: 2 })",
    "ERR_BUFFER_TOO_LARGE Cannot create a Buffer larger than 2 bytes",
  ],
  ["[zlib.crc32('hello'), zlib.crc32(Buffer.from('lo'), zlib.crc32('hel'))]", "907060870,907060870"],
  ["zlib.crc32(Buffer.alloc(3000000, 7))", "2744656474"],
  [
    "zlib.crc32(5)",
    'ERR_INVALID_ARG_TYPE The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received type number (5)',
  ],
];

Deno.test("what is said of an archive is what Node says", async () => {
  const session = new Session();
  await session.run(
    `${PRELUDE} const a = zlib.gzipSync("abc"), b = zlib.gzipSync("def"), d = zlib.deflateSync("abc");`,
  );
  for (const [code, said] of SAID) {
    equal(await session.stdout(`console.log(told(() => ${code}))`), `${said}\n`, code);
  }
});

Deno.test("streams say it too, however they are cut into pieces", async () => {
  const lines = await new Session().stdout(`${PRELUDE}
    const a = zlib.gzipSync("abc"), b = zlib.gzipSync("def"), both = Buffer.concat([a, b]);
    const bytes = (whole) => [...whole].map((byte) => Buffer.from([byte]));
    const read = (stream, chunks) => new Promise((done) => {
      let out = ""; stream.on("data", (chunk) => out += chunk);
      stream.on("end", () => done("end " + out)); stream.on("error", (e) => done(e.code + " " + e.message + " " + out));
      for (const chunk of chunks) stream.write(chunk); stream.end();
    });
    console.log(await read(zlib.createGunzip(), [a, b]));
    console.log(await read(zlib.createGunzip(), bytes(both)));
    console.log(await read(zlib.createUnzip(), bytes(both)));
    console.log(await read(zlib.createInflate(), bytes(zlib.deflateSync(text))) === "end " + text);
    console.log(await read(zlib.createGunzip(), []));
    console.log(await read(zlib.createGunzip(), [a.subarray(0, -3)]));
    console.log(await read(zlib.createGunzip({ finishFlush: 2 }), [a.subarray(0, -3)]));
    console.log(await read(zlib.createGunzip(), [a, Buffer.from("garbage")]));
    console.log(await read(zlib.createGunzip(), [flipped(a, a.length - 6)]));
    const web = async (packed) => { try {
      return await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    } catch (e) { return e.name + " " + e.message; } };
    console.log(await web(a)); console.log(await web(a.subarray(0, -3))); console.log(await web(flipped(a, a.length - 6)));
  `);
  deepEqual(lines.trimEnd().split("\n"), [
    "end abcdef",
    "end abcdef",
    "end abcdef",
    "true",
    `${EOF} `,
    `${EOF} abc`,
    "end abc",
    "Z_DATA_ERROR incorrect header check abc",
    "Z_DATA_ERROR incorrect data check abc",
    "abc",
    "TypeError unexpected end of file",
    "TypeError incorrect data check",
  ]);
});

Deno.test("large data goes through whole", async () => {
  equal(
    await new Session().value(`${PRELUDE}
      const large = Buffer.from(Array.from({ length: 300000 }, (_, i) => i * i >> 3));
      [zlib.gunzipSync(zlib.gzipSync(large)), zlib.inflateSync(zlib.deflateSync(large)), zlib.inflateRawSync(zlib.deflateRawSync(large, { level: 0 }))].every((each) => each.equals(large))`),
    "true",
  );
});

Deno.test("Brotli is unpacked, also from a stream, with what is damaged refused; packing says what to use instead", async () => {
  const told = await new Session().value(`${PRELUDE}
    const packed = Buffer.from("G/4A+J0Htq0mN+Rvd44sKGoQup3hKfdWlmeftinm9taFBDPQgLoBIYIJSTeZDpyRgjMM/4U=", "base64");
    const whole = zlib.brotliDecompressSync(packed).toString();
    const parts = [];
    for await (const part of require("stream").Readable.from([packed.subarray(0, 9), packed.subarray(9)]).pipe(zlib.createBrotliDecompress())) parts.push(part);
    const cut = [...packed.keys()].map((n) => told(() => zlib.brotliDecompressSync(packed.subarray(0, n))));
    JSON.stringify([whole === "to be or not to be, that is the question; größer ".repeat(5), Buffer.concat(parts).toString() === whole,
      cut.every((each) => /^(Z_BUF_ERROR|ERR_BROTLI)/.test(each)), told(() => zlib.brotliDecompressSync(packed, { maxOutputLength: 100 })),
      /gzip/.test(told(() => zlib.brotliCompressSync("x"))),
      ["GwoAACRAapBNavKcLg==", "GwIAACRAapBFavKcLg=="].map((damaged) => told(() => zlib.brotliDecompressSync(Buffer.from(damaged, "base64"))))])`);
  equal(
    told,
    `'[true,true,true,"ERR_BUFFER_TOO_LARGE Cannot create a Buffer larger than 100 bytes",true,` +
      `["ERR_BROTLI_DECODER_ERROR Decompression failed","ERR_BROTLI_DECODER_ERROR Decompression failed"]]'`,
  );
});
