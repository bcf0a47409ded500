/** numpy, pandas, matplotlib and Pillow, in builds that have them. */

import assert from "node:assert/strict";
import { childrenOf, TestServer } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";
import { completed, inSession, printed, resultOf, test } from "../support/science_session.ts";
import { tasksOf } from "../support/tasks.ts";

test("everyday programs with data and pictures run at the first attempt, and print what they print elsewhere", async (t) => {
  const tasks = await tasksOf("science");
  assert.equal(tasks.length, 31);
  for (const { name, code, expected } of tasks) {
    await t.step(name, async () => {
      assert.equal((await printed(code)).trimEnd(), expected);
    });
  }
});

test("a figure that is shown, or left open, is a picture, and the next program has one of its own", async () => {
  const plot = "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])";
  const shown = await inSession(`${plot}\nplt.show()\nprint(plt.get_fignums())`);
  assert.deepEqual([shown.displays.map((display) => display.mime_type), shown.stdout], [
    ["image/png"],
    "[]\n",
  ]);
  const left = await inSession(`${plot}\nfig = plt.gcf()`, "len(fig.axes), plt.get_fignums()");
  assert.deepEqual([left.result, left.displays], ["(1, [])", []]);
  const twice = await inSession(`${plot}\nplt.figure()\nplt.plot([3])\nNone`);
  assert.equal(twice.displays.length, 2);
  const failed = await inSession(`${plot}\n1 / 0`, "plt.get_fignums()");
  assert.deepEqual([failed.result, failed.displays], ["[]", []]);
  const value = await inSession(`${plot}\nplt.gcf()`);
  assert.deepEqual(value.displays.map((display) => display.mime_type), ["image/png"]);
});

test("what a session has read of a database, and the connection, are there when it goes on with pandas", async () => {
  const reply = await inSession(
    "import sqlite3\ncon = sqlite3.connect(':memory:')\ncur = con.cursor()\ncur.execute('create table t (a, b)')\n" +
      "cur.executemany('insert into t values (?, ?)', [(1, 2), (3, 4)])\nrows = cur.execute('select * from t')",
    "import pandas as pd\nframe = pd.read_sql('select * from t', con)\nint(frame.b.sum()), next(rows)",
  );
  assert.equal(completed(reply).result, "(6, (1, 2))");
});

test("everything of numpy comes by a star, and its assertions for tests are there", async () => {
  const result = await resultOf(`
from numpy import *
import numpy.testing
numpy.testing.assert_allclose([1.0], [1.0 + 1e-9])
try:
    numpy.testing.assert_array_equal(arange(3), [0, 1, 3])
except AssertionError as error:
    print(error)
linspace(0, 1, 3).tolist(), abs(array([-1, 2])).tolist()`);
  assert.equal(result, "([0.0, 0.5, 1.0], [1, 2])");
});

test("formats of periods may have letters of any language", async () => {
  const result = await resultOf(`
import pandas as pd
pd.period_range("2024-01", periods=2, freq="M").strftime("%Y年%m月 é").tolist()`);
  assert.equal(result, "['2024年01月 é', '2024年02月 é']");
});

test("fonts are where programs look for them", async () => {
  const result = await resultOf(`
from PIL import ImageFont
fonts = "DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
[ImageFont.truetype(font, 20).getname() for font in fonts]`);
  assert.equal(result, "[('DejaVu Sans', 'Book'), ('DejaVu Sans', 'Bold')]");
});

test("frames that got further columns can be grouped and counted", async () => {
  const result = await resultOf(`
import pandas as pd
df = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3]})
df["c"] = df.b * 2
df.insert(0, "d", 1)
(df.groupby("a").sum().values.tolist(), df.groupby("a")[["b", "c"]].mean().values.tolist(),
 pd.crosstab(df.a, df.b).values.tolist(), df.drop(columns="b").columns.tolist())`);
  assert.equal(
    result,
    "([[2, 4, 8], [1, 2, 4]], [[2.0, 4.0], [2.0, 4.0]], [[1, 0, 1], [0, 1, 0]], ['d', 'a', 'c'])",
  );
});

test("a data frame is shown with the names of its rows", async () => {
  const { displays } = await inSession(
    "import pandas as pd\npd.DataFrame({'a': [1.5, 2]}, index=['x', 'y'])",
  );
  assert.equal(
    (displays[0] as unknown as { text: string }).text,
    "|  | a |\n| --- | --- |\n| x | 1.5 |\n| y | 2.0 |",
  );
});

test("arrays, frames and figures are there after the loss of their process", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(
    await server.python(
      "import numpy as np, pandas as pd, matplotlib.pyplot as plt\na = np.arange(1e6)\ndf = pd.DataFrame({'a': a})\n" +
        "fig, ax = plt.subplots()\n_ = ax.plot(a[:10])\nrandom = np.random.default_rng(1)\nrandom.random()",
      session,
    ),
  );
  await server.checkpointed();
  const lost = childrenOf(server.transport.pid!);
  for (const pid of lost) Deno.kill(pid, "SIGKILL");
  await eventually(
    "another process has taken their place",
    () => Promise.resolve(childrenOf(server.transport.pid!)),
    (pids) => pids.some((pid) => !lost.includes(pid)),
  );
  const { result } = completed(
    await server.python("len(fig.axes[0].lines), float(df.a.sum()), round(random.random(), 6)", session),
  );
  assert.equal(result, "(1, 499999500000.0, 0.950464)");
});

test("what is stopped within numpy or pandas leaves the session as it was", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(await server.python("import numpy as np, pandas as pd\nkept = np.arange(5)", session));
  for (
    const endless of ["np.linalg.svd(np.random.rand(1000, 1000))", "while True: np.sort(np.arange(100_000))"]
  ) {
    const stopped = await server.python(endless, { ...session, timeout: 1 });
    assert.equal(stopped.status, "timeout", endless);
    assert.equal(completed(await server.python("int(kept.sum())", session)).result, "10");
  }
});

test("memory that runs out within numpy or pandas is a MemoryError, and the session goes on", async () => {
  const program = (code: string) => `import numpy as np, pandas as pd\n${code}`;
  for (
    const code of ["np.ones(10**8)", "pd.DataFrame(np.ones((10**4, 10**4)))", "np.fft.fft(np.ones(10**8))"]
  ) {
    const { status, error } = await inSession(program(code));
    assert.match(`${status} ${error?.type} ${error?.message}`, /MemoryError|out_of_memory/, code);
  }
  assert.equal(
    (await inSession(program("try: np.ones(10**8)\nexcept MemoryError: pass"), "1 + 1")).result,
    "2",
  );
});

test("the same program takes the same fuel in every session, whatever its random numbers", async () => {
  // Where its objects come to be decides which of them are found at once.
  const program = "import numpy as np\nlen({object(): i for i in range(10_000)})";
  const taken = new Set<number>();
  for (let session = 0; session < 8; session++) {
    taken.add(completed(await inSession(program)).fuel_consumed);
  }
  assert.equal(taken.size, 1, [...taken].join(" "));
});

test("what charts took that were shown is used for the next ones", async () => {
  const chart = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot(range(500))\nplt.show()";
  const [few, many] = [4, 40].map((count) => Array(count).fill(chart) as string[]);
  const [first, last] = [completed(await inSession(...few!)), completed(await inSession(...many!))];
  assert.ok(last.memory_bytes < first.memory_bytes + 2 ** 25, `${first.memory_bytes} → ${last.memory_bytes}`);
});

test("random numbers of two sessions differ, and those of a seed do not", async () => {
  const draw = () => inSession("import numpy as np\nimport pandas\nfloat(np.random.rand())");
  assert.notEqual((await draw()).result, (await draw()).result);
  assert.equal(
    (await inSession("import numpy as np\nnp.random.seed(1)\nfloat(np.random.rand())")).result,
    "0.417022004702574",
  );
});

test("documents of Word and PowerPoint, XML and HTML by lxml, and regex do what they do elsewhere", async () => {
  const documents = completed(
    await inSession(`
from docx import Document
from docx.shared import Inches
from pptx import Presentation
from PIL import Image
Image.new("RGB", (20, 20), "red").save("red.png")
document = Document()
document.add_heading("Report", 0)
document.add_paragraph("one", style="List Bullet")
document.add_table(2, 2).cell(0, 0).text = "cell"
document.add_picture("red.png", width=Inches(1))
document.sections[0].header.paragraphs[0].text = "head"
document.save("report.docx")
deck = Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[1])
slide.shapes.title.text = "Title"
slide.notes_slide.notes_text_frame.text = "said"
slide.shapes.add_picture("red.png", 0, 0)
deck.save("deck.pptx")
read = Document("report.docx")
([p.text for p in read.paragraphs][:2], read.tables[0].cell(0, 0).text, read.sections[0].header.paragraphs[0].text,
 Presentation("deck.pptx").slides[0].shapes.title.text)`),
  );
  assert.equal(documents.result, "(['Report', 'one'], 'cell', 'head', 'Title')");
  const trees = completed(
    await inSession(`
from bs4 import BeautifulSoup
soup = BeautifulSoup("<ul><li>1<li>2</ul>", "lxml")
from lxml import etree, html, objectify
root = etree.fromstring("<a><b x='1'>é</b><b x='2'/></a>")
style = etree.XSLT(etree.XML('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><o><xsl:value-of select="count(//b)"/></o></xsl:template></xsl:stylesheet>'))
schema = etree.XMLSchema(etree.XML('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:integer"/></xs:schema>'))
try: etree.fromstring("<a><b></a>")
except etree.XMLSyntaxError as error: wrong = str(error)
old = etree.fromstring("<?xml version='1.0' encoding='windows-1252'?><a>\u20ac</a>".encode("cp1252")).text
import regex
([li.text for li in soup.find_all("li")], root.xpath("//b/@x"), str(style(root.getroottree())).split("\\n")[1], schema.validate(etree.XML("<a>5</a>")),
 wrong[:20], old, html.fromstring("<p>x<b>y").text_content(), objectify.fromstring("<r><v>5</v></r>").v + 1,
 regex.findall(r"\\p{L}+", "né 1 à"), regex.fullmatch(r"(?:cats|dogs){e<=1}", "cat") is not None)`),
  );
  assert.equal(
    trees.result,
    "(['1', '2'], ['1', '2'], '<o>2</o>', True, 'Opening and ending t', '€', 'xy', 6, ['né', 'à'], True)",
  );
  const hostile = await inSession(`
from lxml import etree
import regex
bomb = '<!DOCTYPE a [<!ENTITY a "' + "x" * 100 + '">' + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(9)) + "]><a>&j;</a>"
def attempt(make):
    try: make()
    except Exception as error: return type(error).__name__
outcomes = [attempt(lambda: etree.fromstring(bomb)), attempt(lambda: etree.fromstring("<a>" * 100_000)),
 attempt(lambda: etree.fromstring("<!DOCTYPE a [<!ENTITY x SYSTEM 'http://localhost/'>]><a>&x;</a>", etree.XMLParser(no_network=False)))]
outcomes`);
  assert.equal(completed(hostile).result, "['XMLSyntaxError', 'XMLSyntaxError', 'XMLSyntaxError']");
});

test("pictures, fonts and tables that are broken are errors of the program", async () => {
  const reply = completed(
    await inSession(`
import io, pandas as pd
from PIL import Image, ImageFont
from matplotlib.ft2font import FT2Font
png = io.BytesIO(); Image.new("RGB", (50, 50)).save(png, "PNG")
jpeg = io.BytesIO(); Image.effect_noise((50, 50), 50).save(jpeg, "JPEG")
def attempt(make):
    try: make()
    except Exception as error: return "error"
    return "fine"
def broken(data, at): return io.BytesIO(data[:at] + bytes(len(data) - at))
outcomes = [attempt(lambda: Image.open(broken(data, at)).load()) for data in (png.getvalue(), jpeg.getvalue()) for at in range(0, len(data), 7)]
font = open("/usr/share/matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf", "rb").read()[:200_000]
for at in range(0, len(font), 20_000):
    open("font.ttf", "wb").write(font[:at] + b"\\xff" * (len(font) - at))
    outcomes += [attempt(lambda: FT2Font("font.ttf").set_text("Hello")), attempt(lambda: ImageFont.truetype("font.ttf", 20).getbbox("Hello"))]
for table in ("a,b\\n1,2,3,4\\n", '"', "\\0" * 100, "a\\n" + '"x' * 1000):
    outcomes.append(attempt(lambda: pd.read_csv(io.StringIO(table))))
"error" in outcomes`),
  );
  assert.equal(reply.result, "True");
});

test("pictures are read and written compressed as science and print have them, with their colour profiles", async () => {
  const result = await resultOf(`
import io, numpy as np
from PIL import Image, ImageCms, ImageSequence
pixels = np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)
picture, line = Image.fromarray(pixels), Image.fromarray(pixels).convert("1")
def kept(picture, format, **options):
    memory = io.BytesIO()
    for file in ("picture", memory): picture.save(file, format, **options)
    return all(np.array_equal(Image.open(file), picture) for file in ("picture", memory))
tiff = [kept(picture, "TIFF", compression=name) for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits")]
tiff += [kept(line, "TIFF", compression=name) for name in ("group3", "group4", "tiff_ccitt")]
for dtype in (np.uint16, np.float32):
    Image.fromarray(pixels[..., 0].astype(dtype)).save("deep.tif", compression="tiff_lzw")
    tiff.append(np.array_equal(np.asarray(Image.open("deep.tif")), pixels[..., 0].astype(dtype)))
pages = [picture.rotate(10 * turn) for turn in range(3)]
pages[0].save("pages.tif", save_all=True, append_images=pages[1:], compression="jpeg", quality=95)
close = all((abs(np.asarray(a).astype(int) - b) < 90).all() for a, b in zip(ImageSequence.Iterator(Image.open("pages.tif")), pages, strict=True))
srgb = ImageCms.createProfile("sRGB")
picture.save("proof.jpg", icc_profile=ImageCms.ImageCmsProfile(srgb).tobytes())
profile = ImageCms.ImageCmsProfile(io.BytesIO(Image.open("proof.jpg").info["icc_profile"]))
lab = ImageCms.profileToProfile(Image.new("RGB", (1, 1), "red"), profile, ImageCms.createProfile("LAB"), outputMode="LAB")
(tiff, close, kept(picture, "JPEG2000"), ImageCms.getProfileDescription(profile).strip(), lab.getpixel((0, 0)))`);
  assert.equal(
    result,
    "([True, True, True, True, True, True, True, True], True, True, 'sRGB built-in', (138, 209, 198))",
  );
});

test("a compression that is not there is an error, and what was written into memory for it harms nothing", async () => {
  const stdout = await printed(`
import io
from PIL import Image
picture = Image.effect_noise((200, 200), 50)
for _ in range(20):
    try: picture.save(io.BytesIO(), "TIFF", compression="zstd")
    except OSError: kept = [bytes(70_000) for _ in range(10)]
print(any(map(any, kept)))`);
  assert.equal(stdout, "False\n");
});

test("a frame is shown as the program has told pandas to, with its index", async () => {
  const frame = 'import pandas as pd\nframe = pd.DataFrame({"a": [1.25, 2.5, 3.0]})';
  const shown = async (...programs: string[]) =>
    ((await inSession(...programs)).displays[0] as unknown as { text: string }).text;
  assert.equal(
    await shown(frame, "frame.iloc[::-1]"),
    "|  | a |\n| --- | --- |\n| 2 | 3.0 |\n| 1 | 2.5 |\n| 0 | 1.25 |",
  );
  const options = "pd.options.display.float_format = '{:.3f}'.format\npd.options.display.max_rows = 2\nframe";
  assert.equal(await shown(frame, options), "| a |\n| --- |\n| 1.250 |\n| 2.500 |\n\n(1 more rows)");
});

test("networkx ranks and lays out larger graphs, with scipy or without", async () => {
  const { result } = completed(
    await inSession(`import networkx as nx
graph = nx.DiGraph([(1, 2), (2, 3), (3, 1), (3, 4), (1, 4)])
ranks = {name: round(each, 3) for name, each in nx.pagerank(graph).items()}
hubs = [abs(round(each, 3)) for each in nx.hits(graph)[0].values()]
ring, path = nx.cycle_graph(4), nx.path_graph(501)
spectrum = sorted(round(abs(float(each)), 3) for each in nx.laplacian_spectrum(ring))
central = {round(float(each), 3) for each in nx.eigenvector_centrality_numpy(ring).values()}
ranks, hubs, spectrum, central, len(nx.spring_layout(path, iterations=2)), len(nx.kamada_kawai_layout(ring))`),
  );
  assert.equal(
    result,
    "({1: 0.219, 2: 0.197, 3: 0.271, 4: 0.312}, [0.5, 0.0, 0.5, 0.0], [0.0, 2.0, 2.0, 4.0], {0.5}, 501, 4)",
  );
});
