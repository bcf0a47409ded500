/** numpy, pandas, matplotlib and Pillow, in builds that have them. */

import assert from "node:assert/strict";
import { childrenOf, TestServer } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";
import { completed, inSession, printed, resultOf, test } from "../support/science_session.ts";
import { patientServer, sharedServer } from "../support/shared.ts";
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

test("a session that began without numpy has it when a later program imports it, with all that it made before", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "began" };
  const made =
    "rows = [{'a': 1}, {'a': 2}]\nclass Shop:\n    def total(self): return pd.DataFrame(rows).a.sum()\nshop = Shop()";
  completed(await server.python(made, session));
  const moved = completed(await server.python("import pandas as pd\nint(shop.total())", session));
  assert.equal(moved.result, "3");
  assert.match(moved.notice ?? "", /variables, functions, classes and own modules came along/);
  await server.checkpointed();
  const again = completed(await server.python("rows.append({'a': 4})\nint(shop.total())", session));
  assert.deepEqual([again.result, again.notice], ["7", null]);
  await server.checkpointed();
  for (const pid of childrenOf(server.transport.pid!)) Deno.kill(pid, "SIGKILL");
  assert.equal(
    (await eventually(
      "the session goes on in another process",
      () => server.python("int(shop.total())", session),
      ({ status }) => status === "completed",
    )).result,
    "7",
  );
});

test("a program that fails or is stopped after its session has moved leaves it as asked", async () => {
  const server = await sharedServer(patientServer);
  const session = { session_id: "moves" };
  completed(await server.python("x = [1]", session));
  const rolledBack = await server.python("import numpy\nx.append(2)\n1 / 0", {
    ...session,
    on_failure: "rollback",
  });
  assert.equal(rolledBack.status, "failed");
  assert.equal(
    (await server.python("import sys\n(x, 'numpy' in sys.modules)", session)).result,
    "([1], False)",
  );
  const endless = "import numpy\nx.append(3)\nprint('up', flush=True)\nwhile True: pass";
  const running = await server.begin("python", endless, session);
  await server.call("cancel_execution", session);
  assert.equal((await running.reply).status, "cancelled");
  assert.equal((await server.python("x", session)).result, "[1, 3]");
  await server.call("destroy_session", session);
});

test("a session that can't go there says why, and its variables stay", async () => {
  const server = await sharedServer();
  const session = { session_id: "stays" };
  completed(await server.python("rows = (n for n in range(3))\nnext(rows)", session));
  const { error } = await server.python("import numpy", session);
  assert.match(error?.message ?? "", /could not go, because of rows \(generator\)\. Delete/);
  assert.equal((await server.python("next(rows)", session)).result, "1");
  completed(await server.python("del rows", session));
  assert.equal(completed(await server.python("import numpy\nint(numpy.ones(3).sum())", session)).result, "3");
  await server.call("destroy_session", session);
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

test("who looks for packages first, by whatever means, finds those of the other interpreter, also where the session is not there", async () => {
  const probes = [
    `import importlib
found = {}
for name in ["numpy", "pandas", "matplotlib", "nonesuch"]:
    try: found[name] = bool(importlib.import_module(name).__version__)
    except ImportError: found[name] = False
[*found.values()]`,
    `import importlib.util as util
[util.find_spec(name) is not None for name in ("numpy", "pandas", "mat" "plotlib", "nonesuch")]`,
    `[__import__(name) is not None for name in ("numpy", "pandas", "matplotlib")] + [False]`,
    `import pkgutil
there = {each.name for each in pkgutil.iter_modules()}
[name in there for name in ("num" "py", "sympy", "rich", "nonesuch")]`,
    `from importlib import metadata
there = {each.name for each in metadata.distributions()}
[bool(metadata.version("num" "py")), "pillow" in there, "python-docx" in there, "nonesuch" in there]`,
    `from importlib import util
[util.find_spec(f"{name}{rest}") is not None for name, rest in (("num", "py"), ("pan", "das"), ("mat", "plotlib"), ("none", "such"))]`,
  ];
  for (const probe of probes) {
    assert.equal(completed(await inSession(probe)).result, "[True, True, True, False]", probe);
    assert.equal(completed(await inSession("x = 1", probe)).result, "[True, True, True, False]", probe);
  }
  const { error } = await inSession(
    "from importlib import util\nname = 'num' + 'py'\nutil.module_from_spec(util.find_spec(name))",
  );
  assert.match(error?.message ?? "", /No module named 'numpy'\. It comes with an interpreter of its own/);
});

test("what a program writes as a module, or runs as a text, has them", async () => {
  const module = "import numpy as np\\ntotal = int(np.arange(4).sum())\\n";
  for (
    const program of [
      `open("made.py", "w").write("${module}")\nimport made\nmade.total`,
      `exec("import numpy as np; total = int(np.arange(4).sum())")\ntotal`,
      `open("made.py", "w").write("${module}")\nexec(open("made.py").read())\ntotal`,
      `open("made.py", "w").write("${module}")\nimport runpy\nrunpy.run_path("made.py")["total"]`,
    ]
  ) assert.equal(completed(await inSession(program)).result, "6", program);
  const later = completed(
    await inSession(`text = "${module}"\n_ = open("made.py", "w").write(text)`, "%run made.py\ntotal"),
  );
  assert.equal(later.result, "6");
});

test("networkx and sympy have numpy and matplotlib in a session that began without them", async () => {
  const graph = "import networkx as nx\nlen(nx.spring_layout(nx.path_graph(3), seed=1))";
  assert.equal(completed(await inSession("x = 1", graph)).result, "3");
  const { displays } = await inSession("x = 1", "from sympy import *\n_ = plot(symbols('t') ** 2)");
  assert.deepEqual(displays.map(({ mime_type }) => mime_type), ["image/png"]);
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

test("modules that are run by their names in the shell have them, and tests, from subprocess too", async () => {
  const server = await sharedServer();
  const session = { session_id: "modules" };
  const { structured } = await server.call("execute_command", {
    ...session,
    command: String
      .raw`printf 'import numpy as np\ndef test_it(): assert np.ones(3).sum() == 3\nprint("ran")\n' > test_it.py
python3 -m test_it; pytest -q | tail -1; python3 -m pytest -q | tail -1
mkdir app; cp test_it.py app/__main__.py; python3 app; cd app; mv __main__.py helper.py; echo 'import helper' > main.py; python3 main.py`,
  });
  assert.match(String(structured["stdout"]), /^ran\n1 passed.*\n1 passed.*\nran\nran\n$/);
  const { stdout } = completed(
    await server.python(
      `import subprocess, sys
for command in (["pytest", "-q", "test_it.py"], [sys.executable, "-m", "test_it"]):
    print(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[-1][:8])`,
      session,
    ),
  );
  assert.equal(stdout, "1 passed\nran\n");
  await server.call("destroy_session", session);
});

test("scripts of the shell have them too, and pip knows that they are there", async () => {
  const server = await sharedServer();
  const session = { session_id: "shell" };
  const script = String.raw`import pandas as pd\nprint(pd.Series([1, 2]).sum())\n`;
  const { structured } = await server.call("execute_command", {
    ...session,
    command: `printf '${script}' > sum.py && python3 sum.py && pip install pandas`,
  });
  assert.match(String(structured["stdout"]), /^3\n(.|\n)*already satisfied: pandas/);
  await server.call("destroy_session", session);
});
