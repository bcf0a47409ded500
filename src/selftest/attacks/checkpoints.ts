/** State that is hard to write down: what a session holds must be what it comes back to, whatever was done to it. */

import type { Language } from "../../languages.ts";
import { calls, family, type Stage } from "../attack.ts";

type Step = readonly [Language, string];

/** A tar archive whose member was changed at the end of time. */
const TAR = `
import struct
def header(name, size, mtime):
    h = bytearray(512)
    h[0:len(name)] = name; h[100:108] = b"0000644\\0"; h[108:116] = h[116:124] = b"0001750\\0"
    h[124:136] = b"%011o\\0" % size; h[136:148] = mtime; h[148:156] = b" " * 8; h[156:157] = b"0"; h[257:265] = b"ustar\\x0000"
    h[148:156] = b"%06o\\0 " % sum(h)
    return bytes(h)
with open("t.tar", "wb") as file:
    for n, mtime in enumerate((b"\\x80" + b"\\xff" * 11, b"\\xff" * 12, b"77777777777\\0", b"\\x80" + bytes(3) + b"\\xff" * 8)):
        _ = file.write(header(b"poison%d.txt" % n, 3, mtime) + b"abc" + bytes(509))
    _ = file.write(bytes(1024))`;

/** What sessions are told to hold, by what is hard about it. */
const HOLDINGS: Readonly<Record<string, readonly Step[]>> = {
  "functions with here-documents": [
    [
      "shell",
      "usage() { cat <<EOF\nusage: x\nEOF\n}\nf() { cat <<'E O F'\nhi $x `y`\nE O F\n}\ng() { cat <<-A | sed s/a/b/ <<B\n\tone\n\tA\ntwo\nB\n}",
    ],
  ],
  "names and bodies of functions": [
    [
      "shell",
      "function a-b { echo 1; }; function a.b:c { :; }; function [ { :; }; function è { :; }; " +
      `f() { case $1 in a|b) echo x;;& *) echo y;& esac; }; g() { time { echo a; }; ! true; [[ a =~ (b|c)\\ d ]] || echo "$(cat <<< $'a\\tb')" \${x:-"}"}; }; ` +
      "h() { for ((i=0;i<3;i++)); do echo $((i**2)) >&2; done; diff <(echo a) <(echo b) 3>&1 | tee >(cat); a[1]=2; (( a[1]+=3, b=5 )); }; k() { echo x; } > out 2>&1",
    ],
    ["shell", "function 'x y' { :; }"],
    ["shell", "function $'a\\nb' { :; }; function '$(x)' { :; }; function ';' { :; }"],
  ],
  "variables that are no text, or a lot of it": [
    [
      "shell",
      "x=$'\\ud800'; y=$'\\xff\\xfe'; z=$(printf '\\xff'); declare -A m; m[$x]=1; m[$'\\n']=2; m[__proto__]=3; n=([5]=a [1000000]=b)",
    ],
    ["shell", "a=$(head -c 1000000 /dev/zero | tr '\\0' a); b=$a$a$a$a$a$a$a$a$a$a$a$a$a$a$a$a$a$a$a$a"],
    [
      "javascript",
      "globalThis.odd = ['\\ud800', NaN, -0, 10n ** 1000n, Symbol('x'), new Proxy({}, {}), new Uint8Array(1e6), new WeakRef({})]; 0",
    ],
    [
      "python",
      "import weakref, threading, decimal\nclass C: __slots__ = ('a', '__weakref__')\nodd = [C(), float('nan'), 10**10000, '\\ud800', open('keep.txt'), (n for n in range(3)), threading.Lock()]; refs = [weakref.ref(odd[0])]; None",
    ],
  ],
  "times beyond all calendars, and odd names": [
    ["python", TAR],
    [
      "shell",
      "tar xf t.tar; touch f; touch -d '0001-01-01' f; touch -d '-5000-01-01' f; touch -d '9999-12-31' g",
    ],
    [
      "javascript",
      "const fs = require('fs'); for (const time of [1e15, -5e9, 8.64e12, 1e300]) { fs.writeFileSync('t' + time, 'x'); try { fs.utimesSync('t' + time, time, time); } catch {} } 0",
    ],
    [
      "python",
      "import os\nfor n in ('a\\nb', '\\x01', 'é' * 100, ' ', '-rf'): open(n, 'w').close()\nos.symlink('x' * 4000, 'l')\nos.link('keep.txt', 'k')\nos.utime('k', ns=(2**63 - 1, 2**63 - 1))",
    ],
  ],
};

const HELD: readonly Step[] = [
  ["python", "keep = 'kept'; _ = open('keep.txt', 'w').write(keep)"],
  ["javascript", "globalThis.keep = 'kept'; 0"],
  ["shell", "keep=kept"],
];

/** What a session should have, and does not. */
async function missing({ run }: Stage, session: string): Promise<string[]> {
  const python = await run("python", "globals().get('keep'), open('keep.txt').read()", { session });
  const javascript = await run("javascript", "globalThis.keep", { session });
  const shell = await run("shell", 'echo "$keep"', { session });
  const got = [
    python.result ?? python.error?.message,
    javascript.result ?? javascript.error?.message,
    shell.stdout,
  ];
  const wanted = ["('kept', 'kept')", "'kept'", "kept\n"];
  const notices = [python, javascript, shell].flatMap(({ notice }) => notice === null ? [] : [notice]);
  return [
    ...got.flatMap((text, at) => text === wanted[at] ? [] : [`${text} instead of ${wanted[at]}`]),
    ...notices,
  ];
}

/** Lets sessions of their own hold all that, takes them back by `takeBack`, and looks what they have then. */
async function comeBack(stage: Stage, takeBack: (sessions: readonly string[]) => Promise<string>) {
  const sessions = Object.entries(HOLDINGS).map(([what, steps], at) => ({
    what,
    steps,
    session: `${stage.session}_${at}`,
  }));
  for (const { steps, session } of sessions) {
    for (const [language, code] of [...HELD, ...steps]) await stage.run(language, code, { session });
    // It is answered when the checkpoint of the last step is there.
    await stage.call("get_workspace_info", { session_id: session });
  }
  const said = await takeBack(sessions.map(({ session }) => session));
  const lost: string[] = [];
  for (const { what, session } of sessions) {
    const lacks = await missing(stage, session);
    if (lacks.length > 0) lost.push(`${what}: ${lacks.join("; ")}`);
    await stage.call("destroy_session", { session_id: session });
  }
  return { refused: lost.length === 0, got: `${said}, lost: ${lost.join(", ") || "nothing"}` };
}

export const CHECKPOINTS = family("checkpoints", [
  calls(
    "state that is hard to write down, and the executor lost",
    "all of it comes back",
    (stage) =>
      comeBack(stage, async () => {
        const killed = await stage.loseExecutors();
        return killed === undefined ? "executors can't be found out here" : `${killed} lost`;
      }),
  ),
  calls(
    "state that is hard to write down, and a run taken back",
    "all of it is there",
    (stage) =>
      comeBack(stage, async (sessions) => {
        const states: string[] = [];
        for (const session of sessions) {
          const { state } = await stage.run(
            "python",
            "keep = open('keep.txt', 'w').write('spoiled'); 1 / 0",
            {
              session,
              args: { on_failure: "rollback" },
            },
          );
          states.push(state);
        }
        return states.join();
      }),
  ),
  calls("times beyond all calendars", "files are listed and read", async ({ run, call, client, session }) => {
    for (const [language, code] of HOLDINGS["times beyond all calendars, and odd names"]!) {
      await run(language, `${language === "python" ? "open('keep.txt', 'w').close()\n" : ""}${code}`);
    }
    const failed: string[] = [];
    const ask = async (tool: string, args: object) => {
      const { fault, isError, structured } = await call(tool, { session_id: session, ...args });
      if (fault || isError) failed.push(`${tool}: ${fault?.message ?? JSON.stringify(structured["error"])}`);
    };
    await ask("list_files", { recursive: true });
    await ask("get_workspace_info", {});
    for (let n = 0; n < 4; n++) await ask("read_file", { path: `poison${n}.txt` });
    await ask("read_file", { path: "k" });
    const { fault } = await client.request("resources/list", {});
    if (fault) failed.push(`resources/list: ${fault.message}`);
    for (
      const [language, code] of [
        ["python", "import os\n[os.stat(name).st_mtime for name in os.listdir() if os.path.exists(name)]"],
        [
          "javascript",
          "require('fs').readdirSync('.').filter((name) => name !== 'l').map((name) => require('fs').statSync(name).mtime.toISOString()).length",
        ],
        [
          "shell",
          "ls -l > /dev/null; stat * > /dev/null; find . -newer f > /dev/null; tar cf /tmp/all.tar .",
        ],
      ] as const
    ) {
      const { status, error } = await run(language, code);
      if (status !== "completed") failed.push(`${language}: ${error?.message}`);
    }
    return { refused: failed.length === 0, got: `failed: ${failed.join(", ") || "nothing"}` };
  }),
]);
