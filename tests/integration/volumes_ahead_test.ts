/** Small files of the host that come before they are asked for: what is read is what was there. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { versionOf } from "../../src/volumes/host_files.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { MappedHost, mayWrite } from "../support/mapped_host.ts";

Deno.test(`[${UNDER_TEST}] files that are read one after another are read as they are, though several come at a time`, async (t) => {
  using host = new MappedHost();
  Deno.mkdirSync(host.at("ro/walk/inner"), { recursive: true });
  const names = Array.from({ length: 120 }, (_, number) => String(number).padStart(3, "0"));
  const sizes = [0, 1, 32 * 1024, 32 * 1024 + 1, 300 * 1024, 256 * 1024, 70];
  for (const [number, name] of names.entries()) {
    host.write(`ro/walk/${name}`, `${name}\n`.repeat(100_000).slice(0, sizes[number % sizes.length]));
  }
  host.shell(
    "cd ro/walk && ln -s 001 001-link && ln -s ../../outside/secret 002-up && mkfifo 003-fifo && rm 005",
  );
  const { command, args } = serverCommand();
  const mapped = [`${host.at("ro/walk")}:/data/walk`, `${host.at("rw")}:/data/rw:rw`];
  await using server = await TestServer.start({
    command,
    args: [...mayWrite(args), "serve", "--volume", ...mapped],
  });
  const expected = await digest(host.at("ro/walk"));

  await t.step("by each language, whatever lies between them", async () => {
    const python = await server.python(`import hashlib, os
digest = hashlib.sha256()
for entry in sorted(os.listdir('/data/walk')):
    try: digest.update(f'{entry} '.encode() + open(f'/data/walk/{entry}', 'rb').read())
    except OSError: pass
digest.hexdigest()`);
    assert.equal(python.result, `'${expected}'`);
    const javascript = await server.javascript(`const fs = require('fs');
const digest = require('crypto').createHash('sha256');
for (const entry of fs.readdirSync('/data/walk').sort()) {
  let bytes;
  try { bytes = fs.readFileSync('/data/walk/' + entry); } catch { continue; }
  digest.update(entry + ' ').update(bytes);
}
digest.digest('hex')`);
    assert.equal(javascript.result, `'${expected}'`);
    const shell = await server.run(
      "sh",
      `cd /data/walk; for f in *; do if cat "$f" >/dev/null 2>&1; then printf '%s ' "$f"; cat "$f"; fi; done | sha256sum`,
    );
    assert.equal(shell.stdout, `${expected}  -\n`);
  });

  await t.step("and nothing that lies outside, though its version be known", async () => {
    host.link("../../outside", "ro/walk/out");
    const version = (path: string) => versionOf(Deno.lstatSync(host.at(path)));
    const asked = [
      { volume: "walk", names: [], files: [{ name: "001", version: version("ro/walk/001") }] },
      { volume: "walk", names: [], files: [{ name: "002-up", version: version("outside/secret") }] },
      { volume: "walk", names: [], files: [{ name: "002-up", version: version("ro/walk/002-up") }] },
      { volume: "walk", names: ["out"], files: [{ name: "secret", version: version("outside/secret") }] },
      { volume: "walk", names: [], files: [{ name: "003-fifo", version: version("ro/walk/003-fifo") }] },
      { volume: "walk", names: [], files: [{ name: "inner", version: version("ro/walk/inner") }] },
      { volume: "walk", names: [], files: [{ name: "004", version: version("ro/walk/004") }] },
      { volume: "walk", names: [".."], files: [{ name: "lines", version: version("ro/lines") }] },
      { volume: "walk", names: [], files: [{ name: "../lines", version: version("ro/lines") }] },
      { volume: "walk", names: [], files: Array(65).fill({ name: "001", version: version("ro/walk/001") }) },
      { volume: "ro", names: [], files: [{ name: "lines", version: version("ro/lines") }] },
    ];
    const { result, error } = await server.python(`import _wasmbox, json
def ask(request):
    try: answer, found = _wasmbox.host_call("volume.files", json.dumps(request).encode())
    except OSError: return None
    return found.decode() if "lengths" in json.loads(answer) else None
json.dumps([ask(request) for request in json.loads(${JSON.stringify(JSON.stringify(asked))})])`);
    assert.equal(error, null);
    const none = ["", "", "", "", "", "", null, null, null, null];
    assert.deepEqual(JSON.parse(result!.slice(1, -1)), ["0", ...none]);
    host.shell("rm ro/walk/out");
  });

  await t.step("and not older than anything the program has heard of", async () => {
    const small = Array.from({ length: 60 }, (_, number) => `s${number + 10}`);
    for (const sign of ["rw/done", "ro/walk/done"]) {
      for (const name of small) host.write(`ro/walk/${name}`, "old");
      const { reply } = await server.begin(
        "python",
        `import os
os.listdir('/data/walk')
def walk(first, end): return [open(f'/data/walk/s{number}').read() for number in range(first, end)]
walk(10, 45)
print('some more have been read by now', flush=True)
while not os.path.exists('/data/${sign.replace("ro/", "")}'): walk(10, 45)
walk(45, 70)`,
        { timeout: 60 },
      );
      for (const name of small) host.write(`ro/walk/${name}`, `new`);
      host.write(sign, "");
      assert.equal((await reply).result, `[${Array(25).fill("'new'").join(", ")}]`);
      host.shell(`rm ${sign}`);
    }
  });
});

/** Of the names and contents of a directory's regular files and links to them, in order. */
async function digest(directory: string): Promise<string> {
  const hash = createHash("sha256");
  const outside = /-up$|-fifo$/;
  for (const name of [...Deno.readDirSync(directory)].map(({ name }) => name).sort()) {
    if (outside.test(name) || (await Deno.stat(`${directory}/${name}`)).isDirectory) continue;
    hash.update(`${name} `).update(await Deno.readFile(`${directory}/${name}`));
  }
  return hash.digest("hex");
}
