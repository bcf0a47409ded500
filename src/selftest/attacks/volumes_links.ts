/** Leaving a mapped directory of the host by paths and links, and changing what is read-only. */

import {
  calls,
  GAINS_NOTHING,
  javascript,
  python,
  shell,
  type Stage,
  type Unfiled,
  yields,
} from "../attack.ts";

/** Collects in `gained` what did not fail. */
const ATTEMPTS = `
    import os, shutil
    gained = []
    def attempt(what, action):
        try: gained.append((what, action()))
        except (OSError, ValueError): pass
`;

/** Names of links that lead out of a volume; each volume has them. */
const LINKS = `
    links = [f"/data/{volume}/{name}" for volume in ("readonly", "writable") for name in
        ("directory", "file", "up", "parent", "above", "other", "chain", "chained", "loop", "itself", "dots", "environment")]
    links += [f"/data/{volume}/{name}" for volume in ("readonly", "writable") for name in
        ("directory/canary.txt", "up/canary.txt", "parent/foreign/canary.txt", "other/canary.txt", "above/etc/passwd", "above/proc/self/environ",
        "chain/canary.txt", "sub/../up/canary.txt", "sub/inner/../../parent/writable", "./up/./canary.txt", "near/../far/d/canary.txt")]
`;

/** A name that is a directory in one moment and a link out of the volume in the next, while it is opened. */
async function swapped({ run, call, session }: Stage) {
  const other = `${session}_swapping`;
  const swapping = `
import os, time
os.chdir("/data/writable")
while not os.path.exists("looked"): time.sleep(0.001)
for n in range(50):
    os.rename("near", "away"); os.rename("far", "near"); os.rename("near", "far"); os.rename("away", "near")
os.mkdir("done")`;
  const looking = `
import os
os.chdir("/data/writable")
found = {}
while not os.path.exists("done"):
    for mode in ("rb", "r+b", "ab"):
        try:
            with open("near/d/canary.txt", mode, buffering=0) as file:
                said = file.read(100) if mode != "ab" else file.write(b"")
                if mode == "r+b": file.seek(0); file.write(b"known")
        except OSError as error: said = error.errno
        found[said] = found.get(said, 0) + 1
    for action in (lambda: open("near/d/planted", "xb").close(), lambda: os.mkdir("near/d/planted-too"),
            lambda: os.remove("near/d/planted"), lambda: os.rmdir("near/d/planted-too")):
        try: action()
        except OSError: pass
    open("looked", "w").close()
[each for each in found if isinstance(each, bytes) and each != b"known"], found.get(b"known", 0)`;
  await run("python", "import os", { session: other });
  const [swaps, looks] = await Promise.all([
    run("python", swapping, { session: other, timeout: 30 }),
    run("python", looking, { timeout: 40 }),
  ]);
  await call("destroy_session", { session_id: other });
  const refused = /^\(\[\], [1-9]/.test(looks.result ?? "") && swaps.status === "completed";
  return { refused, got: `${swaps.status}, ${looks.result ?? looks.error?.message}` };
}

/** Paths that no tool may find anything by. */
const HOSTILE_PATHS = [
  "/data/readonly/file",
  "/data/readonly/up/canary.txt",
  "/data/readonly/directory/canary.txt",
  "/data/readonly/../foreign/canary.txt",
  "/data/readonly/parent/foreign/canary.txt",
  "/data/foreign/canary.txt",
  "/data/foreign",
  "/data/writable/up/canary.txt",
  "/data/writable/directory/planted",
  "/data/writable/file",
  "/data/writable/far/d/canary.txt",
  "/data/../data/writable/up/canary.txt",
  "/data/readonly/known.txt\0",
  "/data/readonly\\..\\foreign\\canary.txt",
  "/data/writable/a\\..\\..\\foreign",
  "/data/readonly/known.txt/..",
  "/data/readonly/pipe",
  "/external/../data/foreign/canary.txt",
  "/external/canary.txt",
  "/external/known.txt/x",
  "../data/foreign/canary.txt",
  "\ud800",
];

/** Every tool that takes a path; what is written would be seen at the host. */
async function byTools({ call, session }: Stage) {
  const through: string[] = [];
  const attempt = async (tool: string, args: Readonly<Record<string, unknown>>) => {
    const { fault, isError } = await call(tool, { ...args, session_id: session });
    if (!fault && !isError) through.push(`${tool} ${JSON.stringify(args)}`);
  };
  await call("write_file", { path: "mine", content: "x", session_id: session });
  for (const path of HOSTILE_PATHS) {
    await attempt("read_file", { path });
    await attempt("write_file", { path, content: "x" });
    await attempt("move_file", { source: "mine", destination: path });
    await attempt("move_file", { source: path, destination: "stolen" });
    const isLink = path === "/data/writable/file"; // which is the session's to remove
    if (!isLink) await attempt("delete_file", { path, recursive: true });
    if (!path.endsWith("/..")) await attempt("list_files", { path });
  }
  for (const path of ["/data/readonly/known.txt", "/data/readonly/new", "/external/known.txt", "/data/new"]) {
    await attempt("write_file", { path, content: "x" });
    await attempt("delete_file", { path, recursive: true });
    await attempt("move_file", { source: "mine", destination: path });
  }
  return { refused: through.length === 0, got: `through: ${through.join(", ") || "none"}` };
}

async function byResources({ client, session, run }: Stage) {
  await run(
    "python",
    "import os\nos.symlink('/data/foreign/canary.txt', 'l')\nos.symlink('/data/readonly', 'v')",
  );
  const through: string[] = [];
  const paths = [
    "l",
    "v/file",
    "v/up/canary.txt",
    "../data/foreign/canary.txt",
    "%2e%2e/data/readonly/known.txt",
  ];
  const more = [
    "..%2fdata%2freadonly%2fknown.txt",
    "/data/readonly/known.txt",
    "%2fdata%2freadonly%2fknown.txt",
    "",
  ];
  for (const path of [...paths, ...more]) {
    const { fault } = await client.request("resources/read", { uri: `workspace://${session}/${path}` });
    if (!fault) through.push(path);
  }
  return { refused: through.length === 0, got: `through: ${through.join(", ") || "none"}` };
}

export const VOLUME_LINKS: readonly Unfiled[] = [
  python(
    "links that lead out",
    `${ATTEMPTS}${LINKS}
    def known(action):
        found = action()
        if found == "known": raise OSError
        return found
    for link in links:
        attempt(link, lambda: known(lambda: open(link).read()))
        attempt(link, lambda: os.listdir(link))
        attempt(link, lambda: os.stat(link).st_size)
        attempt(link, lambda: shutil.copytree(link, "stolen"))
    def absolute(name):
        target = os.readlink(name)
        if not target.startswith("/") and ".." not in target: raise OSError # it stays inside
        return target
    for name in links[:24]: attempt(name, lambda: absolute(name))
    gained`,
    GAINS_NOTHING,
  ),
  python(
    "writing through links that lead out",
    `${ATTEMPTS}${LINKS}
    open("/data/writable/mine", "w").close()
    for link in links:
        for mode in ("w", "a", "r+", "x"): attempt((link, mode), lambda: open(link, mode))
        for path in (link + "/planted", link + "/d/planted"):
            attempt(path, lambda: open(path, "w"))
            attempt(path, lambda: os.mkdir(path))
            attempt(path, lambda: os.rename("/data/writable/mine", path))
            attempt(path, lambda: os.link("/data/writable/mine", path))
            attempt(path, lambda: os.symlink("x", path))
        attempt(link, lambda: os.truncate(link, 0))
        attempt(link, lambda: os.utime(link, (1, 1)))
        attempt(link, lambda: os.rename(link, "/data/writable/stolen"))
        attempt(link, lambda: os.remove(link + "/canary.txt"))
        attempt(link, lambda: shutil.rmtree(link))
        attempt(link, lambda: os.rmdir(link))
    gained`,
    GAINS_NOTHING,
  ),
  python(
    "removing a link to a directory",
    `
    import os, shutil
    os.remove("/data/writable/directory")
    shutil.rmtree("/data/writable/far")
    os.path.lexists("/data/writable/directory"), os.path.exists("/data/writable/far")
    `,
    { ...yields("(False, False)"), says: "leaves what it leads to alone" },
  ),
  python(
    "dots, separators and NULs in names",
    String.raw`
    import os
    gained = []
    for start in ("/data/readonly/", "/data/writable/", "/external/"):
        for name in ("..\\foreign", "..\\..\\etc\\passwd", "a\\..\\..\\x", "\\", "\\\\host\\share", "\\\\?\\C:\\", "..\0/foreign", "known.txt\0",
                "．．/foreign", "\ud800", "\udc80", "../foreign/canary.txt", "../../etc/passwd", "x/../../foreign", "." * 300, "/" * 5000 + "x", "C:\\x", "a" * 256):
            for action in (os.listdir, os.mkdir, open, lambda path: open(path, "w"), lambda path: os.rename("/data/writable/near", path)):
                try: gained.append((start + name, action(start + name)))
                except (OSError, ValueError): pass
    gained
    `,
    GAINS_NOTHING,
  ),
  python(
    "names that are odd, but names",
    String.raw`
    import os
    names = ["...", ". .", " ", "\n", "\x1b[2J", "\x01", "CON", "C:", "-rf", "~", "%2e%2e", "..%2fforeign", "..／foreign", "a:b", "*?", "😀" * 60, "é" * 127, "\u202e", "__proto__", "constructor"]
    os.mkdir("/data/writable/odd")
    os.chdir("/data/writable/odd")
    for name in names: open(name, "w").write(name)
    held = sorted(os.listdir()) == sorted(names) and all(open(name).read() == name for name in names)
    os.chdir("/app")
    held
    `,
    yields("True"),
  ),
  python(
    "changing what is read-only",
    `${ATTEMPTS}
    for path in ("/data/readonly/known.txt", "/external/known.txt", "/data/readonly/sub/inner/known.txt"):
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_CREAT | os.O_EXCL, os.O_WRONLY | os.O_APPEND):
            attempt((path, flags), lambda: os.open(path, flags))
        attempt(path, lambda: os.write(os.open(path, os.O_RDONLY), b"x"))
        attempt(path, lambda: os.ftruncate(os.open(path, os.O_RDONLY), 0))
        attempt(path, lambda: os.truncate(path, 0))
        attempt(path, lambda: os.remove(path))
        attempt(path, lambda: os.utime(path, (1, 1)))
        attempt(path, lambda: os.rename(path, path + "x"))
        attempt(path, lambda: os.rename(path, "/data/writable/known.txt"))
        attempt(path, lambda: os.rename("/data/writable/near/d/canary.txt", path))
        attempt(path, lambda: os.link(path, "/data/writable/known.txt"))
        attempt(path, lambda: os.link("/data/writable/near/d/canary.txt", path + "x"))
        attempt(path, lambda: os.symlink("x", path + "x"))
        attempt(path, lambda: os.mkdir(path + "x"))
    for path in ("/data/readonly/sub", "/data/readonly", "/data/writable", "/data", "/external"):
        attempt(path, lambda: os.rmdir(path))
        attempt(path, lambda: os.rename(path, "/app/x"))
        attempt(path, lambda: os.rename(path, "/data/x"))
        attempt(path, lambda: shutil.rmtree(path + "/sub/inner"))
    attempt("/data", lambda: os.mkdir("/data/new"))
    attempt("/data", lambda: os.symlink("/app", "/data/new"))
    gained`,
    GAINS_NOTHING,
  ),
  javascript(
    "changing what is read-only, and links, in JavaScript",
    `
    const fs = require("fs"), gained = [];
    const attempt = (what, action) => { try { gained.push([what, action()]); } catch {} };
    for (const path of ["/data/readonly/known.txt", "/external/known.txt", "/data/writable/file", "/data/writable/up/canary.txt", "/data/foreign/canary.txt"]) {
      for (const name of ["writeFileSync", "appendFileSync"]) attempt(path, () => fs[name](path, "x"));
      if (!path.includes("known")) attempt(path, () => fs.readFileSync(path, "utf8"));
      attempt(path, () => fs.truncateSync(path, 0));
      attempt(path, () => fs.utimesSync(path, 1, 1));
      attempt(path, () => fs.renameSync(path, "/data/writable/stolen"));
      attempt(path, () => fs.symlinkSync("x", path + "x"));
      attempt(path, () => fs.linkSync(path, "/app/x"));
      if (path !== "/data/writable/file") attempt(path, () => fs.rmSync(path, { recursive: true }));
    }
    for (const path of ["/data/readonly/up", "/data/readonly/directory", "/data/foreign", "/data/readonly/../foreign", "/data/readonly\\\\..\\\\foreign"]) {
      attempt(path, () => fs.readdirSync(path));
      attempt(path, () => fs.mkdirSync(path + "/planted", { recursive: true }));
      attempt(path, () => fs.rmSync(path, { recursive: true }));
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  shell(
    "changing what is read-only, and links, in the shell",
    "{ cd /data/readonly; echo x > known.txt; echo x >> known.txt; tee known.txt < known.txt; mv known.txt x; mv sub /app/sub; rm -rf sub known.txt many; touch known.txt new; " +
      "ln -s known.txt l; cp known.txt new; sed -i s/k/x/ known.txt; truncate -s 0 known.txt; chmod 777 known.txt; mkdir new; " +
      "cat file up/canary.txt directory/canary.txt pipe ../foreign/canary.txt; ls up/ parent/; cp -r up /app/stolen; cp -rL . /app/all; tar chf /app/t.tar up; " +
      "cd up && pwd; find -L up -type f; head -c 9 pipe; cd /data/writable; cat up/canary.txt; echo x > up/planted; echo x > directory/canary.txt; cp /app/t.tar far/d/; } > out 2>/dev/null; " +
      "cat /app/stolen/canary.txt /app/all/up/canary.txt 2>/dev/null; grep -rl canary /app 2>/dev/null | grep -v out; cat /data/readonly/known.txt /external/known.txt",
    { says: "changes and reads nothing", status: ["completed", "failed"], stdout: /^knownknown$/ },
  ),
  python(
    "special files",
    `${ATTEMPTS}
    import glob
    for mode in ("rb", "wb", "r+b", "ab"): attempt(mode, lambda: open("/data/readonly/pipe", mode, buffering=0))
    attempt("copy", lambda: shutil.copyfile("/data/readonly/pipe", "x"))
    attempt("hidden", lambda: os.listdir("/data/readonly/pipe"))
    gained`,
    GAINS_NOTHING,
    { timeout: 10 },
  ),
  calls("files by their paths", "no tool finds or changes one", byTools),
  calls("files by resources' addresses", "none is found", byResources),
  calls(
    "a directory swapped for a link while it is opened",
    "what the link leads to is never reached",
    swapped,
  ),
];
