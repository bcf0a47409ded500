const crypto = require("node:crypto");

const sha = (data) => crypto.createHash("sha256").update(data).digest("hex");
console.log(sha("hello world"));
console.log(crypto.createHash("md5").update("hello").update(" ").update("world").digest("base64"));
console.log(crypto.createHmac("sha256", "secret").update("message").digest("hex"));

function merkle(leaves) {
  let level = leaves.map(sha);
  while (level.length > 1) {
    const next = [];
    for (let i = 0; i < level.length; i += 2) next.push(sha(level[i] + (level[i + 1] ?? level[i])));
    level = next;
  }
  return level[0];
}
console.log(merkle(["a", "b", "c", "d", "e"]));

const key = crypto.scryptSync("password", "salt", 32);
const iv = Buffer.alloc(16, 0);
const cipher = crypto.createCipheriv("aes-256-cbc", key, iv);
const encrypted = cipher.update("top secret", "utf8", "hex") + cipher.final("hex");
const decipher = crypto.createDecipheriv("aes-256-cbc", key, iv);
console.log(encrypted, decipher.update(encrypted, "hex", "utf8") + decipher.final("utf8"));
console.log(crypto.pbkdf2Sync("pw", "salt", 1000, 16, "sha512").toString("hex"));
console.log(crypto.randomBytes(16).length, crypto.randomUUID().length, crypto.randomInt(5, 6));
console.log(crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")));
