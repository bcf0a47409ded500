/**
 * What programs may do to files, variables and clocks so that a checkpoint can be taken but not restored: after the
 * process is killed everything is as it was, down to times and modes, and nothing is told to be lost.
 */

import assert from "node:assert/strict";
import { killExecutors, type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";

const FIXTURE = new URL("./fixtures/server.ts", import.meta.url);

type Language = "python" | "javascript" | "shell";
type Step = readonly [language: Language, code: string];

/** A tar archive with a member whose time is the largest that its 12 bytes can tell, and one of before 1970. */
const WEIRD_TAR = `
def header(name, size, mtime):
    h = bytearray(512)
    h[0:len(name)] = name
    h[100:108] = b"0000644\\0"; h[108:116] = b"0001750\\0"; h[116:124] = b"0001750\\0"
    h[124:136] = b"%011o\\0" % size; h[136:148] = mtime
    h[148:156] = b"        "; h[156:157] = b"0"; h[257:265] = b"ustar\\x0000"
    h[148:156] = b"%06o\\0 " % sum(h)
    return bytes(h)
times = [b"\\x80" + b"\\xff" * 11, b"\\xff" * 12, b"\\x80" + b"\\0" * 3 + b"\\x7f" + b"\\xff" * 7, b"77777777777\\0"]
with open("t.tar", "wb") as f:
    for i, time in enumerate(times): f.write(header(b"member%d" % i, 3, time) + b"abc" + bytes(509))
    f.write(bytes(1024))
`;

const WEIRD_ZIP = `
import struct, zipfile
with zipfile.ZipFile("t.zip", "w") as z:
    for i, date in enumerate([(1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)]):
        z.writestr(zipfile.ZipInfo(f"z{i}", date), "x")
whole = bytearray(open("t.zip", "rb").read())
for at in range(len(whole) - 4):
    if whole[at:at + 4] == b"PK\\3\\4": whole[at + 10:at + 14] = b"\\xff\\xff\\xff\\xff"
    if whole[at:at + 4] == b"PK\\1\\2": whole[at + 12:at + 16] = b"\\xff\\xff\\0\\0"
open("t.zip", "wb").write(whole)
zipfile.ZipFile("t.zip").extractall("by_python")
`;

/** Tries everything, and goes on after each refusal. */
const PYTHON_TIMES = `
import os
def attempt(f, *args, **named):
    try: return f(*args, **named)
    except Exception as error: return type(error).__name__
os.makedirs("d/e"); open("f", "w").close(); os.symlink("f", "l"); os.symlink("nowhere", "dangling")
for path in ("f", "d", "d/e", "l", "dangling"):
    for value in (0, 1, -1, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**63, 253402300800 * 10**9, 2**63 // 10**9 * 10**9):
        attempt(os.utime, path, ns=(value, value), follow_symlinks=False)
        attempt(os.utime, path, ns=(value, value // 2))
    for value in (1e300, float("inf"), float("nan"), -1e18, 9.3e9, 1e10, 8.64e12, 1.8446744073709552e10):
        attempt(os.utime, path, (value, value))
with open("g", "w") as g:
    for value in (-1, 2**63 - 1, 2**64): attempt(os.utime, g.fileno(), ns=(value, value))
`;

const PYTHON_NAMES = `
import os
for name in (b"\\xff\\xfe", b"a\\xc3", b"\\xed\\xa0\\x80", b"nul\\0", "\\ud800", "a\\nb", "\\x01" * 255, "é" * 127, " ", "\\u202e", "\\ufeff", "-rf"):
    attempt(lambda: open(name, "w").close()); attempt(os.mkdir, name); attempt(os.symlink, name, b"to" + repr(name).encode()[:40])
os.symlink("loop2", "loop1"); os.symlink("loop1", "loop2"); os.symlink(".", "self"); os.symlink("x" * 4095, "long")
attempt(lambda: open("loop1")); attempt(os.listdir, "self/" * 30); attempt(os.listdir, "self/" * 100)
here = os.getcwd(); depth = 0
try:
    for depth in range(4096): os.mkdir("n"); os.chdir("n")
except OSError: pass
os.chdir(here)
for i in range(1100): attempt(os.link, "-rf", f"hard{i}")
`;

const PYTHON_DESCRIPTORS = `
import os
big = open("big", "wb+"); big.seek(2**40); fd = os.open("seek", os.O_RDWR | os.O_CREAT)
for value in (2**53, 2**62, 2**63 - 1): attempt(os.lseek, fd, value, 0)
for value in (2**44, 2**52, 2**63 - 1): attempt(os.ftruncate, fd, value)
attempt(os.pwrite, fd, b"x", 2**50)
os.mkdir("gone"); directory = os.open("gone", os.O_RDONLY); os.rmdir("gone")
ghost = open("ghost", "w+"); ghost.write("boo"); ghost.flush(); os.unlink("ghost")
opened = [attempt(os.open, "seek", os.O_RDONLY) for i in range(1100)]
for each in [each for each in opened if isinstance(each, int)][-20:]: os.close(each)
`;

const JAVASCRIPT_FILES = `
const fs = require("fs");
const refused = [];
const attempt = (f) => { try { f(); } catch (error) { refused.push(error.code ?? error.name); } };
for (const name of ["\\ud800", "a\\udfffb", "nul\\0", "new\\nline", "\\x1b[31m", "é".repeat(127), "😀", "x".repeat(300), "", ".", ".."]) {
  attempt(() => fs.writeFileSync(name, "x")); attempt(() => fs.mkdirSync(name)); attempt(() => fs.symlinkSync(name, "to" + refused.length));
}
attempt(() => fs.symlinkSync("js2", "js1")); attempt(() => fs.symlinkSync("js1", "js2")); attempt(() => fs.readFileSync("js1"));
fs.writeFileSync("t", "x");
for (const time of [NaN, Infinity, -Infinity, 1e300, -1, new Date(NaN), "x"]) {
  attempt(() => fs.utimesSync("t", time, time)); attempt(() => fs.promises.utimes("t", time, time).catch(() => {}));
}
let path = ""; for (let i = 0; i < 4096; i++) { path += "j/"; try { fs.mkdirSync(path) } catch (error) { refused.push(error.code); break } }
refused.length > 10
`;

const SHELL_TIMES = "touch f; mkdir d; ln -s f l; " +
  [
    "0001-01-01",
    "-5000-01-01",
    "9999-12-31",
    "275760-09-13",
    "1969-12-31",
    "@99999999999999",
    "@-1",
    "never",
    "",
  ]
    .map((date) => `touch -d '${date}' f d l new 2>/dev/null`).join("; ") +
  "; touch -r f r; touch -t 999912312359 s 2>/dev/null; cp -p f p; tar xf t.tar; tar tvf t.tar; unzip -o -q t.zip; true";

const SHELL_STATE = `usage() { cat <<EOF
usage: $0
EOF
}
function x-y { printf '%s' $'a\\n'; }; function a.b:c { :; }; function è { :; }
x=$'\\ud800'; y=$'\\xff\\xfe'; z=$(printf '\\xff'); declare -A m; m[$x]=1; m[$'\\n']=2; declare -i n=5; readonly r=1
a=(1 [5]=2 [1000000]=3); cd d 2>/dev/null; alias ll='ls -l'; shopt -s nullglob`;

const SHELL_PROBE =
  "usage | head -1; x-y; printf '%s' \"$z\" | od -An -tx1; echo ${#m[@]} ${a[1000000]} $n; shopt nullglob";

/** By what they attack. */
const CASES: Readonly<Record<string, readonly Step[]>> = {
  archives: [["python", WEIRD_TAR], ["python", WEIRD_ZIP], ["shell", SHELL_TIMES]],
  times: [["python", PYTHON_TIMES]],
  names: [["python", PYTHON_TIMES], ["python", PYTHON_NAMES]],
  descriptors: [["python", PYTHON_TIMES], ["python", PYTHON_DESCRIPTORS]],
  javascript: [["javascript", JAVASCRIPT_FILES]],
  shell: [["shell", SHELL_STATE]],
};

/** All that programs see of the files, as text. */
const LOOK = `
import hashlib, os
seen = hashlib.sha256(); count = 0
for top in ("/app", "/tmp"):
    for directory, names, files in os.walk(top):
        for name in sorted(names + files):
            path = os.path.join(directory, name); s = os.lstat(path); count += 1
            told = os.readlink(path) if os.path.islink(path) else s.st_size
            seen.update(repr((path, s.st_mode, s.st_ino, s.st_nlink, s.st_atime_ns, s.st_mtime_ns, s.st_ctime_ns, told)).encode("utf-8", "surrogatepass"))
print(count, seen.hexdigest())
`;

async function run(server: TestServer, session_id: string, [language, code]: Step): Promise<Reply> {
  const { structured, isError } = await server.call("execute_code", { language, code, session_id });
  return { ...structured, isError } as unknown as Reply;
}

/** Every entry that the file tools tell of. */
async function listed(server: TestServer, session_id: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  for (let after: string | undefined, more = true; more;) {
    const args = { session_id, recursive: true, limit: 1000, ...(after !== undefined && { after }) };
    const { structured, isError, text } = await server.call("list_files", args);
    assert.equal(isError, false, text);
    entries.push(...structured["entries"] as unknown[]);
    more = structured["next"] !== null;
    after = structured["next"] as string;
  }
  return entries;
}

Deno.test(`[${UNDER_TEST}] whatever programs do to times, names, descriptors and functions, a killed process costs nothing`, async (t) => {
  await using server = await TestServer.start();
  const before = new Map<string, readonly [looked: string, listing: unknown[]]>();
  for (const [name, steps] of Object.entries(CASES)) {
    await run(server, name, ["python", "keep = ['precious']; open('keep.txt', 'w').write('hours of work')"]);
    await run(server, name, ["javascript", "globalThis.keep = 'precious'"]);
    for (const step of steps) {
      const { status, error } = await run(server, name, step);
      assert.equal(status, "completed", `${name}: ${JSON.stringify(error)}`);
    }
    const { stdout } = await run(server, name, ["python", LOOK]);
    before.set(name, [stdout, await listed(server, name)]);
  }
  const { stdout: shell } = await run(server, "shell", ["shell", SHELL_PROBE]);
  assert.match(shell, /^usage: .*\na\n.*\n2 3 5\nnullglob\s+on\n$/);
  await killExecutors(server);
  for (const [name, [looked, listing]] of before) {
    await t.step(name, async () => {
      assert.deepEqual(await listed(server, name), listing);
      const again = await run(server, name, ["python", `${LOOK}\n(keep, open('keep.txt').read())`]);
      assert.deepEqual(
        [again.status, again.state, again.notice, again.stdout, again.result],
        ["completed", "kept", null, looked, "(['precious'], 'hours of work')"],
      );
      assert.equal((await run(server, name, ["javascript", "keep"])).result, "'precious'");
    });
  }
  await t.step("the shell's functions, names and values", async () => {
    assert.equal((await run(server, "shell", ["shell", SHELL_PROBE])).stdout, shell);
  });
  await t.step("descriptors that are still open", async () => {
    const probe =
      "ghost.seek(0); (ghost.read(), big.tell(), attempt(os.listdir, directory), os.fstat(fd).st_size >= 0)";
    const { result, error } = await run(server, "descriptors", ["python", probe]);
    assert.match(result ?? JSON.stringify(error), /^\('boo', 1099511627776, .*, True\)$/);
  });
});

Deno.test("a clock that was slept to its end is restored", { ignore: UNDER_TEST !== "source" }, async () => {
  await using server = await TestServer.start(FIXTURE, { clock: "virtual", seed: 1 });
  const sleep = "import time\nfor _ in range(5): time.sleep(3e9)\nopen('late', 'w').close()\nx = time.time()";
  assert.equal((await server.python(sleep)).status, "completed");
  await server.javascript(
    "await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1)); let y = Date.now()",
  );
  await killExecutors(server);
  await server.call("get_workspace_info"); // an execution could be sent before the server knows
  const reply = await server.python(
    "import os\n(time.time() >= x, os.stat('late').st_mtime >= x, time.monotonic() > 6e9)",
  );
  assert.deepEqual([reply.state, reply.notice], ["kept", null], JSON.stringify(reply));
  assert.equal(reply.result, "(True, True, True)");
  assert.equal((await server.javascript("Date.now() >= y")).result, "true");
});
