/** Archives in the shell that are not what they say: a complaint, a code, and no other bytes. */

import { deepEqual, equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

const SETUP =
  "echo hello > a; echo there > b; gzip -k a; tar czf t.tgz a b; tar cf t.tar a b; zip -q z.zip a b";
/** Changes the check sum of the first entry, as the directory has it. */
const SPOIL = `python3 -c "z = bytearray(open('z.zip', 'rb').read()); z[z.find(b'PK\\1\\2') + 16] ^= 1; ` +
  `open('bad.zip', 'wb').write(z)"`;

for (
  const [what, script, stdout, exitCode, complaint] of [
    [
      "a gzip that is cut off",
      "head -c 12 a.gz | gunzip",
      "",
      1,
      /^gunzip: stdin: unexpected end of file\n$/,
    ],
    [
      "a gzip with another check sum",
      "(head -c -8 a.gz; printf ABCDEFGH) > c.gz; gzip -dk c.gz; x=$?; ls c; exit $x",
      "",
      1,
      /^gzip: c\.gz: invalid compressed data--crc error\n/,
    ],
    ["what is no gzip", "gzip -t a", "", 1, /^gzip: a: not in gzip format\n$/],
    [
      "a gzip that something follows",
      "(cat a.gz; echo more) | zcat",
      "hello\n",
      2,
      /decompression OK, trailing garbage ignored/,
    ],
    ["two gzips", "cat a.gz a.gz | zcat", "hello\nhello\n", 0, /^$/],
    [
      "a compressed tar that is cut off",
      "head -c 50 t.tgz | tar tz",
      "",
      2,
      /gzip: stdin: unexpected end of file/,
    ],
    ["a tar that is cut off", "head -c 1500 t.tar | tar t", "a\n", 2, /^tar: Unexpected EOF in archive\n/],
    ["what is no tar", "tar xf a", "", 2, /^tar: This does not look like a tar archive\n/],
    [
      "a zip with another check sum",
      `${SPOIL}; unzip -p bad.zip`,
      "there\n",
      2,
      /^error: {2}a: bad CRC [0-9a-f]{8} {2}\(should be [0-9a-f]{8}\)\n$/,
    ],
    [
      "the same, extracted",
      `${SPOIL}; unzip -q bad.zip -d out; x=$?; ls out; exit $x`,
      "b\n",
      2,
      /^error: {2}a: bad CRC/,
    ],
    [
      "the same, tested",
      `${SPOIL}; unzip -tq bad.zip`,
      "At least one error was detected in bad.zip.\n",
      2,
      /bad CRC/,
    ],
    ["a zip that is cut off", "head -c 60 z.zip > y.zip; unzip y.zip", "", 9, /the archive is damaged/],
  ] as const
) {
  Deno.test(`${what} is told, and no other bytes come out`, async () => {
    const shell = new Shell();
    await shell.out(SETUP);
    const ran = await shell.run(script);
    deepEqual([ran.stdout, ran.exitCode], [stdout, exitCode], ran.stderr);
    match(ran.stderr, complaint);
  });
}

Deno.test("zip packs what links lead to, once around where they go in a circle, and leaves out those that lead nowhere", async () => {
  const shell = new Shell();
  await shell.out(
    "mkdir -p a/b; echo text > a/b/f; ln -s b a/link; ln -s ../../a a/b/up; ln -s nowhere a/gone; ln -s b/f a/file",
  );
  equal(
    await shell.out("zip -qr z.zip a; unzip -Z1 z.zip | sort; unzip -p z.zip a/link/f a/file"),
    "a/\na/b/\na/b/f\na/file\na/link/\na/link/f\ntext\ntext\n",
  );
});

Deno.test("zip gives up on directories that all lead to each other, and the shell goes on", async () => {
  const shell = new Shell();
  const ran = await shell.run(
    "for d in $(seq 12); do mkdir -p t/$d; for e in $(seq 12); do ln -s ../$e t/$d/to$e; done; done; zip -qr z.zip t",
  );
  deepEqual([ran.exitCode !== 0, await shell.out("echo well; ls")], [true, "well\nt\n"]);
});
