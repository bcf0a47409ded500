/**
 * Among the packages that are downloaded most, those written in Python alone, and three lines that use each as its users do:
 * the last one is true if it works.
 */
export const USES: Readonly<Record<string, string>> = {
  boto3: `import boto3
s3 = boto3.client("s3", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
"Signature=" in s3.generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"})`,
  botocore: `import botocore.session
session = botocore.session.get_session()
"s3" in session.get_available_services()`,
  urllib3: `import urllib3
url = urllib3.util.parse_url("https://user@example.org:8443/a?b=1")
(url.host, url.port, urllib3.HTTPHeaderDict(A="1")["a"]) == ("example.org", 8443, "1")`,
  requests: `import requests
r = requests.Request("POST", "https://example.org/a", params={"q": 1}, json={"x": 2}).prepare()
(r.url, r.body) == ("https://example.org/a?q=1", b'{"x": 2}')`,
  setuptools: `import setuptools
open("pkg_x.py", "w").close()
"pkg_x" in setuptools.Distribution({"py_modules": ["pkg_x"]}).py_modules`,
  certifi: `import certifi
pem = certifi.contents()
pem.count("BEGIN CERTIFICATE") > 50`,
  "charset-normalizer": `from charset_normalizer import from_bytes
best = from_bytes("Ein größeres Stück Text, damit man es erkennt.".encode("latin-1")).best()
"größeres" in str(best)`,
  idna: `import idna
a = idna.encode("straße.de")
idna.decode(a) == "straße.de"`,
  "typing-extensions": `from typing_extensions import TypedDict, Annotated, get_type_hints
class P(TypedDict): x: Annotated[int, "m"]
get_type_hints(P)["x"] is int`,
  "python-dateutil": `from dateutil import parser, rrule, relativedelta
d = parser.parse("3 March 2025 14:00")
(d + relativedelta.relativedelta(months=1)).month == 4 and len(list(rrule.rrule(rrule.DAILY, count=3, dtstart=d))) == 3`,
  s3transfer: `from s3transfer.manager import TransferConfig
c = TransferConfig(max_request_concurrency=2)
c.max_request_concurrency == 2`,
  packaging: `from packaging.version import Version
from packaging.specifiers import SpecifierSet
Version("1.10") > Version("1.9") and "2.1" in SpecifierSet("~=2.0")`,
  six: `import six
from six.moves import urllib
six.PY3 and urllib.parse.quote("a b") == "a%20b"`,
  fsspec: `import fsspec
with fsspec.open("memory://a.txt", "w") as f: f.write("hi")
fsspec.filesystem("memory").cat("/a.txt") == b"hi"`,
  jmespath: `import jmespath
data = {"a": [{"n": 1}, {"n": 2}]}
jmespath.search("a[?n > \`1\`].n", data) == [2]`,
  pyasn1: `from pyasn1.type import univ
from pyasn1.codec.der import encoder, decoder
decoder.decode(encoder.encode(univ.Integer(42)))[0] == 42`,
  pyparsing: `import pyparsing as pp
number = pp.pyparsing_common.integer
(number + "+" + number).parse_string("1 + 2").as_list() == [1, "+", 2]`,
  click: `import click
from click.testing import CliRunner
CliRunner().invoke(click.Command("hi", callback=lambda n: click.echo(f"hi {n}"), params=[click.Option(["--n"])]), ["--n", "x"]).output == "hi x\\n"`,
  "importlib-metadata": `import importlib_metadata
d = importlib_metadata.distribution("importlib_metadata")
d.metadata["Name"].replace("-", "_") == "importlib_metadata"`,
  zipp: `import zipp, zipfile
with zipfile.ZipFile("z.zip", "w") as z: z.writestr("a/b.txt", "x")
zipp.Path("z.zip", "a/b.txt").read_text() == "x"`,
  attrs: `import attrs
P = attrs.make_class("P", {"x": attrs.field(validator=attrs.validators.instance_of(int))})
attrs.asdict(P(3)) == {"x": 3}`,
  jinja2: `import jinja2
env = jinja2.Environment(autoescape=True)
env.from_string("{% for x in xs %}{{ x|upper }}{% endfor %}").render(xs=["a", "<"]) == "A&lt;"`,
  platformdirs: `import platformdirs
path = platformdirs.user_cache_path("app", ensure_exists=True)
path.is_dir()`,
  pytz: `import pytz, datetime
d = pytz.timezone("Europe/Berlin").localize(datetime.datetime(2025, 7, 1))
d.utcoffset().total_seconds() == 7200`,
  filelock: `from filelock import FileLock
with FileLock("x.lock", timeout=1): held = True
held`,
  virtualenv: `import virtualenv
from virtualenv.config.cli.parser import VirtualEnvOptions
hasattr(virtualenv, "session_via_cli")`,
  "googleapis-common-protos": `from google.rpc import status_pb2
s = status_pb2.Status(code=5, message="gone")
status_pb2.Status.FromString(s.SerializeToString()).message == "gone"`,
  pygments: `from pygments import highlight
from pygments.lexers import PythonLexer; from pygments.formatters import HtmlFormatter
'class="k"' in highlight("def f(): pass", PythonLexer(), HtmlFormatter())`,
  pytest: `import pytest
open("test_a.py", "w").write("def test_a(tmp_path):\\n    assert tmp_path.is_dir()\\n")
pytest.main(["-q", "test_a.py"]) == 0`,
  pluggy: `import pluggy
spec, impl = pluggy.HookspecMarker("p"), pluggy.HookimplMarker("p")
pluggy.PluginManager("p").project_name == "p"`,
  iniconfig: `import iniconfig
open("a.ini", "w").write("[s]\\nk = 1\\n")
iniconfig.IniConfig("a.ini")["s"]["k"] == "1"`,
  tomli: `import tomli
d = tomli.loads("[a]\\nb = 2025-01-01")
d["a"]["b"].year == 2025`,
  tomlkit: `import tomlkit
d = tomlkit.parse("# c\\na = 1\\n"); d["a"] = 2
tomlkit.dumps(d) == "# c\\na = 2\\n"`,
  decorator: `from decorator import decorator
@decorator
def twice(f, *a, **k): return 2 * f(*a, **k)
twice(lambda x: x)(4) == 8`,
  colorama: `import colorama
colorama.init()
colorama.Fore.RED == "\\x1b[31m"`,
  rsa: `import rsa
public, private = rsa.newkeys(512)
rsa.decrypt(rsa.encrypt(b"hi", public), private) == b"hi"`,
  cachetools: `from cachetools import TTLCache, cached
f = cached(TTLCache(10, 60))(lambda x: x * 2)
f(3) == f(3) == 6`,
  "google-auth": `import google.auth.jwt
from google.oauth2.credentials import Credentials
Credentials("token").token == "token"`,
  "requests-oauthlib": `from requests_oauthlib import OAuth2Session
url, state = OAuth2Session("id", redirect_uri="https://a.b").authorization_url("https://c.d/auth")
"client_id=id" in url`,
  oauthlib: `from oauthlib.oauth1 import Client
uri, headers, body = Client("key", client_secret="s").sign("https://a.b/c")
"oauth_signature=" in headers["Authorization"]`,
  tqdm: `import io; from tqdm import tqdm
out = io.StringIO()
sum(tqdm(range(10), file=out)) == 45 and "10/10" in out.getvalue()`,
  beautifulsoup4: `from bs4 import BeautifulSoup
soup = BeautifulSoup("<p class=x>Hi <b>you</b></p>", "html.parser")
soup.select_one("p.x > b").text == "you"`,
  soupsieve: `import soupsieve, bs4
soup = bs4.BeautifulSoup("<i><a href='x'></a></i>", "html.parser")
len(soupsieve.select("i > a[href^=x]", soup)) == 1`,
  docutils: `from docutils.core import publish_string
html = publish_string("Title\\n=====\\n\\n*text*", writer_name="html")
b"<em>text</em>" in html`,
  isodate: `import isodate
d = isodate.parse_duration("P1DT2H")
d.total_seconds() == 93600`,
  tabulate: `from tabulate import tabulate
t = tabulate([["a", 1]], headers=["k", "v"], tablefmt="github")
"| a   |   1 |" in t`,
  wcwidth: `from wcwidth import wcswidth
w = wcswidth("コンニチハ")
w == 10`,
  "prompt-toolkit": `from prompt_toolkit.formatted_text import HTML, to_plain_text
from prompt_toolkit.document import Document
to_plain_text(HTML("<b>x</b>")) == "x" and Document("ab cd").get_word_before_cursor() == "cd"`,
  rich: `import io; from rich.console import Console; from rich.table import Table
t = Table("a"); t.add_row("1"); out = io.StringIO(); Console(file=out, width=20).print(t)
"│ 1" in out.getvalue()`,
  "markdown-it-py": `from markdown_it import MarkdownIt
html = MarkdownIt().render("# *Hi*")
html == "<h1><em>Hi</em></h1>\\n"`,
  mdurl: `import mdurl
u = mdurl.parse("https://a.b/c d")
mdurl.encode("a b") == "a%20b" and u.hostname == "a.b"`,
  httpx: `import httpx
transport = httpx.MockTransport(lambda request: httpx.Response(200, json={"ok": True}))
httpx.Client(transport=transport).get("https://a.b").json() == {"ok": True}`,
  h11: `import h11
c = h11.Connection(our_role=h11.CLIENT)
c.send(h11.Request(method="GET", target="/", headers=[("Host", "a")])).startswith(b"GET / HTTP/1.1")`,
  anyio: `import anyio
async def main(): await anyio.sleep(0); return await anyio.to_thread.run_sync(lambda: 7)
anyio.run(main) == 7`,
  sniffio: `import sniffio, asyncio
async def main(): return sniffio.current_async_library()
asyncio.run(main()) == "asyncio"`,
  starlette:
    `from starlette.applications import Starlette; from starlette.routing import Route; from starlette.responses import PlainTextResponse
app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("hi"))])
app.url_path_for.__name__ == "url_path_for" and len(app.routes) == 1`,
  uvicorn: `import uvicorn
config = uvicorn.Config(lambda: None, port=8001)
uvicorn.Server(config).config.port == 8001`,
  "websocket-client": `import websocket
frame = websocket.ABNF.create_frame("hi", websocket.ABNF.OPCODE_TEXT)
len(frame.format()) == 8`,
  "more-itertools": `import more_itertools as m
a = list(m.chunked(range(5), 2))
a == [[0, 1], [2, 3], [4]] and m.first([], 9) == 9`,
  tenacity: `import tenacity
calls = []
tenacity.Retrying(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_none(), reraise=False, retry_error_callback=lambda s: s.attempt_number)(lambda: 1 / 0) == 3`,
  "et-xmlfile": `import io; from et_xmlfile import xmlfile
out = io.BytesIO()
with xmlfile(out) as x:
    with x.element("a"): x.write("t")
out.getvalue() == b"<a>t</a>"`,
  openpyxl: `import openpyxl
b = openpyxl.Workbook(); b.active.append([1, "x"]); b.save("a.xlsx")
openpyxl.load_workbook("a.xlsx").active["B1"].value == "x"`,
  itsdangerous: `from itsdangerous import URLSafeTimedSerializer
s = URLSafeTimedSerializer("key")
s.loads(s.dumps({"a": 1}), max_age=10) == {"a": 1}`,
  werkzeug: `from werkzeug.test import Client; from werkzeug.wrappers import Request, Response
app = Request.application(lambda request: Response(request.args["q"]))
Client(app).get("/?q=hi").text == "hi"`,
  flask: `import flask
app = flask.Flask("x"); app.add_url_rule("/<int:n>", view_func=lambda n: {"n": n}, endpoint="e")
app.test_client().get("/7").json == {"n": 7}`,
  blinker: `import blinker
got = []; blinker.signal("s").connect(lambda sender: got.append(sender), weak=False)
blinker.signal("s").send("me") is not None and got == ["me"]`,
  mako: `from mako.template import Template
t = Template("% for x in xs:\\n\${x}\\n% endfor\\n")
t.render(xs=[1, 2]) == "1\\n2\\n"`,
  alembic: `from alembic.migration import MigrationContext; from alembic.operations import Operations
import sqlalchemy as sa; c = sa.create_engine("sqlite://").connect(); Operations(MigrationContext.configure(c)).create_table("t", sa.Column("a", sa.Integer))
sa.inspect(c).has_table("t")`,
  sqlalchemy: `import sqlalchemy as sa
c = sa.create_engine("sqlite://").connect()
c.execute(sa.text("select :x + 1"), {"x": 1}).scalar() == 2`,
  pyjwt: `import jwt
token = jwt.encode({"a": 1}, "a-secret-that-is-long-enough-for-it", algorithm="HS256")
jwt.decode(token, "a-secret-that-is-long-enough-for-it", algorithms=["HS256"]) == {"a": 1}`,
  "python-dotenv": `from dotenv import dotenv_values
open(".env", "w").write("A=1\\nB=\${A}2\\n")
dict(dotenv_values(".env")) == {"A": "1", "B": "12"}`,
  gitpython: `import git
repo = git.Repo.init("r"); open("r/a.txt", "w").write("x"); repo.git.add("a.txt")
with repo.config_writer() as config: config.set_value("user", "name", "A"); config.set_value("user", "email", "a@b.c")
repo.git.commit("-m", "first"); repo.git.log("--format=%s") == "first" and repo.untracked_files == []`,
  networkx: `import networkx as nx
g = nx.Graph([(1, 2), (2, 3)])
nx.shortest_path(g, 1, 3) == [1, 2, 3]`,
  sympy: `import sympy
x = sympy.Symbol("x")
sympy.solve(x**2 - 4, x) == [-2, 2]`,
  pexpect: `import pexpect
from pexpect import replwrap, expect
expect.searcher_string(["a"])._strings == [(0, "a")]`,
  traitlets: `import traitlets
class A(traitlets.HasTraits): x = traitlets.Int(3)
A().x == 3`,
  jedi: `import jedi
s = jedi.Script("import json\\njson.du")
"dumps" in [c.name for c in s.complete(2, 7)]`,
  ipython: `from IPython.display import display, HTML
display(HTML("<b>x</b>"))
HTML("<b>x</b>").data == "<b>x</b>"`,
  toml: `import toml
d = toml.loads("a = [1, 2]")
toml.dumps(d).strip() == "a = [ 1, 2,]"`,
  docker: `import docker
from docker.utils import parse_repository_tag
parse_repository_tag("a/b:c") == ("a/b", "c")`,
  "poetry-core": `from poetry.core.constraints.version import parse_constraint, Version
c = parse_constraint("^1.2")
c.allows(Version.parse("1.5")) and not c.allows(Version.parse("2.0"))`,
  babel: `from babel.numbers import format_currency
from babel.dates import format_date; import datetime
format_currency(1234.5, "EUR", locale="de_DE") == "1.234,50\\xa0€" and format_date(datetime.date(2025, 3, 1), locale="fr") == "1 mars 2025"`,
  humanize: `import humanize, datetime
a = humanize.naturalsize(1_500_000)
a == "1.5 MB" and humanize.intword(12_300_000) == "12.3 million"`,
  sortedcontainers: `from sortedcontainers import SortedDict
d = SortedDict(b=2, a=1)
list(d) == ["a", "b"] and d.peekitem(0) == ("a", 1)`,
  html5lib: `import html5lib
t = html5lib.parse("<p>a<p>b", namespaceHTMLElements=False)
len(t.findall(".//p")) == 2`,
  pycparser: `from pycparser import c_parser
ast = c_parser.CParser().parse("int f(int x) { return x + 1; }")
ast.ext[0].decl.name == "f"`,
  termcolor: `from termcolor import colored
s = colored("x", "red", force_color=True)
s == "\\x1b[31mx\\x1b[0m"`,
  faker: `from faker import Faker
Faker.seed(1)
"@" in Faker("de_DE").email()`,
  arrow: `import arrow
a = arrow.get("2025-03-30T00:00:00+00:00").to("Europe/Berlin")
a.shift(days=1).format("YYYY-MM-DD HH:mm") == "2025-03-31 01:00"`,
  xmltodict: `import xmltodict
d = xmltodict.parse("<a><b>1</b><b>2</b></a>")
d["a"]["b"] == ["1", "2"]`,
  marshmallow: `from marshmallow import Schema, fields
S = Schema.from_dict({"n": fields.Int(required=True)})
S().load({"n": "4"}) == {"n": 4}`,
  dill: `import dill
f = dill.loads(dill.dumps(lambda x: x + 1))
f(1) == 2`,
  cloudpickle: `import cloudpickle, pickle
f = pickle.loads(cloudpickle.dumps(lambda x: x * 3))
f(2) == 6`,
  joblib: `from joblib import Parallel, delayed, Memory
r = Parallel(n_jobs=2, prefer="threads")(delayed(pow)(n, 2) for n in range(4))
r == [0, 1, 4, 9]`,
  django: `import django; from django.conf import settings
settings.configure(TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}]); django.setup()
from django.template import Context, Template
Template("{{ x|upper }}").render(Context({"x": "a"})) == "A"`,
  black: `import black
out = black.format_str("x = {'a':1}", mode=black.Mode())
out == 'x = {"a": 1}\\n'`,
  isort: `import isort
out = isort.code("import sys\\nimport os\\n")
out == "import os\\nimport sys\\n"`,
  jsonschema: `import jsonschema
v = jsonschema.Draft7Validator({"type": "object", "required": ["a"]})
[e.message for e in v.iter_errors({})] == ["'a' is a required property"]`,
  fastapi: `from fastapi import FastAPI
app = FastAPI(); app.get("/x")(lambda: {"a": 1})
"/x" in app.openapi()["paths"]`,
  pydantic: `from pydantic import BaseModel
class M(BaseModel): n: int
M(n="4").n == 4`,
};
