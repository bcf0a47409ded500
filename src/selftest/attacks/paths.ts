/** Naming something outside the session's tree. */

import { family, GAINS_NOTHING, javascript, python, raises, yields } from "../attack.ts";

export const PATHS = family("paths", [
  python("dots up beyond the root", `open("../../../../../../etc/passwd")`, raises(/FileNotFoundError/)),
  python("an absolute path of the host", "open($HOST_FILE)", raises(/FileNotFoundError/)),
  python(
    "a symbolic link to a file of the host",
    `
    import os
    os.symlink($HOST_FILE, "link")
    open("link")
    `,
    raises(/FileNotFoundError/),
  ),
  python(
    "a symbolic link to above the root",
    `
    import os
    os.symlink("../../../../..", "up")
    sorted(os.listdir("up")), os.path.exists("up/etc"), os.path.exists("up" + $HOST_FILE)
    `,
    yields(
      "(['app', 'content', 'data', 'dev', 'external', 'home', 'mnt', 'node_modules', 'root', 'tmp', 'usr', 'workspace'], False, False)",
    ),
  ),
  python(
    "symbolic links in a circle",
    `
    import os
    os.symlink("a", "b"); os.symlink("b", "a")
    open("a")
    `,
    raises(/OSError.*(ymbolic link|loop)/i),
  ),
  python("/proc/self/environ", `open("/proc/self/environ")`, raises(/FileNotFoundError/)),
  python(
    "devices of the host",
    `
    import os
    names = ["mem", "kmem", "sda", "tty", "fd", "shm", "kvm", "fuse", "ptmx"]
    [name for name in [*names, *os.listdir("/dev")] if name not in ("null", "zero", "random", "urandom") and os.path.lexists("/dev/" + name)]
    `,
    GAINS_NOTHING,
  ),
  python("an overlong path", `open("/" + "/".join(["a" * 200] * 40))`, raises(/OSError.*too long/i)),
  python("an overlong name", `open("x" * 10**6, "w")`, raises(/OSError.*too long/i)),
  python(
    "a NUL that ends the path early",
    String.raw`open("/app/../etc/passwd\0.txt")`,
    raises(/ValueError.*null/),
  ),
  python(
    "dots and slashes in disguise",
    String.raw`
    import os
    spellings = ["．．／etc", "..%2f..%2fetc", "%2e%2e/etc", "..\\..\\etc", "\u2025/etc", "․․/etc", "..;/etc",
        ".\u200b./etc", "file:///etc", "//etc", "\\\\?\\C:\\", "C:/", "~root", "..\u0000/etc", "\ud800/etc"]
    gained = []
    for spelling in spellings:
        for start in ("", "/", "/app/", "/usr/lib/"):
            try: gained.append((spelling, os.listdir(start + spelling)))
            except (OSError, ValueError): pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "names that only look the same",
    String.raw`
    import os
    for name in ("e\u0301", "\u00e9", "E\u0301"): open(name, "w").write(ascii(name))
    len(os.listdir(".")), open("e\u0301").read() != open("\u00e9").read()
    `,
    yields("(3, True)"),
  ),
  python(
    "moving and linking across the root",
    `
    import os
    open("mine", "w").close()
    gained = []
    for what in (os.rename, os.replace, os.link):
        for target in ("/../../.." + $HOST_DIRECTORY + "/planted", $HOST_FILE, "../.." + $HOST_FILE):
            for pair in ((target, "stolen"), ("mine", target)):
                try: gained.append((what.__name__, pair, what(*pair)))
                except OSError: pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "descriptors of directories as a starting point",
    `
    import os
    gained = []
    for fd in range(64):
        for path in ("../../../etc/passwd", ".." + $HOST_FILE, $HOST_FILE):
            try: gained.append((fd, os.read(os.open(path, os.O_RDONLY, dir_fd=fd), 100)))
            except (OSError, NotImplementedError): pass
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "dots up beyond the root, in JavaScript",
    `require("fs").readFileSync("../../../../etc/passwd")`,
    raises(/ENOENT/),
  ),
  javascript(
    "a symbolic link to a file of the host, in JavaScript",
    `
    const fs = require("fs");
    fs.symlinkSync($HOST_FILE, "link");
    fs.readFileSync("link");
    `,
    raises(/ENOENT/),
  ),
]);
