/** More of everything than the policy allows: output, files, bytes, names, results. */

import { calls, ends, type Expectation, family, javascript, python, raises, yields } from "../attack.ts";

const NO_SPACE = raises(/(OSError|ENOSPC).*(space|quota|ENOSPC)/i);
const CUT: Expectation = { says: "completes, the output cut", status: ["completed"], truncated: ["stdout"] };

export const FLOODS = family("floods", [
  python("output", `for _ in range(2000): print("x" * 10_000)`, CUT),
  python("output in single bytes", `import os\nfor _ in range(300_000): _ = os.write(1, b"12345")`, CUT),
  python("output in one piece", `print("é" * 20_000_000)`, CUT),
  python("standard error", `import sys\nfor _ in range(2000): print("x" * 10_000, file=sys.stderr)`, {
    ...CUT,
    truncated: ["stderr"],
  }),
  python(
    "output without end",
    `while True: print("x" * 1000)`,
    { ...ends("timeout"), truncated: ["stdout"] },
    { timeout: 0.5 },
  ),
  javascript("output without end", `while (true) console.log("x".repeat(1000))`, {
    ...ends("timeout"),
    truncated: ["stdout"],
  }, { timeout: 0.5 }),
  calls("progress", "far fewer notifications than lines, the output cut", async ({ run }) => {
    let notifications = 0;
    let characters = 0;
    const onProgress = (message: string) => {
      notifications++;
      characters += message.length;
    };
    const { status } = await run("python", "for n in range(60_000): print(f'{n:020}', flush=True)", {
      onProgress,
    });
    const refused = status === "completed" && notifications < 2000 && characters <= 2 * 1_048_576;
    return { refused, got: `${status}, ${notifications} notifications of ${characters} characters` };
  }),
  python("one file", `with open("f", "wb") as f:\n  while True: _ = f.write(bytes(10**7))`, NO_SPACE),
  python("a file that is only long", `with open("f", "wb") as f: f.truncate(10**12)`, raises(/OSError/)),
  python(
    "a write far out",
    `import os\nfd = os.open("f", os.O_RDWR | os.O_CREAT)\nos.lseek(fd, 2**62, 0)\nos.write(fd, b"x")`,
    raises(/OSError/),
  ),
  python("files", `n = 0\nwhile True:\n  open(f"f{n}", "w").close()\n  n += 1`, NO_SPACE),
  python("directories", `import os\nn = 0\nwhile True:\n  os.mkdir(f"d{n}")\n  n += 1`, NO_SPACE),
  python("deep directories", `import os\nwhile True:\n  os.mkdir("d")\n  os.chdir("d")`, raises(/OSError/)),
  python(
    "deep directories, and removing them",
    `import os, shutil\ntry: os.makedirs("d/" * 2000)\nexcept (OSError, RecursionError): pass\nos.makedirs("e/" * 100)\nshutil.rmtree("e")\nos.path.exists("e")`,
    yields("False"),
  ),
  python(
    "links to one file",
    `import os\nopen("f", "w").close()\nn = 0\nwhile True:\n  os.link("f", f"l{n}")\n  n += 1`,
    raises(/OSError/),
  ),
  python(
    "symbolic links of great length",
    `import os\nn = 0\nwhile True:\n  os.symlink("x" * 4000, f"l{n}")\n  n += 1`,
    raises(/OSError/),
  ),
  python("open files", `x = []\nwhile True: x.append(open("/dev/null"))`, raises(/OSError/)),
  python(
    "files without a name",
    `import os\nx = []\nn = 0\nwhile True:\n  f = open("f", "wb"); os.remove("f"); f.truncate(10**7); _ = f.write(b"x" * 10**7); x.append(f)`,
    raises(/OSError/),
  ),
  python(
    "an archive that unpacks into the workspace",
    `
    import gzip, shutil
    open("bomb.gz", "wb").write(gzip.compress(bytes(10**7)) * 30)
    shutil.copyfileobj(gzip.open("bomb.gz"), open("out", "wb"))
    `,
    NO_SPACE,
  ),
  python(
    "a database without end",
    `
    import sqlite3
    db = sqlite3.connect("x.db")
    db.execute("CREATE TABLE t (b)")
    while True:
        _ = db.execute("INSERT INTO t VALUES (zeroblob(60000000))")
        db.commit()
    `,
    raises(/OperationalError/),
  ),
  javascript(
    "files, in JavaScript",
    `const fs = require("fs"); for (let n = 0; ; n++) fs.writeFileSync("f" + n, "");`,
    NO_SPACE,
  ),
  javascript(
    "one file, in JavaScript",
    `const fs = require("fs"); const b = new Uint8Array(1e7); while (true) fs.appendFileSync("f", b);`,
    NO_SPACE,
  ),
  python("a result", `"x" * 10**8`, {
    says: "completes, the result cut",
    status: ["completed"],
    result: /^'x{1000}/,
  }),
  python("a result whose repr is huge", `class A:\n  def __repr__(self): return "é" * 10**7\n[A()] * 100`, {
    says: "completes, the result cut",
    status: ["completed"],
    result: /é{1000}/,
  }),
  javascript("a result", `"x".repeat(1e8)`, {
    says: "completes, the result cut",
    status: ["completed"],
    result: /x{1000}/,
  }),
  python("an exception's message", `raise ValueError("é" * 10**7)`, raises(/ValueError: é/)),
  python("an exception's class", `raise type("E" * 10**6, (Exception,), {})("x")`, raises(/E{50}/)),
  javascript("an error's message", `throw new Error("é".repeat(1e7))`, raises(/é{50}/)),
  javascript(
    "an error's name",
    `throw Object.assign(new Error("x"), { name: "E".repeat(1e7) })`,
    raises(/E{50}/),
  ),
  javascript(
    "modules",
    `const fs = require("fs"); for (let n = 0; n < 3000; n++) { fs.writeFileSync("m.js", "export default " + n); await import("./m.js?" + n).catch(() => {}); } 0`,
    ends("completed", "failed", "out_of_memory"),
  ),
]);
