/** Little code or data that costs much: regular expressions, hash collisions, sorting, expansion. */

import { ends, family, javascript, python, TIMES_OUT } from "../attack.ts";

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
    `sorted(range(10**6), key=lambda x: [x % 7] * 100)\nwhile True: max(range(10**7))`,
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
