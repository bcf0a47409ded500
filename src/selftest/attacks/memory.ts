/** More memory than there is. Every one of these must end in the cap, and the session must go on. */

import { ends, family, javascript, python } from "../attack.ts";

const FULL = ends("out_of_memory");
/** JavaScript tells some of it as an error of its own ("invalid array length"). */
const FULL_OR_REFUSED = ends("out_of_memory", "failed");

export const MEMORY = family("memory", [
  python("one object beyond the cap", `x = bytearray(10**9)`, FULL),
  python("one object beyond all addresses", `x = "x" * (2**31 - 100)`, FULL),
  python("pieces without end", `x = []\nwhile True: x.append(bytearray(10**6))`, FULL),
  python("lists without end", `x = []\nwhile True: x.append([x] * 1000)`, FULL),
  python("a string that doubles", `x = "ab"\nwhile True: x += x`, FULL),
  python(
    "a number that doubles",
    `x = 1 << 1000\nwhile True: x = x << len(bin(x))`,
    ends("out_of_memory", "failed", "timeout"),
    { timeout: 2 },
  ),
  python(
    "an archive that unpacks beyond the cap",
    `
    import gzip
    gzip.decompress(gzip.compress(bytes(10**7)) * 50)
    `,
    FULL,
  ),
  python(
    "a dictionary of lzma beyond the cap",
    `
    import lzma
    lzma.compress(b"x", format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1536 * 2**20}])
    `,
    ends("out_of_memory", "failed"),
  ),
  python(
    "a blob of SQLite",
    `
    import sqlite3
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE t (b)")
    for _ in range(10): _ = db.execute("INSERT INTO t VALUES (zeroblob(90000000))")
    `,
    ends("out_of_memory", "failed"),
  ),
  python(
    "catching MemoryError for ever",
    `
    x = []
    while True:
        try:
            while True: x.append(bytearray(10**5))
        except MemoryError: pass
    `,
    ends("timeout", "out_of_memory"),
    { timeout: 1 },
  ),
  javascript("an array of a billion", `Array(1e9).fill()`, ends("out_of_memory", "failed", "timeout"), {
    timeout: 2,
  }),
  javascript(
    "typed arrays without end",
    `const x = []; while (true) x.push(new Uint8Array(1e6))`,
    FULL_OR_REFUSED,
  ),
  javascript("one buffer beyond the cap", `new ArrayBuffer(2 ** 33)`, FULL_OR_REFUSED),
  javascript(
    "a buffer that grows",
    `const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30); b.byteLength`,
    FULL_OR_REFUSED,
  ),
  javascript(
    "shared memory",
    `const x = []; while (true) x.push(new SharedArrayBuffer(1e7))`,
    FULL_OR_REFUSED,
  ),
  javascript(
    "a string that doubles",
    `let s = "ab"; while (true) s += s`,
    ends("out_of_memory", "failed", "timeout"),
    { timeout: 2 },
  ),
  javascript("a string of half a gigabyte, flattened", `[..."x".repeat(2 ** 29)].length`, FULL_OR_REFUSED),
  javascript("objects without end", `const x = []; while (true) x.push({ x })`, FULL_OR_REFUSED),
  javascript(
    "catching out of memory for ever",
    `const x = []; while (true) { try { while (true) x.push(new Uint8Array(1e5)); } catch {} }`,
    ends("timeout", "out_of_memory"),
    { timeout: 1 },
  ),
  javascript(
    "timers without end",
    `while (true) setTimeout(() => {}, 1e9)`,
    ends("timeout", "out_of_memory", "failed"),
    { timeout: 2 },
  ),
  // What the host keeps about a guest is not on the guest's own heap.
  javascript(
    "names of modules that do not exist",
    `for (let n = 0; ; n++) await import("./" + n + "x".repeat(n % 2 ? 3000 : 1_000_000)).catch(() => {});`,
    ends("timeout", "out_of_memory", "failed"),
    { timeout: 2 },
  ),
  javascript(
    "names of files that do not exist",
    `const fs = require("fs"); for (let n = 0; ; n++) { try { fs.readFileSync(n + "x".repeat(10_000_000)); } catch {} }`,
    ends("timeout", "out_of_memory", "failed"),
    { timeout: 1 },
  ),
  javascript(
    "URLs of a hundred megabytes",
    `const u = "http://a/?" + "x".repeat(60_000_000); while (true) { try { new URL(u); } catch {} }`,
    ends("timeout", "out_of_memory", "failed"),
    { timeout: 1 },
  ),
  python(
    "names of long paths",
    `
    import os
    n = 0
    while True:
        try: os.stat(f"/app/{n}" + "x" * 50_000_000)
        except (OSError, MemoryError): pass
        n += 1
    `,
    ends("timeout", "out_of_memory"),
    { timeout: 1 },
  ),
  python(
    "pieces of files held by many links and descriptors",
    `
    import os
    held = []
    try:
        for n in range(5000):
            with open(f"f{n}", "wb") as file: _ = file.write(os.urandom(50_000))
            held.append(open(f"f{n}", "rb"))
            os.remove(f"f{n}")
    except OSError as error: print(error)
    len(held) > 10
    `,
    ends("completed"),
  ),
]);
