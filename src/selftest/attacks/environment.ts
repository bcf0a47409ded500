/** Secrets of the host: its environment, its names, its users. */

import { family, GAINS_NOTHING, javascript, python, yields } from "../attack.ts";

/** What programs see, whatever the server has. */
const GUEST_PATH = "/opt/python/bin:/usr/local/bin:/usr/bin:/bin";

export const ENVIRONMENT = family("environment", [
  python(
    "the server's environment",
    `
    import os
    names = ("HOME", "PATH", "USER", "PWD", "DENO_DIR", "RUST_MIN_STACK", "MALLOC_ARENA_MAX", "SELFTEST_CANARY")
    [name for name, value in os.environ.items() if name in names and value not in ("/app", "user", "${GUEST_PATH}")]
    `,
    GAINS_NOTHING,
  ),
  python(
    "the environment that the process started with",
    `
    import os, posix
    names = ("HOME", "PATH", b"HOME", b"PATH", b"RUST_MIN_STACK", b"MALLOC_ARENA_MAX")
    [name for name, value in {**os.environ, **posix.environ}.items() if name in names and value not in ("/app", b"/app", "${GUEST_PATH}", b"${GUEST_PATH}")]
    `,
    GAINS_NOTHING,
  ),
  python(
    "who and where the host is",
    `
    import os, platform, getpass, sys
    gained = []
    for look in (lambda: os.getlogin(), lambda: __import__("pwd").getpwuid(0).pw_dir, lambda: os.getppid(), lambda: getpass.getuser(),
            lambda: open("/etc/hostname").read(), lambda: [node for node in (__import__("uuid").getnode(),) if not node >> 40 & 1]):
        try:
            found = look()
            if found and found not in ("/root", 1, "user"): gained.append(found)
        except (OSError, ImportError, AttributeError, KeyError): pass
    gained + [name for name in (platform.node(), os.uname().nodename) if name not in ("", "(none)", "wasmbox", "localhost")]
    `,
    GAINS_NOTHING,
  ),
  python(
    "the server's arguments and modules",
    `
    import sys
    [text for text in (*sys.argv, sys.executable or "", sys.prefix, *sys.orig_argv, *sys.path) if "deno" in text or "main.ts" in text]
    `,
    GAINS_NOTHING,
  ),
  python(
    "what new memory held before",
    `
    import array, io
    pages = [io.BytesIO(bytes(0)).getbuffer().nbytes] + [len(bytearray(10**6).strip(b"\\0")) for _ in range(50)]
    [n for n in pages if n]
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "process.env and Deno.env",
    `
    const gained = [];
    for (const name of ["Deno", "location", "Bun", "environ", "env"]) if (name in globalThis) gained.push(name);
    const own = { HOME: "/app", USER: "user", LOGNAME: "user", SHELL: "/bin/bash", LANG: "C.UTF-8", PATH: "${GUEST_PATH}" };
    gained.push(...Object.entries(process.env).filter(([name, value]) => value !== own[name]).map(([name]) => name));
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "the host in an error's stack",
    `
    const stacks = [];
    for (const code of ["null.x", "require('fs').readFileSync('/nope')", "new URL('::')", "structuredClone(() => 1)", "atob('%')"]) {
      try { (0, eval)(code); } catch (error) { stacks.push(String(error.stack)); }
    }
    /\\.ts|file:|worker|deno|wasm-function/i.test(stacks.join())
    `,
    yields("false"),
  ),
]);
