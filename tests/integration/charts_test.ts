/** How charts of matplotlib look, in builds that have it. */

import assert from "node:assert/strict";
import { type TestServer, UNDER_TEST } from "../support/harness.ts";
import { hasScience } from "../support/science.ts";
import { sharedServer } from "../support/shared.ts";

const MAX_BYTES = 60_000;

function test(name: string, fn: (server: TestServer) => Promise<void>): void {
  Deno.test({
    name: `[${UNDER_TEST}] ${name}`,
    ignore: !hasScience(),
    fn: async () => fn(await sharedServer()),
  });
}

/** The picture that a program shows, as PNG. */
async function pictureOf(server: TestServer, code: string): Promise<Uint8Array<ArrayBuffer>> {
  const { content } = await server.client.callTool({ name: "execute_code", arguments: { code } });
  const pictures = content.flatMap((block) => block.type === "image" ? [block.data] : []);
  assert.equal(pictures.length, 1, JSON.stringify(content).slice(0, 1000));
  return Uint8Array.fromBase64(pictures[0]!);
}

/** Of a PNG. */
function heightOf(picture: Uint8Array): number {
  return new DataView(picture.buffer, picture.byteOffset).getUint32(20);
}

const LONG_NAMES = "[f'a rather long name {i}' for i in range(8)]";
const bars = (names: string) => `
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
axes.bar(${names}, range(8))
plt.show()
{label.get_rotation() for label in axes.get_xticklabels()}`;

test("the README's chart is what its code draws, in 60 KB at most", async (server) => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  const code = /```python\n([^]*?)```\n\n!\[The chart\]/.exec(readme)?.[1];
  assert.ok(code);
  const picture = await pictureOf(server, code);
  const directory = Deno.env.get("TEST_SCREENSHOTS");
  if (directory) await Deno.writeFile(`${directory}/chart.png`, picture);
  assert.ok(picture.length <= MAX_BYTES, `${picture.length} bytes`);
  const known = await Deno.readFile(new URL("../../docs/pictures/chart.png", import.meta.url));
  assert.ok(picture.toHex() === known.toHex(), "they differ: TEST_SCREENSHOTS=docs/pictures draws it anew");
});

test("a line of thousands of points takes no more", async (server) => {
  const picture = await pictureOf(
    server,
    "import numpy as np, matplotlib.pyplot as plt\nplt.plot(np.random.default_rng(1).random(3000))\nplt.show()",
  );
  assert.ok(picture.length <= MAX_BYTES, `${picture.length} bytes`);
});

test("names that would run into each other are turned while they are shown", async (server) => {
  const [long, short] = [
    await pictureOf(server, bars(LONG_NAMES)),
    await pictureOf(server, bars("list('abcdefgh')")),
  ];
  assert.ok(heightOf(long) > heightOf(short) + 100, `${heightOf(long)} pixels of ${heightOf(short)}`);
  assert.equal((await server.python(bars(LONG_NAMES))).result, "{0.0}");
});

test("subplots get the room that their titles take while they are shown", async (server) => {
  const shown = (before: string) => `
import matplotlib.pyplot as plt
figure, all = plt.subplots(3, 1)
for axes in all:
    axes.set(title="A title", xlabel="A label")
${before}
plt.show()
all[0].get_position().height`;
  const { result } = await server.python(shown(""));
  assert.ok(Number(/[\d.]+(?=\)?$)/.exec(result ?? "")?.[0]) > 0.2, result ?? "");
  const spread = await pictureOf(server, shown(""));
  const asToldTo = await pictureOf(server, shown("figure.subplots_adjust(hspace=0.3)"));
  assert.ok(spread.toHex() !== asToldTo.toHex(), "nothing was spread");
});

test("a grid is thin and solid, images have none, and a program's own style is its own", async (server) => {
  const { result } = await server.python(`
import matplotlib.pyplot as plt
started = plt.rcParams["axes.grid"], plt.rcParams["grid.linestyle"]
figure, axes = plt.subplots(1, 2)
axes[0].imshow([[1, 2], [3, 4]])
twin = axes[1].twinx()
grids = [any(line.get_visible() for line in each.get_xgridlines()) for each in (*axes, twin)]
plt.close()
with plt.style.context("default"):
    plain = plt.rcParams["axes.grid"]
started, grids, plain, plt.rcParams["axes.grid"]`);
  assert.equal(result, "((True, '-'), [False, True, False], False, True)");
});

test("Chinese and Japanese are drawn, whatever font a program asks for", async (server) => {
  const drawn = await server.python(`
import matplotlib.pyplot as plt, warnings
warnings.simplefilter("error")
plt.rcParams["font.sans-serif"] = ["SimHei"]
plt.title("销售 データ Sales"); plt.plot([1]); plt.savefig("a.png")
plt.rcParams["font.family"] = "Noto Sans CJK SC"
plt.title("销售"); plt.savefig("b.png"); plt.close()
import os; os.path.getsize("a.png") > 5000`);
  assert.equal(drawn.result, "True");
});

test("Korean and emoji are drawn too, in figures and in SVG", async (server) => {
  const text = "매출 📈 😀";
  const reply = await server.python(`
import matplotlib.pyplot as plt, warnings
warnings.simplefilter("error")
plt.title("${text}"); plt.plot([1]); plt.show()
display('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><text y="30">${text}</text></svg>')`);
  const { displays } = reply as typeof reply & { displays: { mime_type: string; note?: string }[] };
  assert.deepEqual(
    displays.map(({ mime_type, note }) => [mime_type, note ?? null]),
    [["image/png", null], ["image/png", null]],
  );
});

/** How many pictures a program shows, what it writes to stderr, and its result. */
async function shownBy(server: TestServer, code: string) {
  const { displays, stderr, result } = await server.python(code) as
    & Awaited<ReturnType<TestServer["python"]>>
    & {
      displays?: unknown[];
    };
  return [displays?.length ?? 0, stderr ?? "", result];
}

test("a backend that only draws files shows figures too, and leaves them open", async (server) => {
  const code = `
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
for level in (1, 2):
    plt.figure()
    plt.plot([level])
    plt.show()
kept = plt.get_fignums()
plt.show()
plt.title("changed")
plt.show()
plt.close("all")
kept`;
  assert.deepEqual(await shownBy(server, code), [3, "", "[1, 2]"]);
});

test("what is saved after it was shown is the figure, in the next program too", async (server) => {
  const size = "import os\nos.path.getsize('after.png')";
  const show = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n";
  const [, , within] = await shownBy(server, `${show}plt.savefig("after.png")\n${size}`);
  await server.python(show);
  const [, , later] = await shownBy(server, `plt.savefig("after.png")\n${size}`);
  const [, , own] = await shownBy(server, `plt.plot([1, 2])\nplt.savefig("after.png")\nplt.close()\n${size}`);
  const [, , none] = await shownBy(server, `${show}plt.figure()\nplt.savefig("after.png")\n${size}`);
  assert.deepEqual([within, later], [own, own]);
  assert.notEqual(none, own);
});
