/** Native code of numpy and its kind: stopped anywhere, short of memory, fed with what is broken, told to read past its arrays. */

import { ends, family, python, TIMES_OUT, yields } from "../attack.ts";

/** Long enough for the interpreter that has them to be there, and for the session to have gone to it. */
const SOON = { timeout: 3 };
const NO_ROOM = ends("failed", "out_of_memory");
/** What reads or writes where nothing of its own is harms its own heap and no other. */
const HARMS_ITSELF = ends("completed", "failed", "crashed", "timeout", "out_of_memory");

/** Feeds `parse` with `good`, changed at places drawn from a seed, and survives. */
function broken(setup: string, rounds = 150): string {
  return `
import io, random
${setup.trim()}
dice = random.Random(7)
for _ in range(${rounds}):
    data = bytearray(good)
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(data))
        if dice.random() < 0.2: del data[at:at + dice.randint(1, 40)]
        else: data[at] = dice.randrange(256)
    try: parse(bytes(data))
    except (Exception, SystemExit): pass
"survived"`;
}

const SURVIVES = yields("'survived'");

/** @param saved What Pillow is told to save it as. */
function brokenPictures(mode: string, saved: string): string {
  return broken(`
from PIL import Image
file = io.BytesIO()
Image.effect_noise((40, 40), 80).convert("${mode}").save(file, ${saved})
good = file.getvalue()
parse = lambda data: Image.open(io.BytesIO(data)).load()`);
}

export const SCIENCE = family("science", [
  python(
    "products of matrices without end",
    "import numpy as np\na = np.random.rand(500, 500)\nwhile True: a = a @ a",
    TIMES_OUT,
    SOON,
  ),
  python(
    "a decomposition that takes too long, in a handler of its own",
    `
    import numpy as np
    while True:
        try: np.linalg.svd(np.random.rand(900, 900))
        except BaseException: pass
    `,
    TIMES_OUT,
    SOON,
  ),
  python(
    "contours and triangulations without end",
    `
    import matplotlib.pyplot as plt, matplotlib.tri as tri, numpy as np
    while True:
        x, y = np.random.rand(2, 20_000)
        plt.tricontourf(tri.Triangulation(x, y), x * y)
        plt.close("all")
    `,
    TIMES_OUT,
    SOON,
  ),
  python(
    "a parser of tables without end",
    `
    import io, pandas as pd
    text = "a,b,c\\n" + "1,2.5,x\\n" * 100_000
    while True: pd.read_csv(io.StringIO(text)).groupby("c").sum()
    `,
    TIMES_OUT,
    SOON,
  ),
  python(
    "models, JSON and patterns without end",
    `
    import orjson, regex
    from pydantic import TypeAdapter
    adapter = TypeAdapter(list[dict[str, int]])
    text = orjson.dumps([{"a": n} for n in range(10_000)])
    while True:
        adapter.validate_json(text)
        regex.sub(r"(a+)+b", "", "a" * 22)
    `,
    TIMES_OUT,
    SOON,
  ),
  python("arrays larger than memory", "import numpy as np\nnp.ones(10**9)", NO_ROOM),
  python(
    "memory that runs out in C++",
    `
    import matplotlib.pyplot as plt
    plt.figure(figsize=(400, 400), dpi=100).savefig("x.png")
    `,
    NO_ROOM,
  ),
  python(
    "a picture that is a bomb",
    `
    import io, zlib
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    chunk = lambda kind, data: len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)
    size = (40_000).to_bytes(4)
    bomb = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", size + size + b"\\x08\\x02\\0\\0\\0")
    bomb += chunk(b"IDAT", zlib.compress(bytes(10**6))) + chunk(b"IEND", b"")
    Image.open(io.BytesIO(bomb)).load()
    `,
    NO_ROOM,
  ),
  python(
    "entities that expand without end",
    `
    from lxml import etree
    levels = "".join(f'<!ENTITY e{n} "{"&e%d;" % (n - 1) * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE r [<!ENTITY e0 "{"x" * 1000}">{levels}]><r>&e11;</r>'
    try: etree.fromstring(text, etree.XMLParser(huge_tree=True, resolve_entities=True)).text
    except etree.XMLSyntaxError: raise MemoryError
    `,
    ends("failed", "timeout", "out_of_memory"),
    SOON,
  ),
  python(
    "views past the end of an array",
    `
    import numpy as np
    from numpy.lib.stride_tricks import as_strided
    everything = as_strided(np.zeros(1, np.uint8), shape=(2**31 - 1,), strides=(1,))
    everything[::4096].sum()
    `,
    HARMS_ITSELF,
    { ...SOON, tampers: true },
  ),
  python(
    "arrays that write all over the heap",
    `
    import numpy as np
    from numpy.lib.stride_tricks import as_strided
    as_strided(np.zeros(1, np.uint8), shape=(2**27,), strides=(-1,))[:] = 65
    as_strided(np.zeros(1, np.uint8), shape=(2**27,), strides=(1,))[:] = 65
    `,
    HARMS_ITSELF,
    { ...SOON, tampers: true },
  ),
  ...["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "JPEG2000"].map((format) =>
    python(`broken pictures: ${format}`, brokenPictures("RGB", `"${format}"`), SURVIVES)
  ),
  ...([["lzw", "RGB"], ["adobe_deflate", "RGB"], ["jpeg", "RGB"], ["ccitt", "1"]] as const).map((
    [name, mode],
  ) =>
    python(
      `broken pictures: TIFF by ${name}`,
      brokenPictures(mode, `"TIFF", compression="${name === "jpeg" ? name : `tiff_${name}`}"`),
      SURVIVES,
    )
  ),
  python(
    "broken colour profiles",
    broken(`
from PIL import Image, ImageCms
lab = ImageCms.createProfile("LAB")
good = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
def parse(data):
    profile = ImageCms.ImageCmsProfile(io.BytesIO(data))
    for name in dir(profile.profile): getattr(profile.profile, name)
    ImageCms.profileToProfile(Image.new("RGB", (4, 4)), profile, lab, outputMode="LAB")`),
    SURVIVES,
  ),
  python(
    "broken fonts",
    broken(
      `
from matplotlib.ft2font import FT2Font
good = open("/usr/share/matplotlib/mpl-data/fonts/ttf/DejaVuSansMono.ttf", "rb").read()[:60_000]
def parse(data):
    with open("font.ttf", "wb") as file: file.write(data)
    FT2Font("font.ttf").set_text("Hello, World")`,
      60,
    ),
    SURVIVES,
  ),
  python(
    "broken arrays and pickles of frames",
    broken(`
import pickle, numpy as np, pandas as pd
file = io.BytesIO()
np.save(file, np.arange(100))
good = file.getvalue() + pickle.dumps(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
def parse(data):
    try: np.load(io.BytesIO(data))
    finally: pickle.loads(data[len(file.getvalue()):])`),
    ends("completed", "crashed", "out_of_memory"),
    { tampers: true },
  ),
  python(
    "broken tables: CSV and Parquet",
    broken(`
import pandas as pd
frame = pd.DataFrame({"a": range(50), "b": ["x", "y"] * 25, "c": [1.5] * 50})
csv, parquet = frame.to_csv().encode(), frame.to_parquet()
good = csv + parquet
def parse(data):
    try: pd.read_csv(io.BytesIO(data[:len(csv)]))
    finally: pd.read_parquet(io.BytesIO(data[len(csv):]))`),
    ends("completed", "crashed", "out_of_memory"),
    { tampers: true },
  ),
  python(
    "broken documents: XML, HTML and JSON",
    broken(
      `
import orjson
from lxml import etree, html
from pydantic import TypeAdapter
good = b"<a><b c='d'>text &amp; more<!-- x --></b><![CDATA[y]]></a>" + orjson.dumps({"a": [1, 2.5, None, "x"], "b": {"c": True}})
adapter = TypeAdapter(dict[str, list[float | None | str] | dict[str, bool]])
def parse(data):
    for each in (etree.fromstring, html.fromstring, orjson.loads, adapter.validate_json):
        try: each(data[:60] if each in (etree.fromstring, html.fromstring) else data[60:])
        except Exception: pass`,
      500,
    ),
    SURVIVES,
  ),
]);
