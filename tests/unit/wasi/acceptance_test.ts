import assert from "node:assert/strict";
import { loadPython, Python } from "./python.ts";

const assets = await loadPython();

Deno.test("CPython finds the file system it expects", async (test) => {
  const program = await Deno.readTextFile(new URL("acceptance.py", import.meta.url));
  const python = new Python(assets).boot();
  const stdout = python.run(program);
  assert.equal(python.printed.stderr, "");
  const { checks, figures } = JSON.parse(stdout) as { checks: Record<string, unknown>; figures: unknown };
  assert.ok(Object.keys(checks).length > 35);
  for (const [name, answer] of Object.entries(checks)) {
    await test.step(name.replaceAll("_", " "), () => assert.equal(answer, true));
  }
  console.log(figures);
});

Deno.test("CPython goes on from an image in another instance, open files included", () => {
  const first = new Python(assets).boot();
  first.run(
    [
      "import os",
      "log = open('/app/log', 'w+'); log.write('line 1\\nline 2\\n'); log.flush(); log.seek(7)",
      "hidden = open('/app/hidden', 'w+'); hidden.write('unlinked'); hidden.flush(); os.unlink('/app/hidden')",
      "entries = iter(os.scandir('/')); os.mkdir('/app/d'); os.chdir('/app/d')",
    ].join("\n"),
  );
  assert.equal(first.printed.stderr, "");
  const image = first.image();
  first.run("log.write('rolled back'); log.close(); hidden.close(); open('/app/d/young', 'w').write('x')");
  first.close();

  const second = new Python(assets, first.fs).resume(image);
  const printed = second.run(
    [
      "print(repr(log.readline())); hidden.seek(0); print(hidden.read())",
      "print(os.getcwd(), os.listdir('.'), sorted(entry.name for entry in entries))",
      "log.write('line 3\\n'); log.flush(); print(open('../log').read())",
    ].join("\n"),
  );
  assert.equal(second.printed.stderr, "");
  assert.deepEqual(printed.trimEnd().split("\n"), [
    "'line 2\\n'",
    "unlinked",
    "/app/d [] ['app', 'content', 'data', 'dev', 'external', 'home', 'mnt', 'node_modules', 'root', 'tmp', 'usr', 'workspace']",
    "line 1",
    "line 2",
    "line 3",
  ]);
});
