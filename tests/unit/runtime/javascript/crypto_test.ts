/** `crypto`: what it computes is what others do, charged and in bounds. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  constants,
  createHash,
  createHmac,
  generateKeyPairSync,
  pbkdf2Sync,
  privateDecrypt,
  publicEncrypt,
  scryptSync,
  sign,
  verify,
} from "node:crypto";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "a hash becomes a stream when it is used as one",
    `const { createHash } = require("crypto"); const { Readable, Transform } = require("stream");
    console.log(createHash("md5") instanceof Transform, Object.keys(createHash("md5")).length);
    for await (const text of Readable.from(["a", "b"]).pipe(createHash("md5").setEncoding("hex"))) console.log(text);`,
    "true 0\n187ef4436122d1cc2f40dc2b92f0eba0\n",
  ],
  [
    "AES in parts, and what was changed",
    `const crypto = require("crypto"); const key = Buffer.alloc(32, 7); const iv = Buffer.alloc(12, 9);
    const c = crypto.createCipheriv("aes-256-gcm", key, iv); const text = c.update("hello ", "utf8", "hex") + c.update("world", "utf8", "hex") + c.final("hex");
    const open = (t) => { const d = crypto.createDecipheriv("aes-256-gcm", key, iv); d.setAuthTag(c.getAuthTag()); return d.update(t, "hex", "utf8") + d.final("utf8"); };
    console.log(open(text)); try { open("00" + text.slice(2)); } catch (e) { console.log(e.message); }`,
    "hello world\nUnsupported state or unable to authenticate data\n",
  ],
  [
    "keys that sign",
    `const crypto = require("crypto"); for (const [kind, options] of [["ed25519"], ["ec", { namedCurve: "prime256v1" }]]) {
      const { publicKey, privateKey } = crypto.generateKeyPairSync(kind, options); const data = Buffer.from("m");
      const again = crypto.createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }));
      const s = crypto.sign(kind === "ec" ? "sha256" : null, data, again);
      console.log(crypto.verify(kind === "ec" ? "sha256" : null, data, publicKey, s), crypto.verify(kind === "ec" ? "sha256" : null, Buffer.from("n"), publicKey, s)); }
    const { publicKey, privateKey } = crypto.generateKeyPairSync("rsa", { modulusLength: 1024, publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "pkcs1", format: "pem" } });
    const s = crypto.createSign("RSA-SHA256").update("m").sign(privateKey); console.log(crypto.createVerify("RSA-SHA256").update("m").verify(publicKey, s), crypto.createVerify("RSA-SHA256").update("n").verify(publicKey, s));
    console.log(crypto.privateDecrypt(privateKey, crypto.publicEncrypt(publicKey, Buffer.from("secret"))).toString(), privateKey.split("\\n")[0]);`,
    "true false\ntrue false\ntrue false\nsecret -----BEGIN RSA PRIVATE KEY-----\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(`Node's modules: ${name}`, async () => {
    assert.equal(await new Session().stdout(code), printed);
  });
}

Deno.test("keys and signatures of RSA are those of others", async () => {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 1024,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const session = new Session();
  const keys = `const [publicKey, privateKey] = ${JSON.stringify([pair.publicKey, pair.privateKey])};`;
  const made = await session.value(
    `${keys} const c = require("crypto"); const padding = c.constants.RSA_PKCS1_PSS_PADDING;
     JSON.stringify([c.sign("sha512", Buffer.from("m"), privateKey), c.sign("sha256", Buffer.from("m"), { key: privateKey, padding }), c.publicEncrypt(publicKey, Buffer.from("secret"))].map((each) => each.toString("hex")))`,
  );
  const [plain, pss, sealed] = JSON.parse(made!.slice(1, -1)).map((hex: string) => Buffer.from(hex, "hex"));
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  assert.equal(verify("sha512", Buffer.from("m"), pair.publicKey, plain), true);
  assert.equal(verify("sha256", Buffer.from("m"), { key: pair.publicKey, padding }, pss), true);
  assert.equal(privateDecrypt(pair.privateKey, sealed).toString(), "secret");
  const theirs = [
    sign("sha256", Buffer.from("m"), pair.privateKey),
    sign("sha384", Buffer.from("m"), { key: pair.privateKey, padding, saltLength: 20 }),
    publicEncrypt({ key: pair.publicKey, oaepHash: "sha256" }, Buffer.from("back")),
  ].map((each) => each.toString("hex"));
  assert.equal(
    await session.value(
      `const [a, b, d] = ${JSON.stringify(theirs)}.map((hex) => Buffer.from(hex, "hex"));
       [c.verify("sha256", Buffer.from("m"), publicKey, a), c.verify("sha384", Buffer.from("m"), { key: publicKey, padding, saltLength: 20 }, b),
        c.privateDecrypt({ key: privateKey, oaepHash: "sha256" }, d).toString(), c.verify("sha256", Buffer.from("x"), publicKey, a)]`,
    ),
    "[ true, true, 'back', false ]",
  );
});

Deno.test("hashes and keys are Node's, whatever the pieces they are given", async () => {
  const session = new Session();
  const text = "abc".repeat(100_000);
  const pieces = `const pieces = ["", "a", "b", "c".repeat(0)]; const text = "abc".repeat(100000);`;
  for (const name of ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3-256", "ripemd160"]) {
    const made = await session.value(
      `${pieces} const h = require("crypto").createHash("${name}"); for (let at = 0, n = 1; at < text.length; at += n, n = n * 3 % 1999 + 1) h.update(text.slice(at, at + n)); h.copy().digest("hex") === h.digest("hex") && require("crypto").createHash("${name}").update(text).digest("hex")`,
    );
    assert.equal(made, `'${createHash(name).update(text).digest("hex")}'`, name);
  }
  assert.equal(
    await session.value(
      `require("crypto").createHmac("sha512", "k".repeat(200)).update("data").digest("hex")`,
    ),
    `'${createHmac("sha512", "k".repeat(200)).update("data").digest("hex")}'`,
  );
  assert.equal(
    await session.value(`require("crypto").pbkdf2Sync("p", "s", 2500, 70, "sha1").toString("hex")`),
    `'${pbkdf2Sync("p", "s", 2500, 70, "sha1").toString("hex")}'`,
  );
  assert.equal(
    await session.value(`require("crypto").scryptSync("p", "s", 32, { N: 1024 }).toString("hex")`),
    `'${scryptSync("p", "s", 32, { N: 1024 }).toString("hex")}'`,
  );
});

Deno.test("what the host computes for a program is charged, and bounded", async () => {
  const session = new Session();
  const hash = (bytes: number) =>
    `require("crypto").createHash("sha256").update(Buffer.alloc(${bytes})).digest("hex").length`;
  const small = await session.run(hash(1));
  const large = await session.run(hash(10_000_000));
  assert.ok(large.fuelConsumed - small.fuelConsumed > 9_000_000, `${large.fuelConsumed}`);
  const spent = await session.run(`for (;;) require("crypto").pbkdf2Sync("p", "s", 1e6, 64, "sha512")`, {
    fuelBudget: 5_000_000,
  });
  assert.equal(spent.status, "out_of_fuel");
  assert.match(
    (await session.error(`require("crypto").scryptSync("p", "s", 64, { N: 2 ** 20, maxmem: 2 ** 40 })`))
      .message,
    /scrypt may use/,
  );
  const lanes = await session.error(`require("crypto").scryptSync("p", "s", 64, { N: 2, r: 1, p: 2 ** 19 })`);
  assert.match(lanes.message, /512 KiB for its lanes/);
  const out = await session.error(`require("crypto").scryptSync("p", "s", 2 ** 17)`);
  assert.match(out.message, /scrypt gives 64 KiB/);
  const mixed = await session.run(
    `require("crypto").scryptSync("p", "s", 64, { N: 65536, r: 8, p: 2, maxmem: 2 ** 30 })`,
    { fuelBudget: 5_000_000 },
  );
  assert.equal(mixed.status, "out_of_fuel");
});

Deno.test("what the host packs is charged and bounded, and unpacks to what it was", async () => {
  const session = new Session({ memoryBytes: 256 << 20 });
  for (const name of ["gzip", "deflate", "deflateRaw"]) {
    const back = name === "gzip" ? "gunzip" : name.replace("de", "in");
    const code = `z = require("zlib"); whole = Buffer.from("some text ".repeat(30000)).subarray(3);
      [0, 1, 6, 9].every((level) => z.${back}Sync(z.${name}Sync(whole, { level })).equals(whole)) && z.${back}Sync(z.${name}Sync("")).length`;
    assert.equal(await session.value(code), "0", name);
  }
  const ran = await session.run("z.gzipSync(Buffer.alloc(20e6))", { fuelBudget: 20_000_000 });
  assert.equal(ran.status, "out_of_fuel");
});
