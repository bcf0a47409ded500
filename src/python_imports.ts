/**
 * Which project of Python's index an imported name comes from. Only these are ever installed because a program imports
 * them: a name that is taken from a program's word may be one that somebody has registered to be mistaken for another.
 */

import { alternativeTo } from "./package_alternatives.ts";
import { normalized } from "./project_name.ts";

/**
 * Written in Python. `name=Project` where the project is called otherwise; a name with dots where several projects share
 * what is before the last one.
 */
const PURE = `
addict aiofiles aiosignal aiosqlite alembic altair annotated_types=annotated-types antlr4=antlr4-python3-runtime anyio appdirs
apscheduler=APScheduler ariadne arrow art asciichartpy asgiref asn1crypto astor astral astroid asttokens async_timeout=async-timeout
asyncstdlib atomicwrites attr=attrs attrs automat=Automat autopep8 avro
babel=Babel backoff bandit barcode=python-barcode base58 beartype behave benedict=python-benedict bibtexparser bidict
black bleach blessed blinker boltons boto3 botocore bottle box=python-box bs4=beautifulsoup4 
cachetools cattr=cattrs cattrs cbor2 cerberus=Cerberus certifi cfgv chardet charset_normalizer=charset-normalizer chevron
click clize cloudpickle cmd2 cobble colorama colored coloredlogs colorful colorlog colorthief colour commonmark configargparse=ConfigArgParse
configobj construct contextlib2 convertdate cookiecutter country_converter coverage croniter crontab=python-crontab
cssselect cssselect2 cssutils cycler
dacite dataclasses_json=dataclasses-json dataset dateutil=python-dateutil ddt decorator decouple=python-decouple
deepdiff deepmerge defusedxml deprecated=Deprecated deprecation dictdiffer dicttoxml dill diskcache
distlib distro django=Django docker dns=dnspython docformatter docstring_parser=docstring-parser docutils dominate dotenv=python-dotenv
dotty_dict=dotty-dict dpath drawsvg dynaconf
ecdsa elementpath email_validator=email-validator emoji enlighten environs et_xmlfile=et-xmlfile
eval_type_backport=eval-type-backport exceptiongroup execnet executing exifread=ExifRead exrex
factory=factory_boy faker=Faker fakeredis falcon fasteners filelock filetype fire flake8 flask=Flask
flask_cors=flask-cors flask_login=Flask-Login flask_sqlalchemy=Flask-SQLAlchemy flask_wtf=Flask-WTF flatdict flatten_dict=flatten-dict
flatten_json=flatten-json flexmock freezegun frozendict frozenlist fsspec ftfy funcy furl future fuzzywuzzy
gitdb geographiclib geojson geopy gherkin=gherkin-official git=GitPython glom google.api=googleapis-common-protos google.auth=google-auth
google.oauth2=google-auth google.protobuf=protobuf google.rpc=googleapis-common-protos google.type=googleapis-common-protos graphene graphql=graphql-core graphviz gspread
h11 h2 hachoir hashids haversine hijridate holidays hpack html2text html5lib httpcore httplib2 httpx humanfriendly humanize
hypercorn hyperframe hyperlink hypothesis
icalendar icecream idna ifaddr imagesize importlib_metadata=importlib-metadata importlib_resources=importlib-resources
inflect inflection iniconfig injector inquirer intervaltree invoke iso8601 isodate isort itsdangerous
jaraco.classes jaraco.collections jaraco.context jaraco.functools jaraco.text jdatetime jedi jinja2=Jinja2 jmespath joblib jose=python-jose json5 jsondiff json_repair=json-repair jsonlines jsonpatch
jsonpath_ng=jsonpath-ng jsonpickle jsonpointer jsonref jsonschema jwcrypto jwt=PyJWT
kaitaistruct keyring kombu
lark latex2mathml ldap3 linkify_it=linkify-it-py liquid=python-liquid littleutils loguru lorem_text=lorem-text lunardate
mako=Mako mammoth markdown=Markdown markdown2 markdown_it=markdown-it-py markdownify marshmallow marshmallow_enum=marshmallow-enum
mashumaro mccabe mdit_py_plugins=mdit-py-plugins mdurl memoization mergedeep metaphone=Metaphone mido mimesis mingus mistune mock
 monotonic more_itertools=more-itertools mpmath multidict multimethod multipledispatch munch mutagen mypy mypy_extensions=mypy-extensions
nanoid narwhals natsort nested_lookup=nested-lookup netaddr networkx nodeenv nox num2words
oauthlib odf=odfpy ofxparse olefile openapi_spec_validator=openapi-spec-validator openpyxl opentelemetry=opentelemetry-api
ordered_set=ordered-set overrides
packaging pampy parameterized parse parsedatetime parsimonious parso passlib past=future pathspec pathvalidate pdfminer=pdfminer.six
peewee periodictable petl pexpect phonenumbers pint=Pint pkg_resources=setuptools platformdirs plotext plotly pluggy plum=plum-dispatch ply png=pypng
poetry.core=poetry-core polib pony portalocker portion prettytable progress progressbar=progressbar2 prometheus_client=prometheus-client prompt_toolkit=prompt-toolkit
propcache proselint ptyprocess publicsuffix2 pubsub=PyPubSub puremagic pyasn1 pycodestyle pycountry pycparser
pydantic pydash pydocstyle pydot pyee pyfiglet pyflakes pygal pygments=Pygments pykwalify pylint pyld=PyLD pymysql=PyMySQL
pyotp pyparsing pypdf PyPDF2 pypika=PyPika pyrsistent pyshacl pytest pytest_asyncio=pytest-asyncio pytest_cov=pytest-cov pytest_mock=pytest-mock
pytest_subtests=pytest-subtests pytimeparse pytz pytz_deprecation_shim=pytz-deprecation-shim pyxlsb
qrcode questionary
radon ratelimit rdflib reactivex readchar redis
referencing reportlab requests requests_mock=requests-mock requests_oauthlib=requests-oauthlib requests_toolbelt=requests-toolbelt
responses retry retrying returns rfc3339_validator=rfc3339-validator rfc3986 rich rich_argparse=rich-argparse roman rope rsa rtfde=RTFDE
s3transfer schedule schema segno semantic_version=semantic-version semver setuptools shellingham shortuuid simple_term_menu=simple-term-menu
simplejson simpleeval simpy six slack_sdk=slack-sdk slugify=python-slugify smart_open=smart-open smmap sniffio snowballstemmer sortedcollections sortedcontainers
soupsieve sparqlwrapper=SPARQLWrapper sphinx=Sphinx sqlalchemy=SQLAlchemy sqlfluff sqlglot sqlite_utils=sqlite-utils sqlparse starlette
statemachine=python-statemachine stdnum=python-stdnum stevedore stopit stringcase stripe striprtf structlog svglib svgpathtools svgwrite sympy syrupy
tabulate tblib tenacity termcolor terminaltables testfixtures texttable text_unidecode=text-unidecode textdistance textual
thefuzz tinycss2 tinydb tinytag tldextract toml tomli tomli_w=tomli-w tomlkit toolz tqdm traitlets transitions trio
typeguard typer typing_extensions=typing-extensions typing_inspect=typing-inspect tzdata tzlocal
ua_parser=ua-parser ulid=python-ulid umsgpack=u-msgpack-python uncertainties unidecode=Unidecode uritemplate url_normalize=url-normalize urllib3 urwid
user_agents=user-agents uvicorn
vaderSentiment validators vcr=vcrpy virtualenv vobject voluptuous vulture
w3lib waitress wcwidth webcolors webencodings webob=WebOb websocket=websocket-client websockets webtest=WebTest werkzeug=Werkzeug wheel whoosh=Whoosh
wrapt wsproto wtforms=WTForms
xlrd xlsxwriter=XlsxWriter xlwt xmlschema xmltodict
yamllint yaml=PyYAML yapf yarl yaspin
zipp zxcvbn
`;

/** With native code, or of no use without something that has it. */
const NATIVE = `
asyncpg easyocr keras librosa
aiohttp apsw argon2=argon2-cffi astropy av bcrypt bitarray Bio=biopython blis brotli=Brotli bson=pymongo
cairo=pycairo cairosvg=CairoSVG catboost cartopy=Cartopy cffi contourpy Crypto=pycryptodome Cryptodome=pycryptodomex cryptography cupy cv2=opencv-python cvxpy cython=Cython
datasets docx=python-docx duckdb
faiss=faiss-cpu fastavro fastparquet fiona fitz=PyMuPDF
gensim geopandas gevent greenlet grpc=grpcio h5py hdbscan igraph jax jellyfish kiwisolver
langchain Levenshtein lightgbm llvmlite lmdb lxml lz4
magic=python-magic matplotlib mmh3 moviepy msgpack MySQLdb=mysqlclient nacl=PyNaCl netCDF4 numba numexpr numpy
onnx onnxruntime orjson ortools osgeo=GDAL
pandas pdf2image pdfplumber pendulum PIL=Pillow playwright polars pptx=python-pptx psutil psycopg psycopg2=psycopg2-binary pyarrow
pycurl pydantic_core=pydantic-core pydub pygame pygraphviz pymongo pyodbc pyproj PyQt5 PyQt6 PySide6 pytesseract pywt=PyWavelets
rapidfuzz rasterio regex rpds=rpds-py ruamel=ruamel.yaml ruff
scipy seaborn selenium sentence_transformers=sentence-transformers shapely skimage=scikit-image sklearn=scikit-learn spacy statsmodels
sentencepiece snappy=python-snappy soundfile
tables tensorflow tiktoken tokenizers torch torchvision tornado transformers
ujson umap=umap-learn uv uvloop watchdog weasyprint wordcloud
xgboost xxhash zmq=pyzmq zstandard
`;

/** In pure Python, but standing on packages with native code that the interpreter of science has. */
const ON_SCIENCE = `
anthropic bokeh dask dateparser docxtpl ebooklib=EbookLib fastapi folium fpdf=fpdf2 imageio instructor langchain_core=langchain-core mplfinance
nltk openai pydantic_extra_types=pydantic-extra-types pydantic_settings=pydantic-settings pywaffle=pyWaffle squarify sqlmodel textblob xarray
`;

/** Among those in pure Python: what needs some of these packages in its newest releases, and did without them before. */
const NEWLY_ON_SCIENCE = "altair jsonschema openapi_spec_validator pydantic referencing";

/** In pure Python, but by numpy, Pillow or matplotlib they do more, or all that most want them for. */
const WITH_SCIENCE = `
barcode joblib mpmath networkx pint plotly pypdf qrcode reportlab svglib sympy uncertainties
`;

/** As pip takes them. */
const COMPANIONS: Readonly<Record<string, string>> = {
  "fastapi.File": "python-multipart",
  "fastapi.Form": "python-multipart",
  "fastapi.UploadFile": "python-multipart",
  "fastapi.testclient": "starlette[full]",
  "starlette.testclient": "starlette[full]",
};

/** Where a name of the standard library of other versions is now. */
const FORMER: Readonly<Record<string, string>> = {
  asynchat: "It was removed in Python 3.12: use asyncio.",
  asyncore: "It was removed in Python 3.12: use asyncio.",
  cPickle: "It is called pickle in Python 3.",
  cStringIO: "It is io.StringIO in Python 3.",
  cgi: "It was removed in Python 3.13: use urllib.parse and email.message.",
  cgitb: "It was removed in Python 3.13: use traceback.",
  ConfigParser: "It is called configparser in Python 3.",
  crypt: "It was removed in Python 3.13: use hashlib.",
  distutils: "It was removed in Python 3.12: use shutil, sysconfig and packaging.version.",
  HTMLParser: "It is html.parser in Python 3.",
  imghdr: "It was removed in Python 3.13: look at the first bytes of the file, or use filetype.",
  imp: "It was removed in Python 3.12: use importlib.",
  Queue: "It is called queue in Python 3.",
  sndhdr: "It was removed in Python 3.13: use wave, or look at the first bytes of the file.",
  StringIO: "It is io.StringIO in Python 3.",
  telnetlib: "It was removed in Python 3.13, and there is no network here.",
  pip:
    'It runs by itself: install_package, pip in the shell, or subprocess.run([sys.executable, "-m", "pip", …]).',
  ensurepip: "pip is there: install_package, or pip in the shell.",
  venv: "Each session is an environment of its own: install_package and pip install into it.",
  pipes: "It was removed in Python 3.13: shlex.quote and subprocess have what it did.",
  smtpd: "It was removed in Python 3.12, and there is no network here.",
  nntplib: "It was removed in Python 3.13, and there is no network here.",
  Tkinter: "There is no screen here: draw charts with pygal, and show them with display(chart).",
  tkinter: "There is no screen here: draw charts with pygal, and show them with display(chart).",
  turtle: "There is no screen here: write SVG as text, and show it with display(svg).",
  curses: "There is no terminal here: print text.",
  urllib2: "It is urllib.request in Python 3.",
  urlparse: "It is urllib.parse in Python 3.",
  uu: "It was removed in Python 3.13: use binascii.",
  xdrlib: "It was removed in Python 3.13: use struct.",
};

export interface PythonProject {
  /** As its index calls it. */
  readonly name: string;
  /** Whether it has native code, or needs some: it can't run here, unless … */
  readonly native: boolean;
  /** … what it needs is in the interpreter of science alone. */
  readonly onScience: boolean;
}

let standing: ReadonlySet<string> | undefined;

/** Whether a module comes from a project that stands on science, or does more by it. Without the table, which most sessions never need. */
export function standsOnScience(imported: string): boolean {
  standing ??= new Set(
    `${ON_SCIENCE} ${NEWLY_ON_SCIENCE} ${WITH_SCIENCE}`.trim().split(/\s+/).map((row) =>
      row.replace(/=.*/, "")
    ),
  );
  return standing.has(imported);
}

let made: ReadonlyMap<string, PythonProject> | undefined;

/** Made when it is first asked for: most sessions never do. */
function projects(): ReadonlyMap<string, PythonProject> {
  return made ??= new Map([
    ...rows(PURE, { native: false, onScience: false }),
    ...rows(NATIVE, { native: true, onScience: false }),
    ...rows(ON_SCIENCE, { native: true, onScience: true }),
  ]);
}

function rows(table: string, kind: Omit<PythonProject, "name">): [string, PythonProject][] {
  return table.trim().split(/\s+/).map((row) => {
    const [imported = "", name = imported] = row.split("=");
    return [imported, { name, ...kind }];
  });
}

/** @param imported What a program imports, or the first parts of it. */
export function projectOf(imported: string): PythonProject | undefined {
  const parts = imported.split(".");
  for (; parts.length > 0; parts.pop()) {
    const project = projects().get(parts.join("."));
    if (project) return project;
  }
  return undefined;
}

/** Whether a project can't run. @param science Whether numpy and what stands on it are there. */
export function isNative({ native, onScience }: PythonProject, science: boolean): boolean {
  return native && !(science && onScience);
}

/** What the table has below a name that several projects share. */
export function namesBelow(name: string): readonly string[] {
  return importNames().filter((each) => each.startsWith(`${name}.`));
}

/** All names that the table knows. */
export function importNames(): readonly string[] {
  return [...projects().keys()];
}

/** Where a name that the standard library had once is now. */
export function formerModule(imported: string): string | undefined {
  return Object.hasOwn(FORMER, imported) ? FORMER[imported] : undefined;
}

/** What a module needs of the index beside its project, which leaves it to whoever imports that module. */
export function companionOf(imported: string): string | undefined {
  return Object.entries(COMPANIONS).find(([name]) => `${imported}.`.startsWith(`${name}.`))?.[1];
}

/** What to use instead of a project. @param science Whether numpy and what stands on it are there. */
export function insteadOf({ name }: PythonProject, science = false): string | undefined {
  return alternativeTo(normalized(name), science);
}
