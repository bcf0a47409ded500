const crypto = require("crypto");
const {
  createHash,
  createHmac,
  randomBytes,
  randomUUID,
  randomInt,
  scryptSync,
  pbkdf2Sync,
  timingSafeEqual,
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  getHashes,
  webcrypto,
} = crypto;
console.log(
  createHash("md5").update("a").update("b").digest("hex"),
  createHash("sha512").update("x").digest("base64").slice(0, 20),
  createHmac("sha256", "k").update("d").digest("base64url"),
);
console.log(
  randomBytes(8).length,
  /^[0-9a-f-]{36}$/.test(randomUUID()),
  randomInt(5) < 5,
  scryptSync("p", "s", 16).toString("hex"),
  pbkdf2Sync("p", "s", 1000, 16, "sha1").toString("hex"),
);
console.log(timingSafeEqual(Buffer.from("a"), Buffer.from("a")));
try {
  timingSafeEqual(Buffer.from("a"), Buffer.from("ab"));
} catch (e) {
  console.log(e.code, e.message);
}
const key = Buffer.alloc(32, 1), iv = Buffer.alloc(16, 2);
const c = createCipheriv("aes-256-cbc", key, iv);
let enc = c.update("secret message", "utf8", "hex") + c.final("hex");
const d = createDecipheriv("aes-256-cbc", key, iv);
console.log(enc, d.update(enc, "hex", "utf8") + d.final("utf8"));
console.log(Buffer.from(hkdfSync("sha256", "key", "salt", "info", 16)).toString("hex"));
try {
  createHash("nope");
} catch (e) {
  console.log(e.message, e.code);
}
const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
console.log(
  crypto.verify(null, Buffer.from("m"), publicKey, crypto.sign(null, Buffer.from("m"), privateKey)),
  publicKey.asymmetricKeyType,
  publicKey.export({ type: "spki", format: "pem" }).split("\n")[0],
);
(async () => {
  const k = await webcrypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, [
    "encrypt",
    "decrypt",
  ]);
  const ivg = webcrypto.getRandomValues(new Uint8Array(12));
  const ct = await crypto.subtle.encrypt({ name: "AES-GCM", iv: ivg }, k, new TextEncoder().encode("hi"));
  console.log(
    ct.byteLength,
    new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: ivg }, k, ct)),
  );
  console.log(
    Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from("abc"))).toString("hex").slice(0, 16),
  );
  console.log(k);
})();
console.log(
  getHashes().includes("sha256"),
  crypto.getCiphers().includes("aes-128-gcm"),
  createHash("sha256").copy !== undefined,
  crypto.constants.RSA_PKCS1_PADDING,
);
