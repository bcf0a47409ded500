/** Reading and writing the host's files by any other way than their plain path. */

import { family, GAINS_NOTHING, javascript, python, raises, yields } from "../attack.ts";

export const HOST_FILES = family("host files", [
  python(
    "reading every descriptor",
    `
    import os
    gained = []
    for fd in [0, *range(3, 1024)]:
        for read in (lambda: os.read(fd, 4096), lambda: os.pread(fd, 4096, 0), lambda: os.listdir(fd)):
            try:
                if found := read(): gained.append((fd, found))
            except (OSError, TypeError): pass
    [item for item in gained if set(item[1]) - {"app", "content", "data", "dev", "external", "home", "mnt", "node_modules", "root", "tmp", "usr", "workspace"}]
    `,
    GAINS_NOTHING,
  ),
  python(
    "writing to every descriptor",
    `
    import os
    gained = []
    for fd in range(3, 1024):
        for write in (lambda: os.write(fd, b"x" * 100), lambda: os.pwrite(fd, b"x", 0), lambda: os.ftruncate(fd, 0)):
            try: gained.append((fd, write()))
            except OSError: pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "walking the whole tree",
    `
    import os
    found = []
    for path, folders, names in os.walk("/"):
        if path == "/data": folders.clear()  # what is mapped there is attacked by itself
        if "canary.txt" in names or "canary" in path: found.append(path)
    sorted(os.listdir("/")), found
    `,
    yields(
      "(['app', 'content', 'data', 'dev', 'external', 'home', 'mnt', 'node_modules', 'root', 'tmp', 'usr', 'workspace'], [])",
    ),
  ),
  python(
    "unpacking archives whose names lead out",
    `
    import io, os, tarfile, zipfile
    names = ["../../../.." + $HOST_DIRECTORY + "/planted", $HOST_DIRECTORY + "/planted"]
    with zipfile.ZipFile("a.zip", "w") as archive:
        for name in names: archive.writestr(name, "x")
    with tarfile.open("a.tar", "w") as archive:
        for name in names: archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        link = tarfile.TarInfo("link"); link.type, link.linkname = tarfile.SYMTYPE, $HOST_FILE
        archive.addfile(link)
    zipfile.ZipFile("a.zip").extractall("out")
    try: tarfile.open("a.tar").extractall("out", filter="fully_trusted")
    except OSError: pass
    [found for found in ("out/link",) if os.path.exists(found)]
    `,
    GAINS_NOTHING,
  ),
  python(
    "SQLite attaching a file of the host",
    `
    import sqlite3
    db = sqlite3.connect(":memory:")
    db.execute("ATTACH 'file:' || ? || '?mode=ro' AS host", ($HOST_FILE,)).fetchall()
    db.execute("SELECT * FROM host.sqlite_master").fetchall()
    `,
    raises(/OperationalError/),
  ),
  python(
    "SQLite loading an extension",
    `
    import sqlite3
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension("/lib/x86_64-linux-gnu/libc.so.6")
    `,
    raises(/AttributeError|OperationalError|NotSupportedError/),
  ),
  python(
    "importing a module of the host",
    `
    import sys
    sys.path.insert(0, $HOST_DIRECTORY)
    import canary_module
    `,
    raises(/ModuleNotFoundError/),
  ),
  python(
    "writing beside the host's file",
    `open($HOST_DIRECTORY + "/planted", "w")`,
    raises(/FileNotFoundError/),
  ),
  python(
    "making the host's directory and overwriting its file",
    `
    import os
    os.makedirs($HOST_DIRECTORY, exist_ok=True)
    with open($HOST_FILE, "w") as file: _ = file.write("overwritten")
    open($HOST_FILE).read()
    `,
    { ...yields("'overwritten'"), says: "touches its own tree only" },
  ),
  python(
    "changing the standard library that all sessions share",
    `
    import os
    path = "/usr/lib/python313.zip"
    gained = []
    for attempt in (lambda: open(path, "r+b"), lambda: open(path, "wb"), lambda: os.remove(path), lambda: os.truncate(path, 0),
            lambda: os.rename(path, "/app/x"), lambda: os.mkdir("/usr/x"), lambda: os.link(path, "/app/l")):
        try: gained.append(attempt())
        except OSError: pass
    before = os.stat(path)
    try: os.chmod(path, 0o777); os.utime(path, (0, 0))
    except OSError: pass
    gained + [field for field in ("st_mode", "st_size", "st_mtime") if getattr(before, field) != getattr(os.stat(path), field)]
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "reading a file of the host",
    `require("fs").readFileSync($HOST_FILE, "utf8")`,
    raises(/ENOENT/),
  ),
  javascript(
    "writing beside the host's file, in JavaScript",
    `require("fs").writeFileSync($HOST_DIRECTORY + "/planted", "x")`,
    raises(/ENOENT/),
  ),
  javascript(
    "importing a file of the host",
    `await import($HOST_DIRECTORY + "/canary_module.js")`,
    raises(/Cannot find module/),
  ),
  javascript(
    "importing a file URL of the host",
    `await import("file://" + $HOST_DIRECTORY + "/canary_module.js")`,
    raises(/Cannot find module/),
  ),
]);
