/** The broker of npm's registry as a guest meets it, with a real registry on loopback and a real cache on disk. */

import assert from "node:assert/strict";
import { DEFAULT_PACKAGES, type PackagesSettings } from "../../../src/config/packages_schema.ts";
import { npmOperation, Shared } from "../../../src/packages/mod.ts";
import { HostOperations } from "../../../src/host_calls/operations.ts";
import { LocalRegistry } from "../../support/packages/local_registry.ts";

interface Answer {
  tags?: Record<string, string>;
  versions?: Record<string, { integrity: string; obstacle: string | null }>;
  size?: number;
  refused?: { reason: string; message: string };
}

interface Machine {
  readonly settings?: Partial<PackagesSettings>;
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  /** Npm's own default. */
  readonly registry?: string;
}

/** What a session of a server on some machine can ask. */
function asker(cacheDirectory: string, { settings = {}, env = {}, files = {}, registry }: Machine) {
  const shared = new Shared({ ...DEFAULT_PACKAGES, cacheDirectory, ...settings }, {
    env: (name) => env[name],
    read: (path) => files[path],
  });
  const operation = npmOperation(
    shared,
    () => Promise.resolve(registry === undefined ? undefined : { registry }),
  );
  const { signal } = new AbortController();
  const operations = new HostOperations([operation], { principal: "p", sessionId: "s", signal });
  const raw = (request: unknown) => operations.call("npm", JSON.stringify(request));
  const ask = async (request: unknown): Promise<Answer> => {
    const answer = await raw(request);
    assert.ok(answer.ok, answer.ok ? "" : answer.message);
    return JSON.parse(answer.json);
  };
  return {
    raw,
    package: (name: string) => ask({ kind: "package", name }),
    file: (integrity: string, offset = 0) => ask({ kind: "file", integrity, offset }),
  };
}

async function withRegistry(
  test: (registry: LocalRegistry, ask: (machine?: Machine) => ReturnType<typeof asker>) => Promise<void>,
): Promise<void> {
  await using registry = new LocalRegistry();
  const caches: string[] = [];
  try {
    await test(registry, (machine = { settings: { npmRegistry: registry.url } }) => {
      const cache = Deno.makeTempDirSync();
      caches.push(cache);
      return asker(cache, machine);
    });
  } finally {
    for (const cache of caches) await Deno.remove(cache, { recursive: true });
  }
}

Deno.test("the registry is the one of the policy, else of npm's configuration, else npm's own", () =>
  withRegistry(async (registry, ask) => {
    await registry.publish({ name: "a", version: "1.0.0" });
    const nowhere = "http://127.0.0.1:9/";
    const npmrc = { "/home/.npmrc": `; mine\nregistry = "\${MIRROR}"\n` };
    const npm = "http://127.0.0.1:9/default/";
    for (
      const machine of [
        { settings: { npmRegistry: registry.url }, env: { NPM_CONFIG_REGISTRY: nowhere } },
        {
          env: { NPM_CONFIG_REGISTRY: registry.url.slice(0, -1), HOME: "/home" },
          files: npmrc,
          registry: npm,
        },
        { env: { npm_config_registry: registry.url }, registry: npm },
        { env: { HOME: "/home", MIRROR: registry.url }, files: npmrc, registry: npm },
        { files: { "/etc/npmrc": `registry=${registry.url}` }, registry: npm },
        { registry: registry.url },
      ]
    ) {
      assert.deepEqual((await ask(machine).package("a")).tags, { latest: "1.0.0" }, JSON.stringify(machine));
    }
    assert.equal((await ask({}).package("a")).refused?.reason, "bad_index");
    const relative = { env: { HOME: "." }, files: { "./.npmrc": `registry=${registry.url}` } };
    assert.equal((await ask(relative).package("a")).refused?.reason, "bad_index", "of the working directory");
    const plain = ask({ settings: { npmRegistry: "http://registry.example/" } });
    assert.match((await plain.package("a")).refused?.message ?? "", /must be an https URL/);
    const off = ask({ settings: { enabled: false, npmRegistry: registry.url } });
    assert.equal((await off.package("a")).refused?.reason, "disabled");
  }));

Deno.test("tokens go to the registry they are for, and are in no answer", () =>
  withRegistry(async (registry, ask) => {
    await registry.publish({ name: "a", version: "1.0.0" });
    const host = new URL(registry.url).host;
    const seen: (string | null)[] = [];
    registry.special.set("/npm/private", (request) => {
      seen.push(request.headers.get("authorization"));
      return new Response("{}", { status: 401 });
    });
    for (
      const line of [
        `//${host}/npm/:_authToken=secret`,
        `//${host}/:_auth=c2VjcmV0`,
        "//127.0.0.1:9/:_authToken=secret",
      ]
    ) {
      const files = { "/home/.npmrc": `registry=${registry.url}\n${line}` };
      const { refused } = await ask({ env: { HOME: "/home" }, files }).package("private");
      assert.match(refused?.message ?? "", /wants other credentials/);
      assert.doesNotMatch(JSON.stringify(refused), /secret|c2Vj/);
    }
    assert.deepEqual(seen, ["Bearer secret", "Basic c2VjcmV0", null]);
  }));

Deno.test("a mirror's own copy is taken where a package still names npm's default registry", () =>
  withRegistry(async (registry, ask) => {
    const canonical = "https://default.example/";
    await registry.publish({ name: "a", version: "1.0.0", tarball: `${canonical}a/-/a-1.0.0.tgz` });
    await registry.publish({ name: "b", version: "1.0.0" });
    const good = await ask().package("b");
    registry.special.set("/npm/a/-/a-1.0.0.tgz", () => new Response("not this one"));
    const mirror = ask({ settings: { npmRegistry: registry.url }, registry: canonical });
    const { versions } = await mirror.package("a");
    assert.equal((await mirror.file(versions!["1.0.0"]!.integrity)).refused?.reason, "hash_mismatch");
    assert.ok(registry.requests.includes("/npm/a/-/a-1.0.0.tgz"));
    assert.match((await ask().package("a")).refused?.message ?? "", /default\.example, which is neither/);
    // A file can be had by those alone whose server has seen a package name it.
    const integrity = good.versions!["1.0.0"]!.integrity;
    assert.equal((await mirror.file(integrity)).refused?.reason, "not_found");
  }));

Deno.test("what a guest may ask is what it says and no more", () =>
  withRegistry(async (registry, ask) => {
    await registry.publish({
      name: "a",
      version: "1.0.0",
      files: { big: crypto.getRandomValues(new Uint8Array(40_000)) },
    });
    const guest = ask({ settings: { npmRegistry: registry.url, sessionBytes: 20_000 } });
    for (
      const name of [
        "",
        "../a",
        "a/b",
        "@a",
        "@a/../b",
        ".a",
        "a b",
        "a?x",
        "a%2f",
        "__proto__",
        "x".repeat(300),
      ]
    ) {
      const answer = await guest.raw({ kind: "package", name });
      assert.ok(!answer.ok, name);
    }
    assert.deepEqual(registry.requests, []);
    const { versions } = await guest.package("a");
    const integrity = versions!["1.0.0"]!.integrity;
    assert.ok((await guest.file(integrity)).size! > 40_000);
    assert.equal((await guest.file(integrity)).refused?.reason, "quota");
    const small = ask({ settings: { npmRegistry: registry.url, fileMaxBytes: 10_000 } });
    await small.package("a");
    assert.equal((await small.file(integrity)).refused?.reason, "too_large");
  }));

Deno.test("a version that the lists forbid can't be had by its hash, nor under a name in capitals", () =>
  withRegistry(async (registry, ask) => {
    for (const version of ["1.0.0", "2.0.0", "odd"]) {
      await registry.publish({ name: "foo", version, files: { "index.js": `// ${version}` } });
    }
    await registry.publish({ name: "FOO", version: "1.0.0", files: { "index.js": "// 1.0.0" } });
    const all = (await ask().package("foo")).versions!;
    assert.deepEqual(Object.keys(all), ["1.0.0", "2.0.0", "odd"]);
    for (const lists of [{ npmDeny: ["foo@<2"] }, { npmAllow: ["foo@>=2", "FOO@>=2"] }]) {
      const guest = ask({ settings: { npmRegistry: registry.url, ...lists } });
      assert.deepEqual(Object.keys((await guest.package("foo")).versions!), ["2.0.0"]);
      assert.deepEqual((await guest.package("FOO")).versions, {});
      for (const version of ["1.0.0", "odd"]) {
        const { refused } = await guest.file(all[version]!.integrity);
        assert.equal(refused?.reason, "not_found", version);
        assert.match(refused.message, /^this file is not permitted, or of no package that was requested$/);
      }
      assert.ok((await guest.file(all["2.0.0"]!.integrity)).size);
    }
  }));
