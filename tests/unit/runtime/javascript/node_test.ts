/** Node's modules and globals, as programs use them. */

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
    "files are Buffers",
    `const fs = require("node:fs"); fs.writeFileSync("a.json", '{"x":1}');
    console.log(String(fs.readFileSync("a.json")), JSON.parse(fs.readFileSync("a.json")), fs.readFileSync("a.json"), Buffer.alloc(0));`,
    '{"x":1} { x: 1 } <Buffer 7b 22 78 22 3a 31 7d> <Buffer >\n',
  ],
  [
    "nothing is at the empty path, which is not that of the current directory",
    `const fs = require("fs"); const codes = {};
    const note = (name, call) => { try { call(); codes[name] = "done"; } catch (e) { codes[name] = e.code; } };
    for (const name of ["access", "appendFile", "chmod", "lstat", "mkdir", "open", "readdir", "readFile", "readlink", "rm", "rmdir", "stat",
      "truncate", "unlink", "writeFile"]) note(name, () => fs[name + "Sync"]("", /File$/.test(name) && name !== "readFile" ? "x" : undefined));
    note("recursive", () => fs.mkdirSync("", { recursive: true })); note("rename", () => fs.renameSync("", "x"));
    note("copy", () => fs.copyFileSync("", "x")); note("chdir", () => process.chdir("")); note("forced", () => fs.rmSync("", { force: true }));
    for (const [name, code] of Object.entries(codes)) if (code !== "ENOENT") console.log(name, code);
    console.log(fs.existsSync(""), fs.statSync("", { throwIfNoEntry: false }), fs.realpathSync("") === process.cwd());
    fs.exists("", (there) => console.log(there)); fs.createReadStream("").on("error", (e) => console.log(e.message));
    fs.promises.readdir("").catch((e) => console.log(e.message)); fs.promises.realpath("").catch((e) => console.log(e.code));`,
    "forced done\nfalse undefined true\nfalse\nENOENT: no such file or directory, scandir ''\nENOENT\n" +
    "ENOENT: no such file or directory, open ''\n",
  ],
  [
    "consoles write to streams of the program's, and tables are as wide as what they show",
    `const { Console } = require("console"); const other = new Console(process.stdout); other.group("g"); other.error("e"); other.groupEnd();
    other.table([{ a: "日本", b: "é" }]);`,
    "g\n  e\n┌─────────┬────────┬─────┐\n│ (index) │ a      │ b   │\n├─────────┼────────┼─────┤\n" +
    "│ 0       │ '日本' │ 'é' │\n└─────────┴────────┴─────┘\n",
  ],
  [
    "iterators of maps are shown with what they have left, which they still give",
    `const it = new Map([["a", 1], ["b", 2]]).keys(); console.log(it, new Set([1]).values()); console.log([...it]);
    console.log("a1".match(/(?<n>\\d)/));`,
    "[Map Iterator] { 'a', 'b' } [Set Iterator] { 1 }\n[ 'a', 'b' ]\n" +
    "[\n  '1',\n  '1',\n  index: 1,\n  input: 'a1',\n  groups: [Object: null prototype] { n: '1' }\n]\n",
  ],
  [
    "assert shows the call that failed, as the program has it",
    `const assert = require("assert"); for (const call of [() => assert(0), () => assert.ok(typeof 1 === "string)"),
      () => assert.strict(null), () => assert(false, "said")]) try { call(); } catch (e) { console.log(e.message, e.generatedMessage); }`,
    "The expression evaluated to a falsy value:\n\n  assert(0)\n true\n" +
    'The expression evaluated to a falsy value:\n\n  assert.ok(typeof 1 === "string)")\n true\n' +
    "The expression evaluated to a falsy value:\n\n  assert.strict(null)\n true\nsaid false\n",
  ],
  [
    "the call that assert shows ends where it does in the program",
    `const assert = require("assert"); const told = (call) => { try { call(); } catch (e) { console.log(e.message.split("\\n\\n")[1].trim()); } };
    told(() => assert.ok(/\\)/.test("x")));
    told(() => assert(\`\${"\`"}\` === ")" /* ) */));`,
    'assert.ok(/\\)/.test("x"))\nassert(`${"`"}` === ")" /* ) */)\n',
  ],
  [
    "a hash becomes a stream when it is used as one",
    `const { createHash } = require("crypto"); const { Readable, Transform } = require("stream");
    console.log(createHash("md5") instanceof Transform, Object.keys(createHash("md5")).length);
    for await (const text of Readable.from(["a", "b"]).pipe(createHash("md5").setEncoding("hex"))) console.log(text);`,
    "true 0\n187ef4436122d1cc2f40dc2b92f0eba0\n",
  ],
  [
    "iterators that give pairs are shown as entries",
    `console.log(new Map([["a", 1]]).entries(), new Set([1])[Symbol.iterator](), new Set([1]).entries(), new Map([["a", [1, 2]]]).values());`,
    "[Map Entries] { [ 'a', 1 ] } [Set Iterator] { 1 } [Set Entries] { [ 1, 1 ] } [Map Iterator] { [ 1, 2 ] }\n",
  ],
  [
    "a promise that gets a handler after it was told of is told of again",
    `process.on("unhandledRejection", (e) => console.log("without", e)); process.on("rejectionHandled", (p) => console.log(p === late));
    const late = Promise.reject(1); setTimeout(() => late.catch(() => {}), 1);`,
    "without 1\ntrue\n",
  ],
  [
    "a file that is not there has an URL",
    `console.log(import.meta.resolve("./missing.js").endsWith("/missing.js"), import.meta.resolve("fs"), import.meta.resolve("https://a.b/c"));`,
    "true node:fs https://a.b/c\n",
  ],
  [
    "promises that listeners reject are errors of an emitter that captures them",
    `const { EventEmitter } = require("events"); const e = new EventEmitter({ captureRejections: true });
    e.on("go", async () => { throw new Error("lost"); }); e.on("error", (error) => console.log(error.message)); e.emit("go");`,
    "lost\n",
  ],
  [
    "a program that has come to its end goes on as long as it begins something",
    `let n = 0; process.on("beforeExit", () => { if (n++ < 2) setTimeout(() => console.log("more", n), 1); });
    process.on("exit", (code) => console.log("exit", code));`,
    "more 1\nmore 2\nexit 0\n",
  ],
  [
    "a stream ends with its signal",
    `const { addAbortSignal, Readable } = require("stream"); const stop = new AbortController();
    addAbortSignal(stop.signal, new Readable({ read() {} })).on("error", (e) => console.log(e.name)); stop.abort();`,
    "AbortError\n",
  ],
  [
    "a part of a Buffer is written, not all of its bytes",
    `const fs = require("fs"); const b = Buffer.from("hello world"); fs.writeFileSync("p", b.subarray(6));
    console.log(fs.readFileSync("p", "utf8"), b.subarray(0, 5).toString());`,
    "world hello\n",
  ],
  [
    "bytes are text in every encoding, lenient as it is",
    `const from = (text, encoding) => Buffer.from(text, encoding).toString("hex");
    console.log(["YQ", "YQ=", "YQ==YQ==", "Y Q\\n=", "a-_b", "a-+b", "a", "YWJj\\0ZGVm", "ü"].map((text) => from(text, "base64")).join());
    console.log(["abc", "ab cd", "abzz", "aXbb", "ABCDEF", "ab\\0cd"].map((text) => from(text, "hex")).join());
    console.log(Buffer.from([255, 254, 253, 62]).toString("base64url"), JSON.stringify(Buffer.from("a\\0b\\x01c\\0é").toString()));
    for (const text of ["YQ=", "a", "ab-_", "YQ==\\0"]) try { atob(text); } catch (error) { console.log(error.name, error.message); }`,
    '61,61,61,61,6befdb,6bef9b,,616263646566,\nab,ab,ab,,abcdef,ab\n__79Pg "a\\u0000b\\u0001c\\u0000é"\n' +
    "InvalidCharacterError Invalid character\nInvalidCharacterError The string to be decoded is not correctly encoded.\n" +
    "InvalidCharacterError Invalid character\nInvalidCharacterError Invalid character\n",
  ],
  [
    "open files are read and written by position",
    `const fs = require("fs"); fs.writeFileSync("f", "0123456789"); const fd = fs.openSync("f", "r+");
    const b = Buffer.alloc(4); console.log(fs.readSync(fd, b, 0, 4, 3), b.toString(), fs.readSync(fd, b), b.toString());
    fs.writeSync(fd, "XY", 0); fs.closeSync(fd); console.log(fs.readFileSync("f", "latin1"));
    try { fs.closeSync(fd); } catch (e) { console.log(e.code); }`,
    "4 3456 4 0123\nXY23456789\nEBADF\n",
  ],
  [
    "streams of files",
    `import fs from "node:fs"; import { pipeline } from "node:stream/promises"; import { Transform } from "node:stream";
    fs.writeFileSync("in.txt", "abc\\n".repeat(3));
    const upper = new Transform({ transform(chunk, _e, done) { done(null, String(chunk).toUpperCase()); } });
    await pipeline(fs.createReadStream("in.txt"), upper, fs.createWriteStream("out.txt"));
    console.log(fs.readFileSync("out.txt", "utf8").length, await fs.promises.readFile("out.txt", "utf8"));`,
    "12 ABC\nABC\nABC\n\n",
  ],
  [
    "events, with errors that nobody listens to",
    `const { EventEmitter, once } = require("events"); class A extends EventEmitter {} const a = new A();
    a.on("x", (v) => console.log("on", v)); a.once("x", (v) => console.log("once", v)); console.log(a.emit("x", 1), a.emit("y"));
    try { a.emit("error", new Error("boom")); } catch (e) { console.log(e.message); }
    setTimeout(() => a.emit("z", 1, 2)); once(a, "z").then((v) => console.log(v));`,
    "on 1\nonce 1\ntrue false\nboom\n[ 1, 2 ]\n",
  ],
  [
    "gzip and back, and what is no gzip",
    `const zlib = require("zlib"); const z = zlib.gzipSync("hello ".repeat(100));
    console.log(z.length < 100, zlib.gunzipSync(z).toString().length, zlib.inflateSync(zlib.deflateSync("x")).toString());
    try { zlib.gunzipSync(Buffer.from("nope")); } catch (e) { console.log(e.code, e.message); }`,
    "true 600 x\nZ_DATA_ERROR incorrect header check\n",
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
  [
    "what a program finds around itself",
    `console.log(require.main === module, __filename, __dirname, import.meta.url, process.argv.length, process.cwd(), global === globalThis);`,
    "true /app/index.js /app file:///app/index.js 2 /app true\n",
  ],
  [
    "the web's classes",
    `const r = await new Response(JSON.stringify({ a: 1 }), { headers: { "X-A": "b" } }); console.log(r.headers.get("x-a"), await r.json());
    const stream = new Blob(["a,b"]).stream().pipeThrough(new TextDecoderStream()); for await (const t of stream) console.log(t);
    const c = new AbortController(); c.signal.onabort = () => console.log("aborted"); c.abort();
    try { await fetch("https://example.com"); } catch (e) { console.log(e.name, e.message.includes("no network")); }`,
    "b { a: 1 }\na,b\naborted\nTypeError true\n",
  ],
  [
    "a handle whose lines were read is closed, and a link that is copied leads where it led",
    `const fs = require("fs/promises"); await fs.writeFile("h.txt", "a\\nb\\n"); const file = await fs.open("h.txt");
    for await (const line of file.readLines()) console.log(line); console.log(file.fd); await file.close(); await file.close();
    await fs.mkdir("from"); await fs.symlink("../h.txt", "from/l"); await fs.cp("from", "to", { recursive: true }); console.log(await fs.readlink("to/l"));
    await fs.cp("from", "as", { recursive: true, verbatimSymlinks: true }); console.log(await fs.readlink("as/l"));`,
    "a\nb\n-1\n/app/h.txt\n../h.txt\n",
  ],
  [
    "what is not here says so, and what to do instead",
    `for (const f of [() => require("tls").connect(), () => require("fs").watch("."), () => require("zlib").brotliCompressSync("x")]) {
      try { f(); } catch (e) { console.log(e.code, /is not here: /.test(e.message)); } }`,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM true\n".repeat(3),
  ],
  [
    "%o and showHidden show what is not enumerable, and getters of a program's classes",
    `const util = require("util"); console.log("%o", { f: function foo() {}, b: [1, 2] });
    class A { static s = 1; m() {} get g() { return 1; } } console.log(util.inspect(A, { showHidden: true }), util.inspect(new A(), { showHidden: true }));
    for (const each of [new Uint8Array(1), Object("a"), /a/g, Object.defineProperty({}, "h", { value: 1 }), new Map(), Promise.resolve(4), () => 1]) console.log(util.inspect(each, { showHidden: true }));`,
    `{
  f: <ref *1> [Function: foo] {
    [length]: 0,
    [name]: 'foo',
    [arguments]: null,
    [caller]: null,
    [prototype]: { [constructor]: [Circular *1] }
  },
  b: [ 1, 2, [length]: 2 ]
}
<ref *1> [class A] {
  [length]: 0,
  [name]: 'A',
  [prototype]: {
    [constructor]: [Circular *1],
    [m]: [Function: m] { [length]: 0, [name]: 'm' },
    [g]: [Getter]
  },
  s: 1
} A { [g]: [Getter] }
Uint8Array(1) [
  0,
  [BYTES_PER_ELEMENT]: 1,
  [length]: 1,
  [byteLength]: 1,
  [byteOffset]: 0,
  [buffer]: ArrayBuffer { byteLength: 1 }
]
[String: 'a'] { [length]: 1 }
/a/g { [lastIndex]: 0 }
{ [h]: 1 }
Map(0) {}
Promise { 4 }
[Function (anonymous)] { [length]: 0, [name]: '' }
`,
  ],
  [
    "names that a program takes for itself are not taken from the modules",
    `const crypto = require("crypto"); import { setTimeout } from "node:timers/promises"; class Blob {} class Event {} const URL = 1; const process = 2;
    console.log(crypto.randomUUID().length, await new Response("x").blob() instanceof Blob, require("url").pathToFileURL("/a").href);
    const c = new AbortController(); c.abort(); await setTimeout(1); console.log(await require("util").promisify(require("fs").stat)("/app").then((s) => s.isDirectory()));`,
    "36 false file:///a\ntrue\n",
  ],
  [
    "what is put off comes in Node's order",
    `setTimeout(() => { console.log("timer"); process.nextTick(() => console.log("tick")); Promise.resolve().then(() => console.log("job")); });
    Promise.resolve().then(() => console.log("job")); process.nextTick(() => console.log("tick")); console.log("script");`,
    "script\ntick\njob\ntimer\ntick\njob\n",
  ],
  [
    "timers that nobody waits for do not keep a program going",
    `const timer = setInterval(() => console.log("never"), 1e6).unref(); console.log(timer.hasRef(), typeof +timer); AbortSignal.timeout(1e6);
    const short = setTimeout(() => console.log("short"), 2); const gone = setTimeout(() => console.log("gone"), 1); clearTimeout(+gone); short.refresh();`,
    "false number\nshort\n",
  ],
  [
    "every asynchronous function has its own store",
    `const { AsyncLocalStorage } = require("async_hooks"); const s = new AsyncLocalStorage();
    await s.run({ id: 1 }, async () => { await new Promise((r) => setTimeout(r, 1)); console.log(s.getStore()); }); console.log(s.getStore());
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)); const seen = [];
    await Promise.all([1, 2].map((id) => s.run(id, async () => { await null; await wait(id === 1 ? 30 : 1); seen.push(s.getStore()); await wait(60); seen.push(s.getStore()); })));
    console.log(seen, s.getStore());`,
    "{ id: 1 }\nundefined\n[ 2, 1, 2, 1 ] undefined\n",
  ],
  [
    "a store that is made while jobs run holds in those that follow at once",
    `import { AsyncLocalStorage } from "node:async_hooks"; await null; const s = new AsyncLocalStorage();
    await s.run(5, async () => { await null; console.log(s.getStore()); }); console.log(s.getStore());`,
    "5\nundefined\n",
  ],
  [
    "errors of the language say what V8 says, and those of promises what they are",
    `const words = [() => Math.max(1n), () => 1n + 1, () => [].reduce((a) => a), () => new Date(NaN).toISOString(), () => Map(), () => Promise(),
      () => { class A {} A(); }, () => { class B extends Object { constructor() { this.x; } } new B(); }, () => { const [a] = undefined; },
      () => (5).toPrecision(0), () => new Intl.NumberFormat("x")];
    for (const each of words) try { each(); } catch (error) { console.log(error.name + ": " + error.message); }
    await Promise.any([Promise.reject(1)]).catch((error) => console.log(error.message, error.errors));
    console.log(JSON.stringify(new AggregateError([1]).message), AggregateError([], "own").message, new AggregateError([]) instanceof AggregateError);
    try { structuredClone(new WeakMap()); } catch (error) { console.log(error instanceof DOMException, error.message); }`,
    "TypeError: Cannot convert a BigInt value to a number\nTypeError: Cannot mix BigInt and other types, use explicit conversions\n" +
    "TypeError: Reduce of empty array with no initial value\nRangeError: Invalid time value\nTypeError: Constructor Map requires 'new'\n" +
    "TypeError: Promise constructor cannot be invoked without 'new'\nTypeError: Class constructor A cannot be invoked without 'new'\n" +
    "ReferenceError: Must call super constructor in derived class before accessing 'this' or returning from derived constructor\n" +
    "TypeError: undefined is not iterable\n" +
    "RangeError: toPrecision() argument must be between 1 and 100\nRangeError: Incorrect locale information provided\n" +
    'All promises were rejected [ 1 ]\n"" own true\ntrue #<WeakMap> could not be cloned.\n',
  ],
  [
    "an error's stack begins with what it is, in the words that V8 has",
    `class Failed extends Error { constructor(message) { super(message); this.name = "Failed"; Error.captureStackTrace(this, Failed); } }
    console.log(new Failed("x").stack.split("\\n")[0], new TypeError("y").stack.split("\\n")[0]);
    try { null.x; } catch (e) { console.log(e.message, e.stack.split("\\n")[0]); }
    try { undefined.y = 1; } catch (e) { console.log(e.message); }
    try { new Array(-1); } catch (e) { console.log(e.message); }
    Error.prepareStackTrace = (_, sites) => sites.length > 0; console.log(new Error().stack); Error.prepareStackTrace = undefined;`,
    "Failed: x TypeError: y\nCannot read properties of null (reading 'x') TypeError: Cannot read properties of null (reading 'x')\n" +
    "Cannot set properties of undefined (setting 'y')\nInvalid array length\ntrue\n",
  ],
  [
    "what is only weakly held lives to the end of its job",
    `const ref = new WeakRef({ a: 1 }); console.log(ref.deref().a); setTimeout(() => console.log(ref.deref()), 1);
    console.log(Atomics.add(new Int32Array(2), 0, 5), Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1));`,
    "1\n0 timed-out\nundefined\n",
  ],
  [
    "a proxy is shown as what stands behind it, and its traps are not called",
    `const p = new Proxy({ a: 1 }, { get() { throw 1; }, ownKeys: () => ["z"] }); console.log(p, [p], require("util").types.isProxy(p));
    console.log(require("util").inspect(p, { showProxy: true }).replace(/\\s+/g, " "));`,
    "{ a: 1 } [ { a: 1 } ] true\nProxy [ { a: 1 }, { get: [Function: get], ownKeys: [Function: ownKeys] } ]\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(`Node's modules: ${name}`, async () => {
    assert.equal(await new Session().stdout(code), printed);
  });
}

Deno.test("ten megabytes are text in any encoding, and bytes again, in a heap of 256 MiB", async () => {
  const session = new Session({ memoryBytes: 256 << 20 });
  const printed = await session.stdout(`
    const bytes = Buffer.alloc(10e6, "0123456789");
    for (const encoding of ["utf8", "hex", "base64", "base64url", "latin1", "utf16le"]) {
      console.log(encoding, Buffer.from(bytes.toString(encoding), encoding).equals(bytes));
    }
    const zeros = Buffer.alloc(2e6); console.log(Buffer.from(zeros.toString()).equals(zeros));`);
  assert.equal(
    printed,
    "utf8 true\nhex true\nbase64 true\nbase64url true\nlatin1 true\nutf16le true\ntrue\n",
  );
});

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

Deno.test("tests of a run are not left out as an earlier run had one with only", async () => {
  const session = new Session();
  const first = await session.run(
    `const { test } = require("node:test"); test.only("first", () => {}); test("other", () => {});`,
  );
  assert.match(first.stdout, /✔ first.*\n﹣ other/);
  assert.match((await session.run(`test("second", () => {})`)).stdout, /^✔ second/);
});

Deno.test("open files, listeners and hashes go on in a later run", async () => {
  const session = new Session();
  await session.run(
    `h = require("crypto").createHash("sha256").update("a"); fs = require("fs"); fs.writeFileSync("f", "abc"); fd = fs.openSync("f")`,
  );
  assert.equal(
    await session.value(
      `b = Buffer.alloc(2); fs.readSync(fd, b); [b.toString(), h.update("b").digest("hex").slice(0, 8)]`,
    ),
    `[ 'ab', '${createHash("sha256").update("ab").digest("hex").slice(0, 8)}' ]`,
  );
});

Deno.test("a program is told that it ends, and may end with a code", async () => {
  const session = new Session();
  const ran = await session.run(
    `process.on("exit", (code) => console.log("end", code)); process.exitCode = 3; x = 1`,
  );
  assert.deepEqual([ran.status, ran.status === "exited" && ran.exitCode, ran.heap, ran.stdout], [
    "exited",
    3,
    "kept",
    "end 3\n",
  ]);
  const next = await session.run("console.log(x)");
  assert.deepEqual([next.status, next.stdout], ["completed", "1\n"]);
});

Deno.test("node:test tells of its tests in the program's own output", async () => {
  const ran = await new Session().run(
    `const { test } = require("node:test"); const assert = require("assert");
    test("good", () => {}); test("bad", () => assert.equal(1, 2)); test.skip("later"); test("within", async (t) => { await t.test("inner", () => {}); });`,
  );
  assert.match(
    ran.stdout,
    /✔ good .*\n✖ bad [^]*▶ within\n {2}✔ inner .*\n[^]*ℹ tests 5\n[^]*ℹ pass 3\nℹ fail 1\n[^]*ℹ skipped 1\n/,
  );
});
