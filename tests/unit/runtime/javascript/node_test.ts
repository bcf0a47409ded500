/** Node's modules and globals, as programs use them. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
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
      "truncate", "unlink", "writeFile"]) note(name, () => fs[name + "Sync"]("", /File$/.test(name) && name !== "readFile" ? "x" : name === "chmod" ? 0 : undefined));
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
    "what a program finds around itself",
    `console.log(require.main === module, __filename, __dirname, import.meta.url, process.argv.length, process.cwd(), global === globalThis);`,
    "true /app/index.js /app file:///app/index.js 2 /app true\n",
  ],
  [
    "a Buffer has no mark of a package, by which programs refuse one",
    `console.log("TYPED_ARRAY_SUPPORT" in Buffer, "TYPED_ARRAY_SUPPORT" in require("buffer").Buffer);`,
    "false false\n",
  ],
  [
    "text is decoded from the web's encodings, in pieces too",
    `for (const [label, ...bytes] of [["shift_jis", 0x82, 0xa0], ["utf-16be", 0, 65, 0xd8, 0x3d, 0xde, 0], ["gbk", 0xc4, 0xe3], ["koi8-r", 0xc1], ["latin2", 0xb1], ["gb18030", 0, 65]]) {
      const decoder = new TextDecoder(label); console.log(decoder.encoding, JSON.stringify(decoder.decode(new Uint8Array(bytes))));
    }
    for (const [label, ...bytes] of [["utf-16le", 0x3d, 0xd8, 0x00, 0xde], ["utf-16be", 0xd8, 0x3d, 0xde, 0], ["euc-kr", 0xb0, 0xa1]]) {
      const decoder = new TextDecoder(label); console.log(bytes.map((byte) => decoder.decode(new Uint8Array([byte]), { stream: true })).join("") + decoder.decode());
    }
    try { new TextDecoder("no such") } catch (error) { console.log(error.name, error.code); }
    try { new TextDecoder("shift_jis", { fatal: true }).decode(new Uint8Array([0xff])) } catch (error) { console.log(error.name, error.code); }`,
    'shift_jis "あ"\nutf-16be "A😀"\ngbk "你"\nkoi8-r "а"\niso-8859-2 "ą"\ngb18030 "\\u0000A"\n😀\n😀\n가\n' +
    "RangeError ERR_ENCODING_NOT_SUPPORTED\nTypeError ERR_ENCODING_INVALID_ENCODED_DATA\n",
  ],
  [
    "a comma at a line's end is no difference",
    `try { require("assert").deepStrictEqual([1, 2, 3], [1, 2, 3, 4]); } catch (error) { console.log(error.message); }`,
    "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [\n    1,\n    2,\n    3,\n-   4\n  ]\n",
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
    "names that a program takes for itself are not taken from the modules",
    `const crypto = require("crypto"); import { setTimeout } from "node:timers/promises"; class Blob {} class Event {} const URL = 1; const process = 2;
    console.log(crypto.randomUUID().length, await new Response("x").blob() instanceof Blob, require("url").pathToFileURL("/a").href);
    const c = new AbortController(); c.abort(); await setTimeout(1); console.log(await require("util").promisify(require("fs").stat)("/app").then((s) => s.isDirectory()));`,
    "36 false file:///a\ntrue\n",
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

Deno.test("a suite that fails by its own text or hooks makes the exit code 1, and none of its tests has passed", async () => {
  for (const text of ["throw new Error('no');", "before(() => { throw new Error('no'); });"]) {
    const ran = await new Session().run(
      `const { describe, it, before, after } = require("node:test");
      describe("whole", () => { after(() => console.log("after")); it("one", () => console.log("ran")); describe("part", () => it("two", () => {})); ${text} });`,
    );
    assert.match(ran.stdout, /ℹ tests 2\nℹ suites 2\nℹ pass 0\nℹ fail 0\nℹ cancelled 2\n/);
    assert.doesNotMatch(ran.stdout, /^ran$/m);
    assert.match(ran.stdout, /^after$/m);
    assert.equal(ran.status === "exited" && ran.exitCode, 1);
  }
});

Deno.test("a program that fails ends with 1, whatever exit code it had set, and a signal to itself ends it as one does", async () => {
  const failed = await new Session().run(
    `process.exitCode = 99; process.on("exit", (code) => console.log(code, process.exitCode)); throw new Error("no")`,
  );
  assert.equal(failed.stdout, "1 1\n");
  const killed = await new Session().run(`process.kill(process.pid, "SIGTERM"); console.log("never")`);
  assert.deepEqual([killed.status === "exited" && killed.exitCode, killed.stdout], [128 + 15, ""]);
  const session = new Session();
  await session.run(`process.on("SIGTERM", () => console.log("of an earlier program"))`);
  const later = await session.run(`process.kill(process.pid, "SIGTERM")`);
  assert.equal(later.status === "exited" && later.exitCode, 128 + 15);
});

Deno.test("a program is not asked for ever at its end for a timer that it does not wait for", async () => {
  const ran = await new Session().stdout(
    `let times = 0; process.on("beforeExit", () => { console.log("end", ++times); setTimeout(() => {}, 1).unref(); if (times < 2) setTimeout(() => {}, 1); }); 0`,
  );
  assert.equal(ran, "end 1\nend 2\n");
});

Deno.test("timers of node:timers and its promises move with those that a test has in hand", async () => {
  const ran = await new Session().stdout(
    `const { mock } = require("node:test"); const timers = require("node:timers"); const promises = require("node:timers/promises");
    mock.timers.enable({ apis: ["setTimeout"] }); const told = [];
    timers.setTimeout(() => told.push("timer"), 3_600_000); promises.setTimeout(3_600_000, "promise").then((value) => told.push(value));
    mock.timers.tick(3_600_000); await null; console.log(told); mock.timers.reset(); console.log(await promises.setTimeout(1, "real"));`,
  );
  assert.equal(ran, "[ 'timer', 'promise' ]\nreal\n");
});
