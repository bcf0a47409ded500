/** Little code or data that costs much: regular expressions, hash collisions, sorting, expansion. */

import { ends, family, javascript, python, raises, shell, TIMES_OUT } from "../attack.ts";

const SOON = { timeout: 0.5 };

export const COMPLEXITY = family("complexity", [
  python(
    "a catastrophic regular expression",
    `import re\nre.match(r"(a+)+$", "a" * 40 + "b")`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a catastrophic regular expression of alternatives",
    `import re\nre.match(r"(a|aa|a?)+$", "a" * 60 + "b")`,
    TIMES_OUT,
    SOON,
  ),
  javascript("a catastrophic regular expression", `/(a+)+$/.exec("a".repeat(40) + "b")`, TIMES_OUT, SOON),
  javascript(
    "a catastrophic look-behind",
    `/(?<=(a+)+)b$/.exec("a".repeat(40) + "c".repeat(40)); /(a*)*$/.exec("a".repeat(40) + "b"); while (1);`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "keys that collide",
    `
    step = 2**61 - 1
    while True: {n * step: n for n in range(1, 20000)}
    `,
    TIMES_OUT,
    SOON,
  ),
  python(
    "strings that collide under a known hash seed",
    `
    class K(str):
        __hash__ = lambda self: 1
    x = {K(n): n for n in range(10**6)}
    `,
    TIMES_OUT,
    SOON,
  ),
  javascript(
    "keys that collide",
    `const m = new Map(); for (let i = 0; ; i++) m.set(i * 2 ** 32, i);`,
    ends("timeout", "out_of_memory"),
    { timeout: 1 },
  ),
  python(
    "XML that expands a billion times",
    `
    import xml.etree.ElementTree as E
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    E.fromstring(f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">{entities}]><x>&e11;</x>')
    `,
    ends("failed", "out_of_memory", "timeout"),
    { timeout: 2 },
  ),
  javascript(
    "a comparison of texts that are all marks",
    `new Intl.Collator("sv").compare("a" + "\\u0316\\u0301".repeat(60000), "b")`,
    raises(/RangeError: .*combining marks/),
  ),
  javascript(
    "a locale of ten thousand keywords",
    `
    const keys = Array.from({ length: 20000 }, (_, i) => (i + 46656).toString(36).slice(-3)).join("-");
    new Intl.Locale("en-u-" + keys)
    `,
    raises(/RangeError: a locale may have/),
  ),
  javascript(
    "a number of a hundred thousand digits in parts",
    `new Intl.NumberFormat("en").formatRangeToParts(1n, 10n ** 100000n)`,
    raises(/RangeError: a number may have/),
  ),
  javascript(
    "a key of half a million lanes",
    `require("crypto").scryptSync("p", "s", 64, { N: 2, r: 1, p: 2 ** 19 })`,
    raises(/scrypt may use/),
  ),
  javascript(
    "keys that take all that one may",
    `for (;;) require("crypto").scryptSync("p", "s", 64, { N: 65536, r: 8, p: 2, maxmem: 2 ** 30 })`,
    TIMES_OUT,
    SOON,
  ),
  shell(
    "a dump whose line never ends as one",
    `
    python3 -c "open('dump', 'wb').write(b'0: 61' + b' ' * 15_000_000 + b'\\rx')"
    while :; do xxd -r dump > /dev/null; done
    `,
    TIMES_OUT,
    { timeout: 2 },
  ),
  shell(
    "a gzip of blocks that have a code of their own each",
    `
    python3 -c "
    bits = []
    put = lambda value, count: bits.extend(value >> at & 1 for at in range(count))
    lengths = {18: 1, 15: 2, 1: 2}
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    block = [(0, 1), (2, 2), (0, 5), (15, 5), (15, 4), *((lengths.get(n, 0), 3) for n in order)]
    block += [(0, 1), (127, 7), (0, 1), (106, 7), (3, 2), (1, 2), (3, 2), (0, 1), (3, 7), (3, 2), (0, 1)]
    for part in block: put(*part)
    bits *= 8
    data = int(''.join(map(str, reversed(bits))), 2).to_bytes(len(bits) // 8, 'little') * 10_000
    open('codes.gz', 'wb').write(b'\\x1f\\x8b\\x08' + b'\\0' * 7 + data)"
    while :; do gunzip -c codes.gz > /dev/null; done
    `,
    TIMES_OUT,
    { timeout: 4 },
  ),
  python(
    "a query without end",
    `import sqlite3\nsqlite3.connect(":memory:").execute("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c").fetchall()`,
    TIMES_OUT,
    SOON,
  ),
  python("a number of a billion digits", `10**10**8`, TIMES_OUT, SOON),
  python(
    "a number as text",
    `import sys\nsys.set_int_max_str_digits(0)\nlen(str(1 << 10**8))`,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a comparison of everything",
    `sorted(range(10**6), key=lambda x: [x % 7] * 20)\nwhile True: max(range(10**7))`,
    ends("timeout", "out_of_memory"),
    { timeout: 1 },
  ),
  python(
    "a pattern of file names",
    `import fnmatch\nfnmatch.fnmatch("a" * 100, "*a" * 50 + "b")\nimport re\nre.match(".*a" * 20 + "b", "a" * 1000)`,
    TIMES_OUT,
    { timeout: 1 },
  ),
]);
