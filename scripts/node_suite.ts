/**
 * Runs files of Node's own test suite, each in a fresh session, and writes rates into docs/measured/NODE_SUITE.md.
 *
 * Argument: the folder `test` of an unpacked Node (Debian: `apt-get source nodejs`), then names of parts to try instead
 * of all, which writes nothing. What fails in the Node that is installed here, by the same stand-in for the suite's
 * helpers, is not counted.
 */

import { writeMeasured } from "./measured.ts";
import { Session } from "../tests/support/javascript_harness.ts";

const PARTS = [
  "assert",
  "buffer",
  "event",
  "fs",
  "path",
  "querystring",
  "readline",
  "stream",
  "string-decoder",
  "timers",
  "url",
  "util",
  "whatwg-url",
  "zlib",
];
/** Enough for all of them; what loops ends by it. */
const FUEL = 3_000_000_000;
/** What a test needs that nothing but Node itself has. */
const INTERNAL =
  /\/\/ Flags:.*(?:--expose|--experimental|--pending|--no-|--zero|--allow-natives)|internal\/|internalBinding|process\.binding|require\('(?:node:)?(?:child_process|worker_threads|cluster|net|http|https|http2|dgram|dns|tls|vm|inspector|async_hooks)'\)/;

/** A stand-in for `test/common`, as far as these parts use it. */
const COMMON = String.raw`
const assert = require("assert");
const util = require("util");
const pending = [];
function count(fn, exact, field, name) {
  if (typeof fn === "number") { exact = fn; fn = () => {}; }
  const context = { expected: exact ?? 1, actual: 0, field, name: name ?? fn?.name ?? "<anonymous>", stack: new Error().stack };
  pending.push(context);
  const wrapped = function (...args) { context.actual++; return (fn ?? (() => {})).apply(this, args); };
  Object.defineProperties(wrapped, { name: { value: fn?.name ?? "", configurable: true }, length: { value: fn?.length ?? 0, configurable: true } });
  return wrapped;
}
process.on("exit", (code) => {
  if (code !== 0) return;
  for (const each of pending) {
    const bad = each.field === "exact" ? each.actual !== each.expected : each.actual < each.expected;
    if (bad) { console.error("mustCall " + each.name + " expected " + each.expected + " actual " + each.actual + "\n" + each.stack); process.exitCode = 1; }
  }
  if (process.exitCode === 1) process.exit(1);
});
const common = {
  mustCall: (fn, exact) => count(fn, exact, "exact"),
  mustCallAtLeast: (fn, least) => count(fn, least, "least"),
  mustSucceed: (fn, exact) => common.mustCall(function (err, ...args) { assert.ifError(err); if (typeof fn === "function") return fn.apply(this, args); }, exact),
  mustNotCall: (msg) => function () { assert.fail(msg ?? "function should not have been called"); },
  mustNotMutateObjectDeep: (x) => x,
  expectsError: (settings, exact) => common.mustCall((...args) => { const [error] = args; const s = { ...settings }; if (s.type && s.type.prototype !== undefined) { assert(error instanceof s.type); delete s.type; } assert.throws(() => { throw error; }, s); return true; }, exact),
  expectWarning() {},
  invalidArgTypeHelper(input) {
    if (input == null) return " Received " + input;
    if (typeof input === "function") return " Received function " + input.name;
    if (typeof input === "object") { if (input.constructor?.name) return " Received an instance of " + input.constructor.name; return " Received " + util.inspect(input, { depth: -1 }); }
    let inspected = util.inspect(input, { colors: false });
    if (inspected.length > 28) inspected = inspected.slice(0, 25) + "...";
    return " Received type " + typeof input + " (" + inspected + ")";
  },
  skip: (msg) => { console.log("1..0 # Skipped: " + msg); process.exit(0); },
  printSkipMessage() {}, platformTimeout: (ms) => typeof ms === "bigint" ? ms : Number(ms), allowGlobals() {}, crashOnUnhandledRejection() {}, disableCrashOnUnhandledRejection() {},
  isWindows: false, isLinux: true, isOSX: false, isIBMi: false, isAIX: false, isSunOS: false, isFreeBSD: false, isOpenBSD: false, isMacOS: false, isMainThread: true, isDumbTerminal: false, isInsideDirWithUnusualChars: false,
  hasCrypto: true, hasIntl: true, hasIPv6: false, hasOpenSSL3: true, hasFipsCrypto: false, enoughTestMem: false, enoughTestCpu: false, bits: "['64']", PORT: 0, localhostIPv4: "127.0.0.1", rootDir: "/", canCreateSymLink: () => true, isAlive: () => false, createZeroFilledFile: (f) => require("fs").writeFileSync(f, Buffer.alloc(10 * 1024 * 1024)),
  runWithInvalidFD: (f) => f(1000000), getCallSite: () => "", getArrayBufferViews(buf) { const { buffer, byteOffset, byteLength } = buf; return [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, DataView].filter((T) => byteLength % (T.BYTES_PER_ELEMENT ?? 1) === 0).map((T) => new T(buffer, byteOffset, byteLength / (T.BYTES_PER_ELEMENT ?? 1))); },
  getBufferSources: (buf) => [...common.getArrayBufferViews(buf), new Uint8Array(buf).buffer], getTTYfd: () => -1, nodeProcessAborted: () => false, spawnPromisified() {}, skipIfInspectorDisabled() { common.skip("no inspector"); }, skipIf32Bits() {}, skipIfEslintMissing() { common.skip("no eslint"); }, skipIfWorker() {}, defaultAutoSelectFamilyAttemptTimeout: 250,
};
module.exports = common;
`;
const TMPDIR =
  `const path = require("path"); const fs = require("fs"); exports.path = path.join(process.cwd(), ".tmp"); exports.refresh = () => { fs.rmSync(exports.path, { recursive: true, force: true }); fs.mkdirSync(exports.path, { recursive: true }); }; exports.resolve = (...p) => path.resolve(exports.path, ...p); exports.hasEnoughSpace = () => true;`;
const FIXTURES =
  `const path = require("path"); const fs = require("fs"); exports.fixturesDir = path.join(__dirname, "..", "fixtures"); exports.path = (...p) => path.join(exports.fixturesDir, ...p); exports.readSync = (p, e) => fs.readFileSync(exports.path(...[p].flat()), e); exports.readKey = (n, e) => exports.readSync(["keys", n], e);`;

const [folder, ...only] = Deno.args;
if (folder === undefined) throw new Error("which folder test of a Node?");
const files = [...Deno.readDirSync(`${folder}/parallel`)].map(({ name }) => name).filter((name) =>
  /^test-.*\.js$/.test(name)
).sort();
const fixtures = [...Deno.readDirSync(`${folder}/fixtures`)].filter(({ isFile }) => isFile).map(({ name }) =>
  name
);

/** Whether the installed Node passes a file, with the same helpers. */
async function passesNatively(name: string, text: string): Promise<boolean> {
  const root = await Deno.makeTempDir();
  try {
    for (const directory of ["parallel", "common", "fixtures"]) await Deno.mkdir(`${root}/${directory}`);
    await Deno.writeTextFile(`${root}/common/index.js`, COMMON);
    await Deno.writeTextFile(`${root}/common/tmpdir.js`, TMPDIR);
    await Deno.writeTextFile(`${root}/common/fixtures.js`, FIXTURES);
    for (const each of fixtures) {
      await Deno.copyFile(`${folder}/fixtures/${each}`, `${root}/fixtures/${each}`);
    }
    await Deno.writeTextFile(`${root}/parallel/${name}`, text);
    const { success } = await new Deno.Command("timeout", {
      args: ["20", "node", `${root}/parallel/${name}`],
      cwd: root,
      stdout: "null",
      stderr: "null",
      stdin: "null",
    }).output();
    return success;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** What comes of a file here; undefined if it passes. */
async function failure(name: string, text: string): Promise<string | undefined> {
  const session = new Session({ memoryBytes: 512 << 20 });
  for (const directory of ["test", "test/parallel", "test/common", "test/fixtures"]) {
    session.fs.mkdir(`/app/${directory}`);
  }
  session.write("/app/test/common/index.js", COMMON);
  session.write("/app/test/common/tmpdir.js", TMPDIR);
  session.write("/app/test/common/fixtures.js", FIXTURES);
  for (const each of fixtures) {
    session.fs.writeFile(`/app/test/fixtures/${each}`, await Deno.readFile(`${folder}/fixtures/${each}`));
  }
  session.write(`/app/test/parallel/${name}`, text);
  const ran = await session.run(`require("/app/test/parallel/${name}")`, { fuelBudget: FUEL });
  session.runtime.discard();
  if (ran.status === "completed" || ran.status === "exited" && ran.exitCode === 0) return undefined;
  return ran.status === "failed" ? ran.error.traceback : `${ran.status} ${ran.stderr}`;
}

const rows: string[] = [];
for (const part of PARTS) {
  if (only.length > 0 && !only.includes(part)) continue;
  let [passed, counted] = [0, 0];
  for (const name of files) {
    if (
      !name.startsWith(`test-${part}-`) && name !== `test-${part}.js` && !name.startsWith(`test-${part}s`)
    ) continue;
    const text = await Deno.readTextFile(`${folder}/parallel/${name}`);
    if (INTERNAL.test(text) || !await passesNatively(name, text)) continue;
    counted++;
    const failed = await failure(name, text);
    if (failed === undefined) passed++;
    else if (only.length > 0) console.error(`✖ ${name}: ${failed.slice(0, 600)}`);
  }
  rows.push(`| ${part} | ${counted} | ${passed} | ${Math.round(100 * passed / Math.max(1, counted))} % |`);
  console.error(rows.at(-1));
}
if (only.length === 0) {
  const table = ["| part | counted | pass | |", "| --- | --- | --- | --- |", ...rows].join("\n");
  await writeMeasured("NODE_SUITE", "scripts/node_suite.ts", table);
}
