/** What is shown beside the output: floods, false pictures, forged calls, objects that fight back. */

import { calls, ends, family, javascript, python, type Stage, yields } from "../attack.ts";
import { series } from "../series.ts";
import { PICTURES } from "./displays_pictures.ts";
import { PNG } from "./png.ts";

/** What a run showed before it was stopped, and after it was told to stop, is nothing of the next run's. */
async function afterTheEnd({ run }: Stage) {
  const got: string[] = [];
  for (
    const [language, code] of [
      [
        "python",
        `
display("before")
try:
    while True: pass
except BaseException:
    while True: display("after")`,
      ],
      [
        "javascript",
        `setTimeout(() => display("after"), 1); display("before"); while (true) { try { while (true); } finally { display("after"); } }`,
      ],
    ] as const
  ) {
    const stopped = await run(language, code, { timeout: 0.4 });
    const next = await run(language, language === "python" ? `display("mine")` : `display("mine"); 0`);
    const { status, displays } = stopped;
    got.push(`${status} ${displays.length <= 20} ${next.status} ${next.displays.map(({ text }) => text)}`);
  }
  return { refused: got.every((each) => each === "timeout true completed mine"), got: got.join(", ") };
}

export const DISPLAYS = family("displays", [
  ...PICTURES,
  calls("more than there is room for", "what is left out is counted", async ({ run }) => {
    const many = await run("python", "for n in range(200): display(n)");
    const long = await run("javascript", `for (let n = 0; n < 30; n++) display("é".repeat(300_000))`);
    const full = await run(
      "python",
      "b = bytes(15_000_000)\nfor _ in range(5): display(b, mime_type='a/b')",
    );
    const got = [many, long, full].map(({ displays, displays_dropped }) =>
      `${displays.length}+${displays_dropped}`
    );
    return { refused: /^20\+180,20\+10,[1-4]\+[1-4]$/.test(got.join()), got: got.join() };
  }),
  calls("false pictures", "none is shown as one", async ({ run }) => {
    const code = `${PNG}
pictures = [png()[:-1], png()[:40], png(0, 0), png(1, 0), png(2**32 - 1, 1), png(8001, 8001), b"\\x89PNG\\r\\n\\x1a\\n<script>alert(1)</script>", b"GIF89a" + bytes(100), b"\\xff\\xd8\\xff\\xd9",
    b"\\xff\\xd8" + b"\\xff" * 1000 + b"\\xff\\xd9", b"\\xff\\xd8\\xff\\xc0\\0\\x11\\x08\\xff\\xff\\xff\\xff" + bytes(9) + b"\\xff\\xd9", b"\\xff\\xd8\\xff\\xe0\\0\\0" * 1000 + b"\\xff\\xd9"]
for picture in pictures: display(picture)
for kind in ("image/png", "image/jpeg"):
    for data in (b"", b"<html>", b"<svg xmlns='http://www.w3.org/2000/svg'/>"): display(data, mime_type=kind)
len(pictures) + 6`;
    const { displays, images, result } = await run("python", code);
    const shown = displays.filter(({ path }) => path === null).length;
    return {
      refused: result === "18" && displays.length === 18 && images.length === 0 && shown === 0,
      got: `${displays.length} displays, ${shown} shown, ${images.length} pictures`,
    };
  }),
  series(
    "python",
    "types that are none",
    "each is refused, or saved",
    Object.fromEntries(
      [
        "",
        "/",
        "image",
        "image/png\n",
        "image/png\0",
        "../../x",
        "a/../../x",
        "text/html;x=y",
        "text/plain, image/png",
        "__proto__",
        "é/é",
        "a/" + "b".repeat(100),
      ]
        .map((type) => [type, `display(b"x", mime_type=${JSON.stringify(type)})`]),
    ),
    ({ status, images, displays }) => status === "failed" && images.length + displays.length === 0,
  ),
  calls("displays of a run that was stopped", "none of them is the next run's", afterTheEnd),
  python(
    "forged calls",
    `
    import _wasmbox, json
    gained = []
    heads = [b"", b"null", b"[]", b"1", b"{}", b"\\xff", b"[" * 10**5, b'{"mime":"image/png"}', b'{"mime":"image/png","source":"server"}', b'{"mime":["image/png"],"source":"display"}',
        b'{"mime":"image/png\\\\n","source":"display"}', b'{"mime":"../x","source":"display"}', b'{"mime":"a/../../x","source":"display"}', b'{"mime":"__proto__","source":"display"}',
        b'{"__proto__":{"mime":"text/plain","source":"display"}}', b'{"mime":"text/plain","source":"display"}' + b" " * 10**6]
    for head in heads:
        for data in (b"", b"x"):
            try: gained.append((head[:50], _wasmbox.host_call("display", head, data)))
            except OSError: pass
    gained
    `,
    yields("[]"),
  ),
  calls("forged fields", "only what is shown counts", async ({ run }) => {
    const code = `import _wasmbox
_wasmbox.host_call("display", b'{"mime":"text/html","source":"result","path":"/data/readonly/known.txt","note":"x","uri":"file:///etc/passwd","pixels":{"width":1,"height":1},"size":1e9,"image":0}', b"<b>")
print('{"type":"display","mime":"image/png"}')
0`;
    const { displays, images } = await run("python", code);
    const [one] = displays;
    const honest = displays.length === 1 && one!.text === "<b>" && one!.path === null && one!.note === null &&
      one!.size === 3 && one!.image === null;
    return { refused: honest && images.length === 0, got: JSON.stringify(displays) };
  }),
  calls("a place to save that leads elsewhere", "nothing is written there", async ({ run }) => {
    const got: string[] = [];
    for (
      const target of ["/data/writable/up", "/data/readonly", "/data/foreign", "/dev", "/usr/lib", "/", "x"]
    ) {
      const code = `
import os, shutil
if os.path.islink("/app/.display"): os.remove("/app/.display")
os.symlink("${target}", "/app/.display")
display(b"GIF89a"); display("<svg>")`;
      const { status } = await run("python", code);
      got.push(status);
    }
    const named = `
import os
os.remove("/app/.display"); os.mkdir("/app/.display")
for n in range(30):
    for k in range(4): os.symlink(("/data/writable/file", "/data/readonly/known.txt", "/dev/full", "../../data/foreign/canary.txt")[k], f"/app/.display/{n}-{k + 1}.gif")
for _ in range(4): display(b"GIF89a")`;
    const { status, displays_dropped: dropped } = await run("python", named);
    got.push(`${status}, ${dropped} dropped`);
    return {
      refused: got.every((each) => each.startsWith("completed")) && dropped >= 3,
      got: got.join(", "),
    };
  }),
  python(
    "objects that fight back",
    `
    class Any:
        def __getattr__(self, name): return lambda *more: Any()
        def __iter__(self): return iter(Any, 0)
    class Text(str):
        def encode(self, *more): raise SystemExit(9)
        def __len__(self): return 10**12
    class Picture(bytes):
        def startswith(self, *more): raise SystemExit(9)
        def __len__(self): return -1
    class Bundle(dict):
        def get(self, *more): raise RuntimeError("no")
        def __getitem__(self, key): return Any()
    class Broken(Exception):
        def __str__(self): raise Broken()
    class Named(type):
        __name__ = property(lambda self: 1 / 0)
        def __getattribute__(cls, name): raise Broken()
    def of(hook, value):
        def give(self, *more):
            if isinstance(value, BaseException): raise value
            return value
        return type("Shown", (), {hook: give, "columns": ["a"], "__len__": lambda self: -1 if hook == "itertuples" else 1})()
    hostile = [Any(), Text("<svg"), Picture(b"GIF8"), [Bundle()], Bundle, Named("N", (), {}), [{Any(): Any()}], [{n: n for n in range(10**5)}] * 10, [{}] * 10**6]
    for hook in ("_repr_png_", "_repr_svg_", "_repr_html_", "_repr_json_", "_repr_markdown_", "_repr_mimebundle_", "itertuples", "iter_rows"):
        hostile += [of(hook, value) for value in (1, Text("<svg"), Picture(b"x"), Any(), Bundle(), (), (None,), {"image/png": "no base64"}, {"image/svg+xml": 5}, "x" * 10**7, Broken(), ImportError())]
    ended = {}
    for value in hostile:
        try: display(value)
        except BaseException as error: ended[type(error).__name__] = ended.get(type(error).__name__, 0) + 1
    len(hostile)
    `,
    { ...ends("completed"), says: "are shown, or refused", result: "105" },
  ),
  series(
    "python",
    "hooks that never return, or end the program",
    "each ends as its own code does",
    Object.fromEntries([
      ...["_repr_png_", "_repr_mimebundle_"].map((hook) => [
        hook,
        `class A:\n columns = ["a"]\n def __len__(self): return 1\n def ${hook}(self, *a, **k):\n  while True: pass\nA()`,
      ]),
      ...["SystemExit(3)", "KeyboardInterrupt()", "GeneratorExit()", "MemoryError()"].map((error) => [
        error,
        `class A:\n def _repr_html_(self): raise ${error}\nA()`,
      ]),
      [
        "a million rows",
        "class A:\n columns = ['a']\n def __len__(self): return 10**18\n def itertuples(self, **k):\n  while True: yield iter(int, 1)\nA()",
      ],
    ]),
    ({ status, state }) =>
      ["timeout", "failed", "completed", "out_of_memory"].includes(status) && state === "kept",
    { timeout: 0.4 },
  ),
  series(
    "javascript",
    "values that fight back when they are shown",
    "each is shown, or refused",
    {
      "an offer that throws":
        `({ [Symbol.for("Jupyter.display")]() { throw new Proxy({}, { get() { throw 1; } }); } })`,
      "an offer of everything":
        `({ [Symbol.for("Jupyter.display")]: () => new Proxy({}, { get: (_, key) => new Proxy({}, {}) }) })`,
      "a getter as offer":
        `({ get [Symbol.for("Jupyter.display")]() { throw { toString() { throw 1; } }; } })`,
      "rows with getters": `[{ get a() { throw new Error("x"); } }, { a: 1 }]`,
      "rows of proxies":
        `[new Proxy({}, { ownKeys: () => ["a", "b"], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1 }), get: () => ({}) })]`,
      "an array that lies":
        `display(Object.assign([{}], { slice: () => ({ every: () => true, flatMap: () => ({ [Symbol.iterator]: 5 }) }) }))`,
      "a detached buffer":
        `const b = new ArrayBuffer(8); const view = new Uint8Array(b); b.transfer?.(); display(view); display(b, "image/png")`,
      "a shared buffer": `display(new Uint8Array(new SharedArrayBuffer(8)), "image/png")`,
      "a buffer of half the heap": `display(new Uint8Array(5e7), "a/b")`,
      "a type that is an object":
        `display("x", { mime: { toString() { return "image/png"; }, toLowerCase() { throw 1; } } })`,
      "a type that changes":
        `let n = 0; display("x", { get mime() { return n++ ? "image/png" : "text/html"; } })`,
      "patched helpers":
        `JSON.stringify = () => '{"mime":"image/png","source":"display"}'; String.prototype.toLowerCase = () => ({}); Array.prototype.find = () => ["image/png", 5]; display("<svg"); 0`,
    },
    ({ status, state, images }) =>
      ["completed", "failed"].includes(status) && state === "kept" && images.length === 0,
  ),
  javascript(
    "an offer that never returns",
    `({ [Symbol.for("Jupyter.display")]() { while (true); } })`,
    ends("timeout"),
    { timeout: 0.4 },
  ),
]);
