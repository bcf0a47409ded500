import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { ensureAssets, readManifest, recipeDigest } from "../../../scripts/assets/mod.ts";
import { filesBelow, sha256 } from "../../../scripts/assets/digest.ts";
import { AssetsError } from "../../../scripts/assets/errors.ts";
import { withLock } from "../../../scripts/assets/lock.ts";
import { filesPresent, MANIFEST } from "../../../scripts/assets/manifest.ts";
import { dist, repository } from "../../../scripts/assets/paths.ts";
import { run } from "../../../scripts/assets/process.ts";
import { publish } from "../../../scripts/assets/publish.ts";
import { INPUTS } from "../../../scripts/assets/recipe.ts";
import { StageStore } from "../../../scripts/assets/store.ts";

async function withDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await body(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function namesIn(directory: string): Promise<string[]> {
  const names = [];
  for await (const { name } of Deno.readDir(directory)) names.push(name);
  return names.sort();
}

/** Runs a script in another process until it prints something, then kills it in the middle of what it does. */
async function killedInTheMiddle(script: string): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-config", "--ext=ts", "--allow-read", "--allow-write", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script));
  await writer.close();
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  assert.equal(done, false, "the script ended before it got there");
  child.kill("SIGKILL");
  await reader.cancel();
  assert.equal((await child.status).signal, "SIGKILL");
}

const assetsModule = (name: string) =>
  JSON.stringify(new URL(`../../../scripts/assets/${name}`, import.meta.url).href);

/** Name, compression method and size of each entry of a zip (APPNOTE 4.3.12). */
function zipEntries(zip: Uint8Array): { name: string; method: number; bytes: number }[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = zip.length - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  const entries = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const length = view.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(zip.subarray(at + 46, at + 46 + length)),
      method: view.getUint16(at + 10, true),
      bytes: view.getUint32(at + 24, true),
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

Deno.test("the manifest agrees with the files on disk", async () => {
  const manifest = await ensureAssets();
  assert.deepEqual(await readManifest(dist), manifest);
  assert.equal(manifest.recipe, await recipeDigest());
  for (const [name, version] of Object.entries(manifest.versions)) assert.match(version, /\d/, name);
  assert.match(manifest.versions["cpython"] ?? "", /^3\.13\./);
  const files = Object.keys(manifest.files);
  assert.deepEqual((await namesIn(dist)).filter((name) => name !== MANIFEST), files.sort());
  for (
    const name of [
      "python.wasm",
      "python.unmetered.wasm",
      "quickjs.wasm",
      "python-stdlib.zip",
      "python.image",
      "javascript.memory",
    ]
  ) {
    assert.ok(files.includes(name), name);
  }
  for (const [name, expected] of Object.entries(manifest.files)) {
    const bytes = await Deno.readFile(join(dist, name));
    assert.deepEqual({ bytes: bytes.length, sha256: sha256(bytes) }, expected, name);
  }
});

Deno.test("python.wasm exports what images and the host's calls need", async () => {
  await ensureAssets();
  for (const name of ["python.wasm", "python.unmetered.wasm"]) {
    const module = await WebAssembly.compile(await Deno.readFile(join(dist, name)));
    const exports = new Map(WebAssembly.Module.exports(module).map((entry) => [entry.name, entry.kind]));
    assert.equal(exports.get("__stack_pointer"), "global", name);
    assert.equal(exports.get("memory"), "memory", name);
    for (const entry of ["malloc", "free", "_initialize"]) {
      assert.equal(exports.get(entry), "function", entry);
    }
    assert.ok(!exports.has("_start"), "a reactor has no _start");
  }
});

Deno.test("the stdlib zip is stored, complete and without tests", async () => {
  await ensureAssets();
  const entries = zipEntries(await Deno.readFile(join(dist, "python-stdlib.zip")));
  const names = new Set(entries.map(({ name }) => name));
  for (const name of ["os", "json/__init__", "sqlite3/__init__", "_sysconfigdata__wasi_wasm32-wasi"]) {
    assert.ok(names.has(`${name}.pyc`), name);
  }
  assert.deepEqual(entries.filter(({ method }) => method !== 0), []);
  assert.deepEqual([...names].filter((name) => /(^|\/)(test|tests|idlelib)\//.test(name)), []);
});

Deno.test("the zips of packages are deflated bytecode and data, without native code, sources and tests", async () => {
  const { packages } = await ensureAssets();
  for (const name of ["bundled", "tzdata", "pip"]) {
    const entries = zipEntries(await Deno.readFile(join(dist, `python-${name}.zip`)));
    assert.deepEqual(entries.filter(({ method, bytes }) => method !== 8 && bytes > 0), []);
    const names = entries.map((entry) => entry.name);
    assert.deepEqual(names.filter((name) => /\.(so|py|exe)$|(^|\/)tests\//.test(name)), []);
  }
  for (const { name, source } of packages) {
    assert.match(source, /^Debian [a-z0-9-]+ \d|^(wheel|source), sha256 [0-9a-f]{64}$/, name);
  }
});

Deno.test("the licences name every embedded library", async () => {
  const manifest = await ensureAssets();
  const text = await Deno.readTextFile(join(dist, "THIRD_PARTY_LICENSES.txt"));
  for (
    const name of [
      "CPython",
      "expat",
      "libmpdec",
      "HACL*",
      "zlib",
      "bzip2",
      "liblzma",
      "SQLite",
      "wasi-libc",
      "QuickJS-ng",
      "DejaVu fonts",
    ]
  ) {
    assert.ok(text.includes(name), name);
  }
  for (const { name, source, licence } of [...manifest.packages, manifest.pip]) {
    assert.ok(text.includes(`\n${name} (${source})\nLicence: ${licence}\n`), name);
  }
});

Deno.test("the recipe's digest changes with contents, names and new files, and only with what is built", async () => {
  await withDirectory(async (checkout) => {
    const digests: string[] = [];
    const record = async () => digests.push(await recipeDigest(checkout));
    const glue = join(checkout, "wasm/python/glue");
    await record();
    await write(join(glue, "a.c"), "int x;");
    await record();
    await write(join(glue, "a.c"), "int y;");
    await record();
    await Deno.rename(join(glue, "a.c"), join(glue, "b.c"));
    await record();
    await write(join(checkout, "wasm/metering/mod.ts"), "int y;");
    await record();
    assert.equal(new Set(digests).size, digests.length);

    await write(join(checkout, "wasm/README.md"), "words");
    await write(join(checkout, "wasm/metering/mod_test.ts"), "a test");
    await write(join(checkout, "src/mcp/server.ts"), "no part of an asset");
    assert.equal(await recipeDigest(checkout), digests.at(-1));
  });
});

async function assertPartOfRecipe(made: readonly string[], entry: string): Promise<void> {
  const inputs = new Set(await filesBelow(repository, made));
  const { modules } = JSON.parse(
    await run("deno info", { argv: [Deno.execPath(), "info", "--json", entry] }),
  );
  // npm packages have no file of their own here; deno.lock pins them.
  const files = modules.filter(({ local }: { local?: string }) => local !== undefined)
    .map(({ local }: { local: string }) => relative(repository, local));
  assert.ok(files.length > 1);
  assert.deepEqual(files.filter((file: string) => !inputs.has(file)), []);
}

Deno.test("all modules that make the base images are part of the recipe", async () => {
  await assertPartOfRecipe(INPUTS.image, join(repository, "src/runtime/python/base_image.ts"));
  await assertPartOfRecipe(INPUTS.javascript, join(repository, "src/runtime/javascript/base_image.ts"));
});

Deno.test("a missing or shortened file counts as not built", async () => {
  await withDirectory(async (directory) => {
    const manifest = {
      files: { "x.wasm": { bytes: 3, sha256: sha256("abc") } },
    };
    assert.equal(await filesPresent(directory, manifest), false);
    await write(join(directory, "x.wasm"), "ab");
    assert.equal(await filesPresent(directory, manifest), false);
    await write(join(directory, "x.wasm"), "abc");
    assert.equal(await filesPresent(directory, manifest), true);
  });
});

Deno.test("a manifest that is cut off counts as none", async () => {
  await withDirectory(async (directory) => {
    assert.equal(await readManifest(directory), undefined);
    await write(join(directory, MANIFEST), '{"recipe": "ab');
    assert.equal(await readManifest(directory), undefined);
  });
});

Deno.test("a stage is made once and found again", async () => {
  await withDirectory(async (cache) => {
    const store = new StageStore(cache);
    let made = 0;
    const make = async (directory: string) => {
      made++;
      await write(join(directory, "out"), "done");
    };
    const first = await store.obtain("link", "d1", make);
    assert.equal(await store.obtain("link", "d1", make), first);
    assert.equal(made, 1);
    assert.equal(await Deno.readTextFile(join(first, "out")), "done");
    assert.notEqual(await store.obtain("link", "d2", make), first);
  });
});

Deno.test("a stage that fails half-way leaves nothing behind", async () => {
  await withDirectory(async (cache) => {
    const store = new StageStore(cache);
    const failing = store.obtain("link", "d1", async (directory) => {
      await write(join(directory, "half"), "…");
      throw new AssetsError("the linker failed");
    });
    await assert.rejects(failing, /the linker failed/);
    assert.equal(await store.find("link", "d1"), undefined);
    assert.deepEqual(await namesIn(join(cache, "scratch")), []);
  });
});

Deno.test("a stage whose build is killed is not there, and the next build clears up", async () => {
  await withDirectory(async (cache) => {
    await killedInTheMiddle(`
      import { StageStore } from ${assetsModule("store.ts")};
      await new StageStore(${JSON.stringify(cache)}).obtain("link", "d1", async (directory) => {
        await Deno.writeTextFile(directory + "/half", "…");
        console.log("half-way");
        setInterval(() => {}, 1000);
        await new Promise(() => {});
      });
    `);
    const store = new StageStore(cache);
    assert.equal(await store.find("link", "d1"), undefined);
    assert.equal((await namesIn(join(cache, "scratch"))).length, 1);
    await store.clearScratch();
    const made = await store.obtain("link", "d1", (directory) => write(join(directory, "out"), "whole"));
    assert.deepEqual(await namesIn(made), ["out"]);
    assert.deepEqual(await namesIn(join(cache, "scratch")), []);
  });
});

Deno.test("two builds do not run at once", async () => {
  await withDirectory(async (cache) => {
    const path = join(cache, "lock");
    const events: string[] = [];
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const first = withLock(path, async () => {
      entered.resolve();
      await gate.promise;
      events.push("first ends");
    });
    await entered.promise;
    const second = withLock(path, () => Promise.resolve(events.push("second runs")));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(events, ["first ends", "second runs"]);
  });
});

Deno.test("the lock of a process that was killed is free", async () => {
  await withDirectory(async (cache) => {
    const path = join(cache, "lock");
    await killedInTheMiddle(`
      import { withLock } from ${assetsModule("lock.ts")};
      await withLock(${JSON.stringify(path)}, async () => {
        console.log("locked");
        setInterval(() => {}, 1000);
        await new Promise(() => {});
      });
    `);
    assert.equal(await withLock(path, () => Promise.resolve("taken over")), "taken over");
  });
});

Deno.test("publishing replaces everything, the manifest included", async () => {
  await withDirectory(async (directory) => {
    await write(join(directory, "stale.wasm"), "old");
    await write(join(directory, MANIFEST), "old");
    await publish(directory, async (scratch) => {
      await write(join(scratch, "new.wasm"), "new");
      await write(join(scratch, MANIFEST), "new");
    });
    assert.deepEqual(await namesIn(directory), [MANIFEST, "new.wasm"]);
    assert.equal(await Deno.readTextFile(join(directory, MANIFEST)), "new");
  });
});

Deno.test("a build that fails before it is complete leaves the one in place alone", async () => {
  await withDirectory(async (directory) => {
    await write(join(directory, "x.wasm"), "old");
    await write(join(directory, MANIFEST), "old");
    const failing = publish(directory, async (scratch) => {
      await write(join(scratch, "x.wasm"), "half");
      throw new AssetsError("the disk is full");
    });
    await assert.rejects(failing, /the disk is full/);
    assert.deepEqual(await namesIn(directory), [MANIFEST, "x.wasm"]);
    assert.equal(await Deno.readTextFile(join(directory, "x.wasm")), "old");
  });
});

Deno.test("a failing program is one clear line and the end of its log", async () => {
  const script = "for i in $(seq 100); do echo line $i; done; echo broken >&2; exit 3";
  await assert.rejects(run("building it", { argv: ["bash", "-c", script] }), (error: unknown) => {
    assert.ok(error instanceof AssetsError);
    assert.match(error.message, /^building it failed \(bash, exit code 3\)$/);
    assert.match(error.log, /line 100\n+broken$/);
    assert.ok(!error.log.includes("line 5\n"));
    return true;
  });
  await assert.rejects(
    run("building it", { argv: ["no-such-program"] }),
    /building it: can't start no-such-program/,
  );
});
