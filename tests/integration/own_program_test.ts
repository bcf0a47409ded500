/** A program reads its own text and starts itself, as scripts do that are parent and child. */

import assert from "node:assert/strict";
import { sharedServer } from "../support/shared.ts";

const PYTHON = `import os, subprocess, sys
if len(sys.argv) > 1:
    print("child", sys.argv[1:])
    sys.exit(3)
print(open(__file__).readline().strip(), os.listdir("."))
for me in (__file__, sys.argv[0]):
    child = subprocess.run([sys.executable, me, "x"], capture_output=True, text=True)
    print(child.returncode, child.stdout, end="")
`;

const JAVASCRIPT = `import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
if (process.argv[2] === "child") {
  console.log("child", process.argv.length);
  process.exit(4);
}
const { status, stdout } = spawnSync(process.execPath, [process.argv[1], "child"], { encoding: "utf8" });
console.log(status, stdout.trim(), readFileSync(new URL(import.meta.url), "utf8").split("\\n")[1]);
`;

Deno.test("a program of Python reads itself and starts itself, and leaves no file", async () => {
  const server = await sharedServer();
  const session_id = "own_program_py";
  const { stdout } = await server.python(PYTHON, { session_id });
  assert.equal(
    stdout,
    "import os, subprocess, sys []\n3 child ['x']\n3 child ['x']\n",
  );
  const later = await server.run("bash", "ls -A; cat __main__.py", { session_id });
  assert.match(later.stderr, /__main__\.py: No such file/);
  assert.equal(later.stdout, "");
  const next = await server.python("import argparse; print(argparse.ArgumentParser().prog)", { session_id });
  assert.equal(next.stdout, "__main__.py\n");
});

Deno.test("a program of JavaScript reads itself and starts itself, and one that is there comes before it", async () => {
  const server = await sharedServer();
  const session_id = "own_program_js";
  const call = (code: string) => server.javascript(code, { session_id });
  const { stdout } = await call(JAVASCRIPT);
  assert.equal(
    stdout,
    '4 child 3 import { readFileSync } from "node:fs";\n',
  );
  await server.call("write_file", { session_id, path: "index.js", content: "console.log('there')" });
  const there = await call(
    `require("child_process").execFileSync("node", [__filename], { encoding: "utf8" })`,
  );
  assert.equal(there.result, "'there\\n'");
});
