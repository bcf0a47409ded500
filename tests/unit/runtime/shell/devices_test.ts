/** Names of a program's descriptors: `/dev/stdin`, `/dev/fd/N`, `/proc/self/fd/N`. `lines.jsonl` has those that bash has, too. */

import { deepEqual, equal } from "node:assert/strict";
import { Shell } from "./harness.ts";

const ran = async (script: string) => {
  const { stdout, stderr, exitCode } = await new Shell().run(script);
  return [stdout, stderr, exitCode];
};

Deno.test("Python opens what it has open by its number, and nothing else", async () => {
  const script = `python3 - <<'E'
import os
with open("f", "w+") as f:
    f.write("whole"); f.flush(); f.seek(2)
    print(open(f"/dev/fd/{f.fileno()}").read(), open(f"/proc/self/fd/{f.fileno()}").read(), f.read())
    open(f"/dev/fd/{f.fileno()}", "w").close()
    print(os.path.getsize("f"))
r, w = os.pipe()
os.write(w, b"through")
print(os.read(os.open(f"/dev/fd/{r}", os.O_RDONLY), 9))
out = open("/dev/stdout", "w")
print(out.isatty(), out.seekable(), os.access("/dev/stdin", os.R_OK))
for path, mode in ("/dev/fd/3", "r"), ("/dev/fd/99", "r"), ("/dev/fd/x", "r"), ("/dev/stdout", "r"), ("/dev/stdin", "w"):
    try: open(path, mode)
    except OSError as error: print(path, type(error).__name__)
    else: print(path, "opened")
E`;
  deepEqual(await ran(script), [
    "whole whole ole\n0\nb'through'\nFalse False True\n/dev/fd/3 FileNotFoundError\n/dev/fd/99 FileNotFoundError\n" +
    "/dev/fd/x FileNotFoundError\n/dev/stdout PermissionError\n/dev/stdin PermissionError\n",
    "",
    0,
  ]);
});

Deno.test("JavaScript reads and writes its streams by the names that they have", async () => {
  const script = `printf abc | node -e '
const fs = require("fs");
console.log(fs.readFileSync("/dev/stdin", "utf8"));
fs.writeFileSync("/dev/stdout", "written\\n");
fs.appendFileSync("/dev/stderr", "told\\n");
console.log(fs.existsSync("/dev/stdin"), fs.existsSync("/dev/fd/50"), fs.statSync("/proc/self/fd/1").size);
fs.writeFileSync("f", "file");
console.log(fs.readFileSync("/dev/fd/" + fs.openSync("f"), "utf8"));
for (const [path, flags] of [["/dev/fd/88", "r"], ["/dev/stdin", "w"], ["/dev/stdout", "wx"]]) {
  try { fs.openSync(path, flags) } catch (error) { console.log(error.message) }
}
try { fs.writeSync(fs.openSync("/dev/stdin", "r+"), "lost") } catch (error) { console.log(error.message) }
try { fs.readSync(fs.openSync("/dev/stdout", "r+"), Buffer.alloc(1)) } catch (error) { console.log(error.message) }'
echo piped | node -e 'require("fs").createReadStream("/dev/fd/0").pipe(require("fs").createWriteStream("/dev/stdout"))'`;
  deepEqual(await ran(script), [
    "abc\nwritten\ntrue false 0\nfile\n" +
    "ENOENT: no such file or directory, open '/dev/fd/88'\nEACCES: permission denied, open '/dev/stdin'\n" +
    "EEXIST: file already exists, open '/dev/stdout'\n" +
    "EBADF: bad file descriptor, write\nEBADF: bad file descriptor, read\npiped\n",
    "told\n",
    0,
  ]);
});

Deno.test("programs that work beside others read a pipe by its name as it comes", async () => {
  const copy =
    `python3 -c "import shutil; shutil.copyfileobj(open('/dev/stdin', 'rb'), open('/dev/stdout', 'wb'))"`;
  deepEqual(await ran(`seq 100000 | ${copy} | ${copy} | tail -n 1`), ["100000\n", "", 0]);
  const [stdout] = await ran(`${copy} < /dev/null | wc -c; yes | ${copy} | head -n 1`);
  equal(stdout, "0\ny\n");
});
