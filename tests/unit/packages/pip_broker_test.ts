/** The broker as a guest meets it, with a real index on loopback and a real cache on disk. */

import assert from "node:assert/strict";
import { DEFAULT_PACKAGES, type PackagesSettings } from "../../../src/config/packages_schema.ts";
import { packagesOperation, Shared } from "../../../src/packages/mod.ts";
import { HostOperations } from "../../../src/host_calls/operations.ts";
import { LocalIndex } from "../../support/packages/local_index.ts";
import { makeWheel, type Wheel } from "../../support/packages/wheel.ts";
import { sha256Hex } from "../../../src/packages/index/cache.ts";

interface Answer {
  page?: {
    files: { filename: string; url: string; hashes: { sha256: string }; yanked?: string | boolean }[];
  };
  leftOut?: Record<string, number>;
  size?: number;
  /** Those beside it. */
  bytes: Uint8Array;
  refused?: { reason: string; message: string };
}

/** A server's broker, a cache of its own, and sessions that ask it. */
class Fixture implements AsyncDisposable {
  readonly index = new LocalIndex();
  readonly cache = Deno.makeTempDirSync();

  /** What a session of a new server can ask. */
  session(
    settings: Partial<PackagesSettings> = {},
    env: Record<string, string> = {},
    files: Record<string, string> = {},
  ) {
    const operation = packagesOperation(
      new Shared(
        { ...DEFAULT_PACKAGES, indexUrl: this.index.url, cacheDirectory: this.cache, ...settings },
        { env: (name) => env[name], read: (path) => files[path] },
      ),
      () => Promise.resolve(undefined),
    );
    const { signal } = new AbortController();
    const operations = new HostOperations([operation], { principal: "p", sessionId: "s", signal });
    const raw = (request: unknown) => operations.call("packages", JSON.stringify(request));
    const ask = async (request: unknown): Promise<Answer> => {
      const answer = await raw(request);
      assert.ok(answer.ok, answer.ok ? "" : answer.message);
      return { ...JSON.parse(answer.json), bytes: answer.bytes ?? new Uint8Array(0) };
    };
    return {
      raw,
      project: (name: string) => ask({ kind: "project", name }),
      file: (sha256: string, offset = 0) => ask({ kind: "file", sha256, offset }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.index[Symbol.asyncDispose]();
    await Deno.remove(this.cache, { recursive: true });
  }
}

const reason = (answer: Answer) => answer.refused?.reason;

for (const format of ["html", "json"] as const) {
  Deno.test(`a project's page in ${format} becomes one of what can run here`, async () => {
    await using fixture = new Fixture();
    fixture.index.format = format;
    const good = await makeWheel("demo", "1.0", { requiresPython: ">=3.8" });
    const yanked = await makeWheel("demo", "1.1");
    const native = await makeWheel("demo", "1.2", { tag: "cp313-cp313-manylinux_2_17_x86_64" });
    const other = await makeWheel("demonic", "9.0");
    const source = { ...good, filename: "demo-1.3.tar.gz" };
    fixture.index.add("demo", good, { wheel: yanked, yanked: "broken" }, native, other, source);
    const { page, leftOut } = await fixture.session().project("demo");
    assert.deepEqual(page?.files, [
      {
        filename: good.filename,
        url: `../../files/${good.sha256}/${good.filename}`,
        hashes: { sha256: good.sha256 },
        "requires-python": ">=3.8",
      },
      {
        filename: yanked.filename,
        url: `../../files/${yanked.sha256}/${yanked.filename}`,
        hashes: { sha256: yanked.sha256 },
        yanked: "broken",
      },
    ]);
    assert.deepEqual(leftOut, { sources: 1, native: 1, unhashed: 0, denied: 0 });
  });
}

Deno.test("a file comes in pieces, and only once its project's page was asked for", async () => {
  await using fixture = new Fixture();
  const big = new Uint8Array(5_000_000);
  for (let at = 0; at < big.length; at += 60_000) crypto.getRandomValues(big.subarray(at, at + 60_000));
  const wheel = await makeWheel("big", "1.0", { more: [{ name: "big.bin", bytes: big }] });
  fixture.index.add("big", wheel);
  const session = fixture.session();
  assert.equal(reason(await session.file(wheel.sha256)), "not_found");
  await session.project("big");
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; bytes < wheel.bytes.length;) {
    pieces.push((await session.file(wheel.sha256, bytes)).bytes);
    bytes += pieces.at(-1)!.length;
  }
  assert.ok(pieces.length > 1);
  assert.deepEqual(new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()), wheel.bytes);
  assert.equal(fixture.index.requests.filter((path) => path.startsWith("/files/")).length, 1);
});

Deno.test("what a guest may ask is projects and hashes; URLs, paths and methods are not", async () => {
  await using fixture = new Fixture();
  const { raw } = fixture.session();
  const attempts = [
    { kind: "project", name: "../secret" },
    { kind: "project", name: "a/b" },
    { kind: "project", name: "Foo_Bar" },
    { kind: "project", name: "x".repeat(300) },
    { kind: "project", name: "demo", url: "http://127.0.0.1/" },
    { kind: "file", sha256: "../../etc/passwd" },
    { kind: "file", sha256: "0".repeat(64), offset: -1 },
    { kind: "get", url: fixture.index.url },
    { kind: "project", name: "demo", method: "POST" },
    [],
    null,
  ];
  for (const attempt of attempts) {
    const answer = await raw(attempt);
    assert.ok(!answer.ok && /bad request/.test(answer.message), JSON.stringify(attempt));
  }
  assert.deepEqual(fixture.index.requests, []);
});

Deno.test("a file that is not what the index says is refused, and not kept", async () => {
  await using fixture = new Fixture();
  const [promised, delivered] = [
    await makeWheel("demo", "1.0"),
    await makeWheel("demo", "1.0", { requires: ["evil"] }),
  ];
  fixture.index.add("demo", { wheel: delivered, sha256: promised.sha256 });
  const session = fixture.session();
  await session.project("demo");
  assert.equal(reason(await session.file(promised.sha256)), "hash_mismatch");
  assert.equal(reason(await session.file(promised.sha256)), "hash_mismatch");
});

Deno.test("nothing leads to another host: no link, no redirection, unless the operator names it", async () => {
  await using fixture = new Fixture();
  await using elsewhere = new LocalIndex();
  const wheel = await makeWheel("linked", "1.0");
  elsewhere.add("linked", wheel);
  fixture.index.add("linked", { wheel, url: `http://${elsewhere.host}/files/${wheel.filename}` });
  const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });
  fixture.index.special.set("/simple/moved/", to(`http://${elsewhere.host}/simple/linked/`));
  fixture.index.special.set("/simple/metadata-service/", to("http://169.254.169.254/latest/"));
  fixture.index.special.set("/simple/file/", to("file:///etc/passwd"));
  fixture.index.special.set("/simple/round/", to("/simple/round/"));
  fixture.index.special.set("/simple/near/", to("../linked/"));
  const session = fixture.session();
  for (const name of ["linked", "moved", "metadata-service", "file", "round"]) {
    assert.equal(reason(await session.project(name)), "bad_index", name);
  }
  assert.deepEqual(elsewhere.requests, []);
  const trusting = fixture.session({ fileHosts: [elsewhere.host] });
  assert.equal((await trusting.project("linked")).page?.files.length, 1);
  assert.equal((await trusting.file(wheel.sha256)).size, wheel.bytes.length);
  assert.equal(reason(await trusting.project("near")), undefined);
});

Deno.test("an endless answer ends at the bound, a silent one at its time", async () => {
  await using fixture = new Fixture();
  const wheel = await makeWheel("endless", "1.0");
  fixture.index.add("endless", wheel);
  const endless = () =>
    new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) }));
  fixture.index.special.set(`/files/${wheel.filename}`, endless);
  const silence: ReadableStreamDefaultController[] = [];
  fixture.index.special.set(
    "/simple/silent/",
    () => new Response(new ReadableStream({ start: (stream) => void silence.push(stream) })),
  );
  const session = fixture.session({ fileMaxBytes: 1_000_000 });
  await session.project("endless");
  assert.equal(reason(await session.file(wheel.sha256)), "too_large");
  const hasty = fixture.session({ downloadTimeoutMs: 300 });
  assert.equal(reason(await hasty.project("silent")), "offline");
  for (const stream of silence) stream.close();
});

Deno.test("what was downloaded once is there without the index, for another server too", async () => {
  await using fixture = new Fixture();
  const wheel = await makeWheel("demo", "1.0");
  fixture.index.add("demo", wheel);
  const online = fixture.session();
  await online.project("demo");
  await online.file(wheel.sha256);
  fixture.index.special.set("/simple/demo/", () => new Response(null, { status: 503 }));
  fixture.index.special.set("/simple/unseen/", () => new Response(null, { status: 503 }));
  const offline = fixture.session();
  assert.equal((await offline.project("demo")).page?.files.length, 1);
  assert.equal((await offline.file(wheel.sha256)).size, wheel.bytes.length);
  assert.equal(reason(await offline.project("unseen")), "offline");
});

Deno.test("damaged entries of the cache are fetched anew", async () => {
  await using fixture = new Fixture();
  const wheel = await makeWheel("demo", "1.0");
  fixture.index.add("demo", wheel);
  const before = fixture.session();
  await before.project("demo");
  await before.file(wheel.sha256);
  for (const { name } of Deno.readDirSync(fixture.cache)) {
    for (const entry of Deno.readDirSync(`${fixture.cache}/${name}`)) {
      const path = `${fixture.cache}/${name}/${entry.name}`;
      const bytes = Deno.readFileSync(path);
      bytes[bytes.length - 1]! ^= 1;
      Deno.writeFileSync(path, bytes);
    }
  }
  const after = fixture.session();
  assert.equal((await after.project("demo")).page?.files.length, 1);
  assert.deepEqual((await after.file(wheel.sha256)).bytes, wheel.bytes);
  assert.equal(fixture.index.requests.length, 4);
});

Deno.test("the cache keeps to its bound and drops what was not used for longest", async () => {
  await using fixture = new Fixture();
  const wheels: Wheel[] = [];
  for (let number = 0; number < 8; number++) {
    const bytes = crypto.getRandomValues(new Uint8Array(30_000));
    wheels.push(await makeWheel(`p${number}`, "1.0", { more: [{ name: "data", bytes }] }));
    fixture.index.add(`p${number}`, wheels[number]!);
  }
  const session = fixture.session({ cacheBytes: 150_000 });
  for (const [number, wheel] of wheels.entries()) {
    await session.project(`p${number}`);
    await session.file(wheel.sha256);
  }
  let bytes = 0;
  for (const { name } of Deno.readDirSync(fixture.cache)) {
    for (const entry of Deno.readDirSync(`${fixture.cache}/${name}`)) {
      bytes += Deno.statSync(`${fixture.cache}/${name}/${entry.name}`).size;
    }
  }
  assert.ok(bytes > 60_000 && bytes <= 150_000, `${bytes}`);
});

Deno.test("credentials go to the index alone, and are in no answer", async () => {
  await using fixture = new Fixture();
  await using files = new LocalIndex();
  const wheel = await makeWheel("private", "1.0");
  files.add("private", wheel);
  let told: string | null = "nobody asked";
  files.special.set(`/files/${wheel.filename}`, (request) => {
    told = request.headers.get("authorization");
    return new Response(wheel.bytes);
  });
  fixture.index.authorization = `Basic ${btoa("user:pa ss")}`;
  fixture.index.add("private", { wheel, url: `http://${files.host}/files/${wheel.filename}` });
  const indexUrl = fixture.index.url.replace("//", "//user:pa%20ss@");
  for (const settings of [{ indexUrl }, { indexUrl: null }]) {
    const session = fixture.session({ ...settings, fileHosts: [files.host] }, { PIP_INDEX_URL: indexUrl });
    const answers = [await session.project("private"), await session.file(wheel.sha256)];
    assert.equal(answers[1]?.size, wheel.bytes.length);
    assert.ok(!/pa(%20| )ss|127\.0\.0\.1/.test(JSON.stringify(answers)));
  }
  assert.equal(told, null);
  assert.equal(
    reason(await fixture.session({ cacheDirectory: `${fixture.cache}/other` }).project("private")),
    "bad_index",
  );
});

Deno.test("the index is the one of pip's configuration, but never of the working directory", async () => {
  await using fixture = new Fixture();
  fixture.index.add("demo", await makeWheel("demo", "1.0"));
  const conf = `[global]\nindex-url = ${fixture.index.url}\n`;
  const answer = (env: Record<string, string>, path: string) =>
    fixture.session({ indexUrl: null }, env, { [path]: conf }).project("demo");
  assert.equal((await answer({ HOME: "/home" }, "/home/.config/pip/pip.conf")).page?.files.length, 1);
  assert.equal((await answer({ PIP_CONFIG_FILE: "mine.conf" }, "mine.conf")).page?.files.length, 1);
  assert.equal(reason(await answer({ HOME: "." }, "./.config/pip/pip.conf")), "bad_index");
  assert.equal(reason(await answer({ XDG_CONFIG_HOME: "config" }, "config/pip/pip.conf")), "bad_index");
});

Deno.test("the operator's lists say which names and versions may be had", async () => {
  await using fixture = new Fixture();
  for (const name of ["one", "two", "three"]) {
    fixture.index.add(name, await makeWheel(name, "1.0"), await makeWheel(name, "2.0"));
  }
  const session = fixture.session({ allow: ["One", "two<2"], deny: ["one==2.*"] });
  const versions = async (name: string) =>
    (await session.project(name)).page?.files.map((file) => file.filename);
  assert.deepEqual(await versions("one"), ["one-1.0-py3-none-any.whl"]);
  assert.deepEqual(await versions("two"), ["two-1.0-py3-none-any.whl"]);
  assert.equal(reason(await session.project("three")), "denied");
  assert.equal(reason(await fixture.session({ enabled: false }).project("one")), "disabled");
});

Deno.test("a file that the lists forbid can't be had by its hash, nor its metadata, nor from the cache", async () => {
  await using fixture = new Fixture();
  fixture.index.format = "json";
  const [old, fresh] = [await makeWheel("foo", "1.0"), await makeWheel("foo", "2.0")];
  const metadata = new TextEncoder().encode("Metadata-Version: 2.1");
  const described = await sha256Hex(metadata);
  fixture.index.add("foo", { wheel: old, metadata: described }, fresh);
  fixture.index.special.set(`/files/${old.filename}.metadata`, () => new Response(metadata));
  const open = fixture.session();
  await open.project("foo");
  for (const known of [old.sha256, described]) {
    assert.ok((await open.file(known)).size, "it is in the cache now");
  }
  for (const lists of [{ deny: ["Foo<2"] }, { allow: ["foo>=2"] }]) {
    const session = fixture.session(lists);
    const { page, leftOut } = await session.project("foo");
    assert.deepEqual(page?.files.map(({ filename }) => filename), [fresh.filename]);
    assert.equal(leftOut?.["denied"], 1);
    for (const known of [old.sha256, described]) {
      const answer = await session.file(known);
      assert.equal(reason(answer), "not_found");
      assert.equal(
        answer.refused?.message,
        "this file is not permitted, or on no page of the index that was requested",
      );
    }
    assert.equal((await session.file(fresh.sha256)).size, fresh.bytes.length);
  }
  const nothing = fixture.session({ deny: ["foo"] });
  assert.equal(reason(await nothing.project("foo")), "denied");
  assert.equal(reason(await nothing.file(old.sha256)), "not_found");
});

Deno.test("a version that nobody can compare is denied by any rule about versions, and allowed by none", async () => {
  await using fixture = new Fixture();
  const odd = await makeWheel("odd", "1.0_final_x");
  fixture.index.add("odd", odd);
  const files = async (lists: Partial<PackagesSettings>) =>
    (await fixture.session(lists).project("odd")).page?.files.length;
  assert.equal(await files({}), 1);
  assert.equal(await files({ allow: ["odd"] }), 1);
  assert.equal(await files({ deny: ["odd<0.1"] }), 0);
  assert.equal(await files({ allow: ["odd>=0"] }), 0);
});

Deno.test("a session is given so many bytes and no more", async () => {
  await using fixture = new Fixture();
  const wheel = await makeWheel("demo", "1.0");
  fixture.index.add("demo", wheel);
  const session = fixture.session({ sessionBytes: 2 * wheel.bytes.length });
  await session.project("demo");
  const reasons = [];
  for (let time = 0; time < 3; time++) reasons.push(reason(await session.file(wheel.sha256)));
  assert.deepEqual(reasons, [undefined, undefined, "quota"]);
});
