/** More than a mapped directory of the host may hold, tell or do. */

import {
  calls,
  ends,
  GAINS_NOTHING,
  javascript,
  python,
  raises,
  type Stage,
  type Unfiled,
  yields,
} from "../attack.ts";
import { MANY, MANY_NAME } from "../volumes.ts";

/** Two sessions fill the same volume; what they may add is counted for both together. */
async function filledByTwo({ run, call, session }: Stage) {
  const other = `${session}_too`;
  const fill = (name: string) => `
import errno
def fill(f):
    while True: f.write(bytes(20_000))
codes = set()
for n in range(3):
    for position in (0, 2**40):
        try:
            with open(f"/data/narrow/${name}{n}", "ab", buffering=0) as f: f.truncate(position); fill(f)
        except OSError as error: codes.add(error.errno)
[errno.errorcode[code] for code in codes]`;
  const replies = await Promise.all([run("python", fill("a")), run("python", fill("b"), { session: other })]);
  await call("destroy_session", { session_id: other });
  const got = replies.map(({ result, error }) => result ?? error?.message).join(" and ");
  return { refused: replies.every(({ result }) => result === "['ENOSPC']"), got };
}

/** Two pages of a listing, each as long as it may be. */
async function listedByTool({ call, session }: Stage) {
  await call("create_session", { session_id: session });
  const list = (more: object) =>
    call("list_files", { path: "/data/readonly/many", limit: 1000, session_id: session, ...more });
  const pages = [await list({})];
  pages.push(await list({ after: pages[0]!.structured["next"] ?? "" }));
  const entries = pages.flatMap(({ structured }) => structured["entries"] as { path: string }[] ?? []);
  const names = new Set(entries.map(({ path }) => path));
  const answered = pages.every(({ isError, fault }) => !isError && !fault);
  return {
    refused: answered && names.size === entries.length && names.size > 1,
    got: `${names.size} names ${JSON.stringify(pages.map(({ structured }) => structured["error"]))}`,
  };
}

export const VOLUME_BOUNDS: readonly Unfiled[] = [
  python(
    "counting the disk wrong",
    `
    import os, errno
    os.chdir("/data/narrow")
    codes = set()
    def attempt(action):
        try: return action()
        except OSError as error: codes.add(error.errno)
    for n in range(8):
        with open("f", "wb") as f: f.write(bytes(20_000))
        attempt(lambda: os.rename("f", "f"))
        attempt(lambda: os.link("f", "g"))
        attempt(lambda: os.truncate("f", 2**40))
        attempt(lambda: os.truncate("f", 10))
        attempt(lambda: os.truncate("f", 20_000))
        attempt(lambda: os.rename("f", "h"))
        attempt(lambda: os.remove("h"))
        attempt(lambda: os.remove("h"))
        attempt(lambda: os.mkdir("d"))
        attempt(lambda: os.mkdir("d"))
        attempt(lambda: os.rmdir("d"))
        attempt(lambda: os.rmdir("d"))
    n = 0
    while errno.ENOSPC not in codes or n < 80:
        attempt(lambda: open(f"full{n}", "xb").close())
        n += 1
    for name in os.listdir(): attempt(lambda: open(name, "ab").write(bytes(10_000)))
    errno.errorcode[max(codes & {errno.ENOSPC})]
    `,
    { ...yields("'ENOSPC'"), says: "ends with ENOSPC, and no more than is allowed at the host" },
  ),
  calls("filling the disk from two sessions", "each ends with ENOSPC", filledByTwo),
  python(
    "deep trees",
    `
    import os, shutil
    depth = 0
    os.mkdir("/data/writable/deep")
    os.chdir("/data/writable/deep")
    try:
        while depth < 1000: os.mkdir("d"); os.chdir("d"); depth += 1
    except OSError as error: print(error)
    os.chdir("/app")
    gained = []
    for path in ("d/" * 2000, ("x" * 255 + "/") * 20):
        try: os.mkdir("/data/writable/deep/" + path); gained.append(path)
        except OSError: pass
    shutil.rmtree("/data/writable/deep")
    10 < depth < 200, gained, os.path.exists("/data/writable/deep")
    `,
    yields("(True, [], False)"),
    { timeout: 60 },
  ),
  python(
    "a huge listing of names that are longer than they look",
    `import os\nlen({name for name in os.listdir("/data/readonly/many") if len(name) > ${MANY_NAME.length}})`,
    yields(String(MANY)),
  ),
  calls("a huge listing by a tool", "each page is answered, with other names", listedByTool),
  python(
    "a file of eight gigabytes read whole",
    `open("/data/readonly/sparse", "rb").read()`,
    ends("out_of_memory", "failed"),
  ),
  javascript(
    "a file of eight gigabytes read whole, in JavaScript",
    `require("fs").readFileSync("/data/readonly/sparse"); throw new Error("EMPTY")`,
    raises(/EFBIG|EMPTY/),
  ),
  python(
    "times beyond all calendars",
    `
    import _wasmbox, json, os
    for n, time in enumerate((2**63 - 1, -1, 1 - 2**63, 0)):
        try: open(f"/data/writable/t{n}", "w"), os.utime(f"/data/writable/t{n}", ns=(time, time))
        except (OSError, OverflowError): pass
    for n, time in enumerate(("9" * 20, "8640000000000000000000", "0", "1" + "0" * 19)):
        open(f"/data/writable/u{n}", "w").close()
        try: _wasmbox.host_call("volume.change", json.dumps({"volume": "writable", "names": [f"u{n}"], "kind": "times", "atime": time, "mtime": time}).encode())
        except OSError: pass
    [name for name in os.listdir("/data/writable") if name[1:].isdigit() and os.stat("/data/writable/" + name).st_mtime < 0]
    `,
    GAINS_NOTHING,
  ),
  python(
    "asking without end",
    `import os\nwhile True:\n  try: os.stat("/data/readonly/known.txt"); os.listdir("/data/readonly/sub"); open("/data/writable/near/d/canary.txt").read()\n  except OSError: pass`,
    ends("timeout"),
    { timeout: 0.5 },
  ),
];
