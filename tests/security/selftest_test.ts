import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { checkAssets, readManifest } from "../../src/selftest/asset_hashes.ts";
import {
  type Display,
  type Execution,
  GAINS_NOTHING,
  python,
  raises,
  yields,
} from "../../src/selftest/attack.ts";
import { ATTACKS } from "../../src/selftest/attacks/mod.ts";
import { Canaries } from "../../src/selftest/canaries.ts";
import { judge, replyComplaints } from "../../src/selftest/judge.ts";
import type { Verdict } from "../../src/selftest/verdict.ts";
import { attackAll } from "../../src/selftest/mod.ts";
import { asText, passed, type SelftestReport } from "../../src/selftest/report.ts";
import { TemporaryDirectory } from "../../src/selftest/temporary_directory.ts";
import { MappedVolumes } from "../../src/selftest/volumes.ts";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";

/** `wasmbox selftest`, with what it needs beyond a server: a directory and a socket of its own. */
function selftestCommand(env: Record<string, string> = {}): Deno.Command {
  const { command, args } = serverCommand();
  const main = args.findIndex((argument) => argument.endsWith("main.ts"));
  const all = main < 0 ? args : args.toSpliced(main, 0, "--allow-write", "--allow-net");
  return new Deno.Command(command, {
    args: [...all, "selftest", "--json"],
    env,
    stdout: "piped",
    stderr: "piped",
  });
}

Deno.test({
  name: `[${UNDER_TEST}] no attack of the self-test gets through, and the assets are what was built`,
  fn: selftest,
});

async function selftest(): Promise<void> {
  const { stdout, stderr, code } = await selftestCommand().output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(text.startsWith("{"), new TextDecoder().decode(stderr).slice(-2000));
  const report = JSON.parse(text) as SelftestReport;
  assert.deepEqual(report.attacks.filter(({ ok }) => !ok), []);
  assert.deepEqual(report.assets.filter(({ ok }) => !ok), []);
  assert.ok(report.attacks.length >= 440, `${report.attacks.length} attacks`);
  assert.ok(report.assets.length >= 4, `${report.assets.length} assets`);
  assert.equal(code, 0);
}

const execution: Execution = {
  execution_id: "x",
  status: "completed",
  state: "kept",
  stdout: "",
  stderr: "",
  truncated: { stdout: false, stderr: false },
  result: "[]",
  error: null,
  notice: null,
  session_created: false,
  return_value: null,
  displays: [],
  displays_dropped: 0,
  images: [],
};

Deno.test("a program is refused only if it ended exactly as expected", () => {
  const error = { error_code: "PROGRAM_ERROR", type: "OSError", message: "no" };
  assert.equal(judge(execution, GAINS_NOTHING).refused, true);
  assert.equal(judge({ ...execution, result: "['root']" }, GAINS_NOTHING).refused, false);
  assert.equal(judge({ ...execution, result: "[] " }, yields("[]")).refused, false);
  assert.equal(judge({ ...execution, status: "crashed", result: null }, GAINS_NOTHING).refused, false);
  assert.equal(judge({ ...execution, status: "failed", error }, raises(/OSError/)).refused, true);
  assert.equal(judge({ ...execution, status: "failed", error }, raises(/KeyError/)).refused, false);
  assert.equal(judge(execution, raises(/OSError/)).refused, false);
  const cut = { says: "", status: ["completed"], truncated: ["stdout"] } as const;
  assert.equal(judge(execution, cut).refused, false);
});

Deno.test("a reply beyond its bounds, or of a defect, is complained about whatever was expected", () => {
  assert.deepEqual(replyComplaints(execution), []);
  assert.equal(replyComplaints({ ...execution, stdout: "x".repeat(2_000_000) }).length, 1);
  assert.equal(replyComplaints({ ...execution, result: "x".repeat(100_000) }).length, 1);
  const error = { error_code: "INTERNAL_ERROR", message: "x" };
  assert.equal(replyComplaints({ ...execution, error }).length, 1);
  assert.equal(replyComplaints({ ...execution, return_value: "x".repeat(1_000_000) }).length, 1);
});

Deno.test("displays beyond their bounds, and pictures that are none, are complained about", () => {
  const png = { mimeType: "image/png", data: "iVBORw0KGgoAAAANSUhEUg==" };
  const display = {
    mime_type: "image/png",
    size: 10,
    text: null,
    image: 0,
    width: 8,
    height: 8,
    path: null,
    note: null,
  };
  const complaints = (displays: Display[], images = [png]) =>
    replyComplaints({ ...execution, displays, images }).length;
  assert.equal(complaints([display]), 0);
  assert.equal(complaints(Array.from({ length: 21 }, () => display)), 1);
  assert.equal(complaints([{ ...display, size: 1_000_000 }]), 1);
  assert.equal(complaints([{ ...display, size: 1_000_000, path: ".display/1-1.png" }]), 0);
  assert.equal(complaints([{ ...display, width: 60_000 }]), 1);
  assert.equal(complaints([{ ...display, path: "../x.png" }]), 1);
  assert.equal(complaints([display], [{ ...png, mimeType: "image/svg+xml" }]), 1);
  assert.equal(complaints([display], [{ ...png, data: btoa("<svg>") }]), 1);
});

Deno.test("canaries tell a secret, a connection, a changed file and a new one", async () => {
  await using canaries = await Canaries.plant();
  canaries.watch("nothing of note");
  assert.deepEqual(await canaries.complaints(), []);

  canaries.watch(`{"result":"${canaries.environmentSecret}"}`);
  canaries.watch(`at ${Deno.execPath()}`);
  assert.equal((await canaries.complaints()).length, 2);
  assert.deepEqual(await canaries.complaints(), []);

  const connection = await Deno.connect({ hostname: "127.0.0.1", port: canaries.port });
  await connection.read(new Uint8Array(1)); // ends when it was accepted and closed
  connection.close();
  assert.deepEqual(await canaries.complaints(), ["a connection reached the host"]);

  await Deno.writeTextFile(canaries.hostFile, "changed");
  await Deno.writeTextFile(`${canaries.hostDirectory}/planted`, "");
  assert.equal((await canaries.complaints()).length, 2);
});

Deno.test("a volume that was changed, or filled, is told, and is afterwards as it was planted", async () => {
  await using canaries = await Canaries.plant();
  await using ground = await TemporaryDirectory.make();
  const volumes = await MappedVolumes.plant(ground.path, canaries);
  const at = (path: string) => `${volumes.directory}/${path}`;
  assert.deepEqual(await volumes.complaints(), []);

  await Deno.writeTextFile(at("writable/near/d/canary.txt"), "overwritten");
  await Deno.writeTextFile(at("writable/mine"), "");
  await Deno.remove(at("writable/up"));
  assert.deepEqual(await volumes.complaints(), []);
  assert.equal(await Deno.readTextFile(at("writable/near/d/canary.txt")), "known");
  await Deno.lstat(at("writable/up"));
  await assert.rejects(Deno.lstat(at("writable/mine")), Deno.errors.NotFound);

  await Deno.writeFile(at("narrow/f"), new Uint8Array(300_000));
  assert.match((await volumes.complaints()).join(), /^sessions filled a volume with 304096 bytes$/);
  await Deno.remove(at("narrow/f"));
  for (const path of ["readonly/new", "readonly/many/new", "foreign/new", "readonly/known.txt"]) {
    await Deno.writeTextFile(at(path), "changed");
    assert.equal((await volumes.complaints()).length, 1, path);
  }
  assert.deepEqual(await volumes.complaints(), []);
});

Deno.test({
  name: `[${UNDER_TEST}] told to end, the self-test leaves nothing behind`,
  ignore: Deno.build.os === "windows",
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "wasmbox-tmp-" });
    const names = () => Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
    const child = selftestCommand({ TMPDIR: directory }).spawn();
    const progress = child.stderr.getReader();
    await progress.read(); // it is attacking by then
    assert.equal((await names()).length, 1);
    child.kill("SIGTERM");
    assert.equal((await child.status).code, 130);
    await progress.cancel();
    assert.deepEqual(await names(), []);
    await child.stdout.cancel();
    await Deno.remove(directory);
  },
});

Deno.test({
  name: "an attack that succeeds is reported as one that got through, and the next is judged on its own",
  ignore: UNDER_TEST !== "source", // it starts the server of these sources
  async fn() {
    const attacks = [
      python("naming a secret that it was told", "$HOST_FILE", GAINS_NOTHING),
      python("a wrong expectation", "1", yields("2")),
      python("a program that says what it should", "[]", GAINS_NOTHING),
    ].map((attack) => ({ ...attack, family: "paths" as const }));
    const verdicts = await attackAll(attacks);
    assert.deepEqual(verdicts.map(({ ok }) => ok), [false, false, true]);
  },
});

function verdict(ok: boolean, more: Partial<Verdict> = {}): Verdict {
  return { family: "paths", name: "x", expected: "y", got: "z", complaints: [], ok, ms: 1, ...more };
}

Deno.test("a report passes only if something was attacked, nothing got through and all assets are right", () => {
  const asset = { name: "a", expected: "0", found: "0", ok: true };
  const report = (attacks: Verdict[], assets = [asset]) => ({ versions: {}, attacks, assets, seconds: 1 });
  assert.equal(passed(report([verdict(true)])), true);
  assert.equal(passed(report([])), false);
  assert.equal(passed(report([verdict(true), verdict(false)])), false);
  assert.equal(passed(report([verdict(true)], [{ ...asset, ok: false }])), false);
  assert.match(asText(report([verdict(true), verdict(false)])), /2 attacks, 1 through; .*: FAILED\n$/);
});

Deno.test("what a guest said can't act on the terminal of the report", () => {
  const got = "\x1b[2J\u202egot\r\n\u2028\x9b";
  const text = asText({
    versions: {},
    attacks: [verdict(false, { got, complaints: [got] })],
    assets: [],
    seconds: 1,
  });
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
});

Deno.test("an asset that was changed, or is missing, is told", async () => {
  const { files: built } = await readManifest();
  const [good, other] = ["quickjs.wasm", "DejaVuSans.ttf"].map((name) => built[name]!.sha256) as [
    string,
    string,
  ];
  const files = {
    "quickjs.wasm": { sha256: good },
    "DejaVuSans.ttf": { sha256: good },
    "missing.zip": { sha256: other },
    "missing.unmetered.wasm": { sha256: other },
  };
  const checks = await checkAssets({ build: "", versions: {}, files });
  assert.deepEqual(checks.map(({ name, ok, found }) => [name, ok, found]), [
    ["quickjs.wasm", true, good],
    ["DejaVuSans.ttf", false, other],
    ["missing.zip", false, undefined],
  ]);
});

Deno.test("every attack has a name of its own", () => {
  const names = ATTACKS.map(({ family, name, ...attack }) =>
    `${family}: ${name}: ${attack.kind === "program" ? attack.language : "calls"}`
  );
  assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
});

Deno.test("the docs name only files that exist", async () => {
  const root = new URL("../../", import.meta.url);
  const text = await Deno.readTextFile(new URL("docs/THREAT_MODEL.md", root));
  const paths = [...text.matchAll(/`((?:src|tests|wasm|scripts|config)\/[^`{}*]+)`/g)].map((match) =>
    match[1]!
  );
  assert.ok(paths.length > 20);
  for (const path of new Set(paths)) await Deno.stat(fileURLToPath(new URL(path, root)));
});
