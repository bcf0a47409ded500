/** The packages that every Python can import without installing anything. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { PIP, SITE_PACKAGES } from "../../../../src/fs/places.ts";
import { normalized } from "../../../../src/project_name.ts";
import { ensureAssets } from "../../../../scripts/assets/mod.ts";
import { SCIENCE_MODULES } from "../../../../src/runtime/python/science.ts";
import { Session } from "../../../support/python_harness.ts";

const manifest = await ensureAssets();

/** For each package, by the name of its distribution, a program that does what people want it for. Its result is True. */
const DEEDS: Readonly<Record<string, string>> = {
  beautifulsoup4: `
import bs4
bs4.BeautifulSoup("<ul><li class=a>1<li>2</ul>", "html.parser").select_one("li.a").next_element == "1"`,
  Faker: `
from faker import Faker
Faker.seed(1)
"@" in Faker().email() and len(Faker("de_DE").city()) > 2`,
  iniconfig: `
import iniconfig
iniconfig.IniConfig("x.ini", data="[a]\\nb = 1")["a"]["b"] == "1"`,
  "markdown-it-py": `
from markdown_it import MarkdownIt
MarkdownIt("commonmark").enable("table").render("*a*") == "<p><em>a</em></p>\\n"`,
  mdurl: `import mdurl
mdurl.parse("http://a.example/b?c").pathname == "/b"`,
  mpmath: `
import mpmath
mpmath.mp.dps = 30
str(mpmath.pi) == "3.14159265358979323846264338328"`,
  networkx: `
import networkx
networkx.shortest_path(networkx.grid_2d_graph(2, 2), (0, 0), (1, 1)).__len__() == 3`,
  packaging: `
from packaging.version import Version
Version("1.10") > Version("1.9")`,
  pluggy: `import pluggy
pluggy.PluginManager("x").get_plugins() == set()`,
  Pygments: `
import pygments, pygments.formatters, pygments.lexers
'<span class="mi">1</span>' in pygments.highlight("x = 1", pygments.lexers.PythonLexer(), pygments.formatters.HtmlFormatter())`,
  pytest: `
import contextlib, io, pytest
open("test_it.py", "w").write("def test_it(tmp_path): assert 1 + 1 == 3")
with contextlib.redirect_stdout(io.StringIO()) as said:
    code = pytest.main(["-q", "test_it.py"])
code == 1 and "assert (1 + 1) == 3" in said.getvalue()`,
  pytz: `
import datetime, pytz
moment = pytz.timezone("Europe/Berlin").localize(datetime.datetime(2024, 7, 1))
str(moment) == "2024-07-01 00:00:00+02:00" and len(pytz.common_timezones) > 300`,
  reportlab: `
import io, pypdf
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table
out = io.BytesIO()
SimpleDocTemplate(out).build([Paragraph("<b>Wörld</b>", getSampleStyleSheet()["Normal"]), Table([[1, 2]])])
"Wörld" in pypdf.PdfReader(out).pages[0].extract_text()`,
  requests: `
import requests
requests.Request("GET", "http://a.example/", params={"b": "c d"}).prepare().url == "http://a.example/?b=c+d"`,
  rich: `
import io
from rich.console import Console
from rich.table import Table
table = Table("name")
table.add_row("ada")
out = io.StringIO()
Console(file=out).print(table)
"ada" in out.getvalue()`,
  soupsieve: `import soupsieve
soupsieve.compile("p > a").pattern == "p > a"`,
  SQLAlchemy: `
import sqlalchemy
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
class Base(DeclarativeBase):
    pass
class Song(Base):
    __tablename__ = "songs"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
engine = sqlalchemy.create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add(Song(name="MFEO"))
    session.commit()
    found = session.scalars(sqlalchemy.select(Song)).one().name
found == "MFEO"`,
  sympy: `
import sympy
x = sympy.symbols("x")
sympy.integrate(2 * x, x) == x ** 2 and sympy.solve(x ** 2 - 4) == [-2, 2]`,
  tqdm: `
import io, tqdm
out = io.StringIO()
list(tqdm.tqdm(range(3), file=out)) == [0, 1, 2] and "3/3" in out.getvalue()`,
  typing_extensions: `import typing_extensions
typing_extensions.Literal["a"].__args__ == ("a",)`,
  attrs: `
import attrs
@attrs.define
class Point:
    x: int = attrs.field(converter=int)
attrs.asdict(Point("3")) == {"x": 3}`,
  certifi: `
import certifi
certifi.contents().count("BEGIN CERTIFICATE") > 100 and open(certifi.where()).read() == certifi.contents()`,
  "charset-normalizer": `
import charset_normalizer
str(charset_normalizer.from_bytes("Всеки човек има право на образование.".encode("cp1251")).best()).startswith("Всеки")`,
  cobble: `
import cobble
@cobble.data
class Song:
    name = cobble.field()
Song(name="MFEO") == Song("MFEO")`,
  defusedxml: `
import defusedxml, defusedxml.ElementTree
try:
    defusedxml.ElementTree.fromstring('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
except defusedxml.EntitiesForbidden as error:
    refused = error
refused is not None`,
  et_xmlfile: `
import et_xmlfile, io
out = io.BytesIO()
with et_xmlfile.xmlfile(out) as xml, xml.element("root"):
    xml.write(__import__("xml.etree.ElementTree").etree.ElementTree.Element("leaf"))
out.getvalue() == b"<root><leaf /></root>"`,
  idna: `import idna
idna.encode("münchen.example") == b"xn--mnchen-3ya.example" and idna.decode("xn--mnchen-3ya.example") == "münchen.example"`,
  Jinja2: `
import jinja2
page = jinja2.Environment(autoescape=True).from_string("{% for x in xs if x > 1 %}<b>{{ x }}{{ s }}</b>{% endfor %}")
page.render(xs=[1, 2, 3], s="&") == "<b>2&amp;</b><b>3&amp;</b>"`,
  mammoth: `
import io, mammoth, zipfile
word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
package = "http://schemas.openxmlformats.org/package/2006"
office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
docx = io.BytesIO()
with zipfile.ZipFile(docx, "w") as z:
    z.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
    z.writestr("_rels/.rels", f'<Relationships xmlns="{package}/relationships"><Relationship Id="a" Type="{office}" Target="d.xml"/></Relationships>')
    z.writestr("d.xml", f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Hello</w:t></w:r></w:p></w:body></w:document>')
mammoth.convert_to_html(docx).value == "<p><strong>Hello</strong></p>"`,
  Markdown: `
import markdown
html = markdown.markdown("# Title\\n\\n|a|b|\\n|-|-|\\n|1|*2*|", extensions=["tables", "fenced_code"])
"<h1>Title</h1>" in html and "<td><em>2</em></td>" in html`,
  MarkupSafe: `
import markupsafe
markupsafe.escape("<&>") == "&lt;&amp;&gt;" and markupsafe.Markup("<b>%s</b>") % "<" == "<b>&lt;</b>"`,
  odfpy: `
from odf import opendocument, teletype, text
document = opendocument.OpenDocumentText()
document.text.addElement(text.P(text="Grüße"))
document.save("/tmp/a.odt")
[teletype.extractText(p) for p in opendocument.load("/tmp/a.odt").getElementsByType(text.P)] == ["Grüße"]`,
  openpyxl: `
import openpyxl
book = openpyxl.Workbook()
for row in [("a", 1), ("b", 2.5)]: book.active.append(row)
book.active["C1"] = "=SUM(B1:B2)"
book.save("/tmp/a.xlsx")
[*openpyxl.load_workbook("/tmp/a.xlsx").active.values] == [("a", 1, "=SUM(B1:B2)"), ("b", 2.5, None)]`,
  "pdfminer.six": `
import io, pdfminer.high_level, pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject
name = NameObject
writer = pypdf.PdfWriter()
page = writer.add_blank_page(200, 200)
font = DictionaryObject({name("/Type"): name("/Font"), name("/Subtype"): name("/Type1"), name("/BaseFont"): name("/Helvetica")})
page[name("/Resources")] = DictionaryObject({name("/Font"): DictionaryObject({name("/F"): font})})
stream = DecodedStreamObject()
stream.set_data(b"BT /F 12 Tf 20 100 Td (Hello PDF) Tj ET")
page[name("/Contents")] = writer._add_object(stream)
writer.write("/tmp/a.pdf")
writer.encrypt("secret", algorithm="RC4-128")
writer.write("/tmp/secret.pdf")
texts = [pdfminer.high_level.extract_text("/tmp/a.pdf"), pdfminer.high_level.extract_text("/tmp/secret.pdf", "secret")]
[text.strip() for text in texts] == ["Hello PDF"] * 2`,
  pygal: `
import pygal
chart = pygal.Bar(title="Sales")
chart.add("2024", [1, 2, 3])
svg = chart.render(is_unicode=True)
svg.count('class="bar"') == 3 and "Sales" in svg and "font-family" in svg`,
  pypdf: `
import io, pypdf, PyPDF2
from PyPDF2.errors import PdfReadError
merger = PyPDF2.PdfMerger()
for path in ["/tmp/a.pdf"] * 2: merger.append(path)
out = io.BytesIO()
merger.write(out)
reader = pypdf.PdfReader(out)
[page.extract_text() for page in reader.pages] == ["Hello PDF"] * 2 and PdfReadError is pypdf.errors.PdfReadError`,
  "python-dateutil": `
import datetime, warnings
from dateutil import parser, relativedelta, tz
warnings.simplefilter("error")
local = parser.parse("3 March 2024 14:30").replace(tzinfo=tz.gettz("Europe/Berlin"))
later = local + relativedelta.relativedelta(months=+1)
(local.utcoffset(), later.utcoffset(), tz.gettz("No/Where")) == (datetime.timedelta(hours=1), datetime.timedelta(hours=2), None)`,
  PyYAML: `
import yaml
data = yaml.safe_load("a: [1, 2.5, true]\\nb: &x {c: d}\\ne: *x")
yaml.safe_load(yaml.safe_dump(data)) == data == {"a": [1, 2.5, True], "b": {"c": "d"}, "e": {"c": "d"}}`,
  six: `import six
from six.moves import urllib
six.PY3 and six.ensure_str(b"a") == "a" and urllib.parse.quote("/ ") == "/%20"`,
  tabulate: `
import tabulate
tabulate.tabulate([["a", 1], ["b", 22]], headers=["k", "v"], tablefmt="github").splitlines()[2] == "| a   |   1 |"`,
  tomli: `import tomli
tomli.loads('[a]\\nb = 1979-05-27')["a"]["b"].year == 1979`,
  tzdata: `
import zoneinfo, datetime
zone = zoneinfo.ZoneInfo("America/New_York")
datetime.datetime(2024, 7, 1, tzinfo=zone).utcoffset() == datetime.timedelta(hours=-4) and len(zoneinfo.available_timezones()) > 300`,
  urllib3: `
import gzip, io, urllib3
reply = urllib3.HTTPResponse(io.BytesIO(gzip.compress(b"{}")), {"content-encoding": "gzip"}, preload_content=False)
urllib3.util.parse_url("http://a:1/b?c").port == 1 and reply.json() == {}`,
  cloudpickle: `
import cloudpickle, pickle
by = 2
pickle.loads(cloudpickle.dumps(lambda n: n * by))(3) == 6`,
  XlsxWriter: `
import openpyxl, xlsxwriter
book = xlsxwriter.Workbook("/tmp/b.xlsx")
sheet = book.add_worksheet("Data")
sheet.write_row("A1", ["x", 4], book.add_format({"bold": True}))
chart = book.add_chart({"type": "line"})
chart.add_series({"values": "=Data!$B$1:$B$1"})
sheet.insert_chart("D2", chart)
book.close()
openpyxl.load_workbook("/tmp/b.xlsx")["Data"]["B1"].value == 4`,
};

/** Without the newer ones that the interpreter of science has of some. */
const all = manifest.packages.filter(({ name }, at) =>
  manifest.packages.findIndex((each) => normalized(each.name) === normalized(name)) === at
);
/** What the largest interpreter has beside science's. */
const WITH_SCIPY = ["joblib", "narwhals", "scipy", "sklearn", "threadpoolctl"];
/** Those of every interpreter: the tasks of tests/tasks/science try the others. */
const packages = all.filter(({ imports }) =>
  !imports.some((name) => [...SCIENCE_MODULES, ...WITH_SCIPY].includes(name))
);
/** What scikit-learn needs, and sessions elsewhere install for themselves. */
const NEEDED = ["narwhals", "threadpoolctl"];
/** Extension modules of that interpreter, which have no Python in a zip. */
const ALONE = ["jiter", "rpds"];

Deno.test("every bundled package can be imported and does what it is for", async (t) => {
  deepEqual(Object.keys(DEEDS).filter((name) => !manifest.leftOut.includes(name)).sort(), names());
  const session = new Session();
  for (const { name } of packages) {
    await t.step(name, async () => {
      equal(await session.value(DEEDS[name]!), "True");
    });
  }
  await t.step("every name that the manifest lists", async () => {
    const imports = packages.flatMap((about) => about.imports);
    equal(await session.value(`import ${imports.join(", ")}`), null);
  });
  await t.step("their metadata, as the manifest has it", async () => {
    const versions = await session.value(
      `import importlib.metadata as m, json; json.dumps([[d.name, d.version] for d in m.distributions()])`,
    );
    // Also of what is in the other interpreters: a program that asks is told what its session can have.
    const byName = (rows: readonly (readonly [string, string])[]) =>
      Object.fromEntries(rows.map(([name, version]) => [normalized(name), version]));
    const expected = manifest.packages.map(({ name, version }) => [name, version] as const);
    deepEqual(byName(JSON.parse(versions!.slice(1, -1))), byName(expected));
    equal(await session.value(`m.version("jinja2")`), "'3.1.6'");
  });
});

Deno.test("the glue knows what can be imported from the zips that are not on the path", async () => {
  const session = new Session();
  const listed = await session.value(`
import _wasmbox_bundled, json, os, zipfile
def tops(zip):
    names = {name.partition("/")[0].removesuffix(".pyc") for name in zipfile.ZipFile(zip).namelist()}
    return sorted(name for name in names - {"typing_extensions"} if name.isidentifier())
json.dumps({zip: [tops(zip), list(names)] for zip, names in _wasmbox_bundled.ZIPS.items() if os.path.exists(zip)})`);
  for (const [zip, [there, known]] of Object.entries<string[][]>(JSON.parse(listed!.slice(1, -1)))) {
    const importable = there!.filter((name) => !NEEDED.includes(name));
    deepEqual(importable, known!.filter((name) => !ALONE.includes(name)), zip);
  }
});

Deno.test("the host and the glue know the same modules of the interpreter with numpy", async () => {
  const listed = await new Session().value("import _wasmbox_bundled as b\n','.join(b.ZIPS[b.SCIENCE])");
  deepEqual(listed?.slice(1, -1).split(","), SCIENCE_MODULES);
});

Deno.test("what a session does not import costs its heap nothing, and pip is on nobody's path", async () => {
  const session = new Session();
  await session.value("1");
  const before = session.runtime.memoryBytes();
  equal(
    await session.value("import sys; len([m for m in sys.modules if 'bundled.zip' in str(sys.modules[m])])"),
    "0",
  );
  equal(session.runtime.memoryBytes(), before);
  match(
    (await session.run("import pip")).stderr + JSON.stringify(await session.run("import pip")),
    /No module named 'pip'/,
  );
});

Deno.test("what a session installs comes before what is bundled, also where that was not there when Python started", async () => {
  const session = new Session();
  equal(await session.value("import sys; sys.path.index('/usr/lib/python3.13/bundled.zip')"), "3");
  equal((await session.run("import six_of_mine")).status, "failed");
  session.fs.mkdir(SITE_PACKAGES, { recursive: true });
  session.fs.writeFile(`${SITE_PACKAGES}/six.py`, new TextEncoder().encode("mine = True"));
  equal(await session.value("import six; six.mine"), "True");
});

Deno.test("pip lists what is bundled", async () => {
  const session = new Session();
  const { stdout, stderr } = await session.run(`
import sys
import _wasmbox_bundled
sys.path += [${JSON.stringify(PIP)}, *_wasmbox_bundled.ZIPS]
from pip._internal.cli.main import main
main(["list", "--format=freeze", "--disable-pip-version-check"])
`);
  const listed = normalized(stdout);
  for (const { name, version } of all) {
    ok(listed.includes(normalized(`${name}==${version}`)), `${name}: ${stdout}${stderr}`);
  }
});

function names(): string[] {
  return packages.map(({ name }) => name).sort();
}
