/** What programs display, as a client gets it: image blocks, tables, links, and what hostile programs make of it. */

import assert from "node:assert/strict";
import { pictureSize } from "../../src/picture.ts";
import { inFull } from "../../src/mcp/left_out.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

interface Shown {
  mime_type: string;
  size: number;
  source: string;
  text: string | null;
  image: number | null;
  width: number | null;
  path: string | null;
  uri: string | null;
  note: string | null;
}

interface Reply {
  text: string;
  images: { data: Uint8Array; mimeType: string }[];
  links: { uri: string; mimeType: string; size: number }[];
  displays: Shown[];
  dropped: number;
  status: string;
  result: string | null;
  stdout: string;
  stderr: string;
}

/** The smallest PNG, with a chunk of a size of one's own, as Python makes it. */
const PNG = `
import zlib, struct
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(width=1, height=1, extra=0):
    rows = (b"\\0" + b"\\0" * width) * (height if width * height < 1000 else 1)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"teXt", b"k\\0" + b"x" * extra), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\\x89PNG\\r\\n\\x1a\\n" + b"".join(parts)
`;
const SVG = 'xmlns="http://www.w3.org/2000/svg"';

async function call(server: TestServer, language: string, code: string, more = {}): Promise<Reply> {
  const args = { language, code, ...more };
  const result = await server.client.callTool({ name: "execute_code", arguments: args }, { timeout: 60_000 });
  const content = result.content as { type: string; text: string; data: string; mimeType: string }[];
  const structured = inFull(result.structuredContent as Record<string, unknown>);
  const images = content.filter(({ type }) => type === "image").map(({ data, mimeType }) => ({
    data: Uint8Array.from(atob(data), (char) => char.charCodeAt(0)),
    mimeType,
  }));
  return {
    ...structured,
    text: content[0]!.text,
    images,
    links: content.filter(({ type }) => type === "resource_link") as unknown as Reply["links"],
    dropped: structured["displays_dropped"],
  } as unknown as Reply;
}

Deno.test(`[${UNDER_TEST}] displays`, async (t) => {
  await using server = await TestServer.start();
  const python = (code: string, more = {}) => call(server, "python", code, more);
  const javascript = (code: string, more = {}) => call(server, "javascript", code, more);
  await python(PNG);

  await t.step(
    "name the characters that a picture's fonts don't have, to programs and to models",
    async () => {
      const svg = (text: string) => `<svg ${SVG} width="90" height="30"><text y="20">${text}</text></svg>`;
      const shown = await javascript(`display(${JSON.stringify(svg("ក ok"))})`);
      assert.equal(shown.displays[0]!.note, "no font here has ក: boxes are drawn for them");
      assert.match(shown.text, /pixels: no font here has ក/);
      assert.equal((await javascript(`display(${JSON.stringify(svg("Größe 😀"))})`)).displays[0]!.note, null);
    },
  );

  await t.step("turn the labels of a chart that have no room, in a picture of at most 60 KB", async () => {
    const shown = await python(`import pygal
turned = pygal.Line(title="Months"); turned.x_labels = [f"September {year}" for year in range(2000, 2012)]
for k in (1, 2, 3): turned.add(f"series {k}", [(i * 7 * k) % 11 + i for i in range(12)])
display(turned)
print("rotate(30" in turned.render(is_unicode=True))
plain = pygal.Line(); plain.x_labels = ["Jan", "Feb"]; plain.add("a", [1, 2])
print("rotate(" in plain.render(is_unicode=True))`);
    assert.equal(shown.stdout, "True\nFalse\n");
    assert.ok(shown.images[0]!.data.length <= 60_000, `${shown.images[0]!.data.length} bytes`);
  });

  await t.step("show a chart of pygal as a picture, and link nothing", async () => {
    const shown = await python("import pygal\nchart = pygal.Bar()\nchart.add('a', [1, 2])\ndisplay(chart)");
    const [image] = shown.images;
    assert.deepEqual(pictureSize(image!.mimeType, image!.data), { width: 800, height: 600 });
    assert.ok(image!.data.length > 5000, "there is more than a white page");
    const { mime_type, size, source, width, note } = shown.displays[0]!;
    assert.deepEqual([mime_type, size, source, width, note], [
      "image/png",
      image!.data.length,
      "display",
      800,
      null,
    ]);
    assert.match(shown.text, /\[image\/png of 800 × 600 pixels\]/);
    assert.deepEqual(shown.links, []);
  });

  await t.step("show the last expression by the best of its hooks, and keep its repr", async () => {
    const { displays, result, images } = await python(
      "class P:\n def _repr_png_(self): return png(2, 3)\n def _repr_html_(self): return '<b>'\nP()",
    );
    assert.deepEqual(displays.map(({ source, width }) => [source, width]), [["result", 2]]);
    assert.equal(images.length, 1);
    assert.match(result!, /^<__main__.P object/);
  });

  await t.step(
    "show lists of dicts, frames and what has Markdown as tables and text in the text",
    async () => {
      const frame = `
class Frame:
    columns = ["n", "s"]
    def __len__(self): return 1000
    def itertuples(self, index, name): return ((i, f"|{i}") for i in range(1000))
    def _repr_html_(self): return "<table>"
display([{"a": 1}, {"b": "x"}], Frame())
class M:
    def _repr_mimebundle_(self, include=None, exclude=None): return {"text/markdown": "**m**", "text/plain": "m"}, {}
M()`;
      const { text, displays, stdout } = await python(frame);
      assert.match(text, /\| a \| b \|\n\| --- \| --- \|\n\| 1 \| {2}\|\n\| {2}\| x \|/);
      assert.match(text, /\| 49 \| \\\|49 \|\n\n\(950 more rows\)\n\*\*m\*\*$/);
      assert.equal(displays.every(({ mime_type }) => mime_type === "text/markdown"), true);
      assert.equal(stdout, "");
      const { text: table } = await javascript("display([{ a: 1, b: { c: 2 } }]); [{ x: 'y' }]");
      assert.equal(table, "| a | b |\n| --- | --- |\n| 1 | { c: 2 } |\n| x |\n| --- |\n| y |");
    },
  );

  await t.step(
    "of JavaScript are bytes, SVG, objects with Symbol.for('Jupyter.display'), and any value",
    async () => {
      const { displays, images } = await javascript(`
      display("<svg ${SVG.replaceAll('"', "'")} width='30' height='20'><rect width='9' height='9'/></svg>");
      display(new Uint8Array([37, 80, 68, 70, 45]));
      display({ [Symbol.for("Jupyter.display")]: () => ({ "text/html": "<i>h</i>" }) });
      display({ x: 1 });
      display({ a: [1] }, { mime: "application/json" });`);
      assert.deepEqual(displays.map(({ mime_type, text, width }) => [mime_type, text, width]), [
        ["image/png", null, 30],
        ["application/pdf", null, null],
        ["text/html", "<i>h</i>", null],
        ["text/plain", "{ x: 1 }", null],
        ["application/json", '{"a":[1]}', null],
      ]);
      assert.equal(images.length, 1);
    },
  );

  await t.step("that are too large are files with a link, which a rollback takes back", async () => {
    const { displays, images, links } = await python("display(png(extra=500_000), png(extra=500_000))");
    assert.deepEqual(displays.map(({ image }) => image), [0, null]);
    assert.equal(images.length, 1);
    assert.deepEqual(links.map(({ uri, mimeType }) => [uri, mimeType]), [[displays[1]!.uri!, "image/png"]]);
    const read = await server.call("read_file", { path: displays[1]!.path!, encoding: "base64" });
    assert.equal(read.isError, false);
    const undone = await python("display(png(extra=900_000)); 1/0", { on_failure: "rollback" });
    assert.deepEqual([undone.displays, undone.dropped, undone.links], [[], 1, []]);
  });

  await t.step("can't be forged by what is printed", async () => {
    const { displays, stdout } = await python(
      'print(\'{"mime":"image/png","source":"display"}\\n{"type":"display"}\')',
    );
    assert.deepEqual(displays, []);
    assert.match(stdout, /image\/png/);
  });

  await t.step("that fail are told, and harm nothing", async () => {
    const failing = `
class F:
    def _repr_svg_(self): raise ValueError("broken")
    def _repr_html_(self): return "<p>"
display(F())
F()`;
    const { displays, stderr, status } = await python(failing);
    assert.deepEqual(displays.map(({ mime_type }) => mime_type), ["text/html", "text/html"]);
    assert.match(stderr, /^display: F\._repr_svg_ raised ValueError: broken\n/);
    assert.equal(status, "completed");
    const thrown = await javascript(
      "({ [Symbol.for('Jupyter.display')]() { throw new Error('broken') }, a: 1 })",
    );
    assert.equal(thrown.status, "completed");
    assert.match(thrown.stderr, /^display: the result: Error: broken/);
    const wrong = await python("display('x', mime_type='no type')");
    assert.match(wrong.text, /ValueError: 'no type' can't be displayed/);
    const lies = await python("import _wasmbox\n_wasmbox.host_call('display', b'x' * 100)");
    assert.match(lies.text, /OSError: the request, or the MIME type in it, is invalid/);
  });

  await t.step("that are pictures only by name, or far too large ones, are not shown", async () => {
    const { displays, images } = await python(
      "display(b'GIF89a', png()[:-1], png(60_000, 60_000))\ndisplay(b'no jpeg', mime_type='image/jpeg')",
    );
    assert.deepEqual(images, []);
    assert.deepEqual(displays.map(({ path, note }) => [path?.split(".").at(-1), note]), [
      ["gif", null],
      ["png", "it is not a whole image/png"],
      ["png", "it has more than 8000 pixels on a side"],
      ["jpg", "it is not a whole image/jpeg"],
    ]);
  });

  await t.step("that loop or flood end with the execution, bounded", async () => {
    const looped = await python(
      "class L:\n def _repr_html_(self):\n  while True: pass\nx = 1\nL()",
      { timeout: 0.5 },
    );
    assert.equal(looped.status, "timeout");
    assert.equal((await python("x")).result, "1");
    const flooded = await python("for i in range(5000): display(i)");
    assert.deepEqual([flooded.displays.length, flooded.dropped], [20, 4980]);
    await server.call("create_session", { session_id: "small", flavor: "small" });
    const large = "b = bytes(12_000_000)\nfor _ in range(7): display(b, mime_type='a/b')";
    const full = await python(large, { session_id: "small" });
    assert.deepEqual([full.displays.length, full.dropped, full.status], [5, 2, "completed"]);
  });

  await t.step("are shown by programs of a script, but not for their last expressions", async () => {
    const script = `
echo "display([{'a': 1}])
[{'b': 2}]" > a.py
echo 'display("j"); [{ c: 3 }]' > a.js
python a.py && node a.js`;
    const { displays, stdout, stderr } = await call(server, "shell", script);
    assert.deepEqual(displays.map(({ text }) => text), ["| a |\n| --- |\n| 1 |", "j"]);
    assert.deepEqual([stdout, stderr], ["", ""]);
  });

  await t.step("leave shared values alone, which a rollback takes back", async () => {
    await python("share('v', 1)");
    await javascript("share('v', shared('v') + 1); throw 0", { on_failure: "rollback" });
    assert.equal((await python("shared('v')")).result, "1");
    await javascript("share('v', shared('v') + 1)");
    assert.equal((await python("shared('v')")).result, "2");
  });

  await t.step("of an execution without fuel or time left are not drawn, and linked", async () => {
    const svg = `<svg ${SVG} width='1600' height='1600'/>`;
    const { displays, status } = await python(`display('''${svg}''')`, { fuel_budget: 2_000_000 });
    assert.equal(status, "completed");
    assert.deepEqual(displays.map(({ mime_type, note }) => [mime_type, note]), [
      ["image/svg+xml", "the SVG takes too long to be drawn"],
    ]);
  });
});

Deno.test(`[${UNDER_TEST}] displays end at the bounds of the policy`, async () => {
  const file = await Deno.makeTempFile({ suffix: ".toml" });
  await Deno.writeTextFile(file, "max_displays = 3\ndisplay_max_bytes = 10");
  const command = serverCommand();
  await using server = await TestServer.start({
    ...command,
    args: [...command.args, "serve", "--policy", file],
  });
  await Deno.remove(file);
  const { displays, dropped, links } = await call(
    server,
    "python",
    "display('123456', '12345', '1234', 'x')",
  );
  assert.deepEqual(displays.map(({ text }) => text), ["123456", null, "1234"]);
  assert.deepEqual([displays[1]!.path, links.length, dropped], [".display/1-1.txt", 1, 1]);
  const flood = await call(server, "javascript", "for (let i = 0; i < 100; i++) display('')");
  assert.deepEqual([flood.displays.length, flood.dropped], [3, 97]);
});
