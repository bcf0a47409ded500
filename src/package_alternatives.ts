/** What works here instead of packages with native code. */

const PYTHON: Readonly<Record<string, string>> = {
  aiohttp: "There is no network here; asyncio works.",
  brotli: "zlib, bz2 and lzma of the standard library compress too.",
  cffi: "Native libraries can't be called here.",
  cryptography:
    "hashlib, hmac and secrets of the standard library do hashes, signatures with a shared key, and tokens.",
  grpcio: "There is no network here.",
  lxml:
    "xml.etree.ElementTree of the standard library, or defusedxml, parse XML; html.parser and beautifulsoup4 HTML.",
  markupsafe: "It is bundled, in pure Python: import it without installing.",
  matplotlib: "pygal, which is bundled, draws charts as SVG.",
  msgpack: "u-msgpack-python is pure Python.",
  mysqlclient: "sqlite3 of the standard library is a database without network.",
  numpy:
    "statistics, math, fractions and array of the standard library; execute_code in JavaScript has typed arrays.",
  orjson: "json of the standard library.",
  pandas:
    "csv and statistics of the standard library, openpyxl (bundled), or sqlite3 for grouping and joining.",
  pillow: "pypng is pure Python.",
  psutil: "There are no processes here.",
  psycopg2: "sqlite3 of the standard library is a database without network.",
  "psycopg2-binary": "sqlite3 of the standard library is a database without network.",
  pycryptodome: "hashlib, hmac and secrets of the standard library; pyaes is pure Python.",
  "pydantic-core": "pydantic<2 has a pure wheel; attrs, which is bundled, and dataclasses do without.",
  pydantic: "pydantic<2 has a pure wheel; attrs, which is bundled, and dataclasses do without.",
  pyyaml: "It is bundled, in pure Python: import yaml without installing.",
  regex: "re of the standard library.",
  "rpds-py": "jsonschema<4.18 does without it.",
  ruamel: "yaml, which is bundled.",
  "fpdf2": "reportlab, which is bundled, writes PDF.",
  "opencv-python": "pypng, in pure Python, reads and writes PNG; display(svg) draws.",
  pdfplumber: "pypdf and pdfminer, which are bundled, read PDF.",
  polars: "csv and statistics of the standard library, or sqlite3 for grouping and joining.",
  pyarrow: "csv, json and sqlite3 of the standard library keep tables.",
  pymongo: "There is no network here; sqlite3 of the standard library, or tinydb, keeps documents.",
  pymupdf: "pypdf, pdfminer and reportlab, which are bundled, read and write PDF.",
  "python-docx": "mammoth, which is bundled, reads .docx; odf, which is bundled, writes documents too.",
  "python-pptx": "odf, which is bundled, writes presentations.",
  "scikit-learn": "statistics of the standard library has linear regression and correlation.",
  scipy: "statistics and math of the standard library; mpmath and sympy, which are bundled.",
  seaborn: "pygal, which is bundled, draws charts as SVG.",
  simplejson: "json of the standard library.",
  ujson: "json of the standard library.",
  tensorflow: "There is nothing like it in pure Python.",
  torch: "There is nothing like it in pure Python.",
  uvloop: "asyncio works as it is.",
  "argon2-cffi": "hashlib.scrypt and pbkdf2_hmac of the standard library hash passwords.",
  asyncpg: "sqlite3 of the standard library is a database without network.",
  bcrypt: "hashlib.scrypt and pbkdf2_hmac of the standard library hash passwords.",
  cairosvg: "execute_code shows SVG as a picture: display(svg).",
  duckdb: "sqlite3 of the standard library runs SQL over tables.",
  easyocr: "There is nothing here that reads text in pictures.",
  gensim: "nltk, in pure Python, splits and counts words.",
  gevent: "asyncio of the standard library.",
  h5py: "sqlite3, shelve and json of the standard library keep data.",
  igraph: "networkx, which is bundled.",
  jax: "There is nothing like it in pure Python.",
  keras: "There is nothing like it in pure Python.",
  librosa: "wave of the standard library reads and writes WAV.",
  moviepy: "There is no ffmpeg here.",
  pdf2image: "read_file shows a PDF's text, pypdf its pictures.",
  playwright: "There is no browser and no network here; beautifulsoup4 reads HTML.",
  pydub: "wave of the standard library reads and writes WAV; there is no ffmpeg here.",
  pygame: "There is no screen here.",
  pynacl: "hashlib, hmac and secrets of the standard library.",
  pyqt5: "There is no screen here.",
  pytesseract: "There is nothing here that reads text in pictures.",
  pyzmq: "queue and asyncio of the standard library.",
  selenium: "There is no browser and no network here; beautifulsoup4 reads HTML.",
  soundfile: "wave of the standard library reads and writes WAV.",
  spacy: "nltk, in pure Python, splits and counts words.",
  tiktoken: "gpt-tokenizer of npm, in JavaScript, counts the same tokens.",
  tokenizers: "gpt-tokenizer of npm, in JavaScript, splits text into tokens.",
  transformers: "There is nothing like it in pure Python.",
  weasyprint: "reportlab, which is bundled, writes PDF.",
  xxhash: "hashlib of the standard library.",
};

/** What there is of learning from data without scikit-learn, which builds with scipy have. */
const BY_HAND =
  "numpy fits lines and polynomials (linalg.lstsq, polyfit), does PCA (linalg.svd), and k-means takes ten lines of it; " +
  "pandas splits, scales and encodes (sample, get_dummies, qcut)";
const LEARNING = `scikit-learn, where a build has scipy. Without it ${BY_HAND}.`;

/** Where numpy and what stands on it are there. */
const WITH_SCIENCE: Readonly<Record<string, string>> = {
  brotli: "cramjam, which is bundled, has Brotli, Snappy, LZ4 and Zstandard.",
  catboost: LEARNING,
  cvxpy: "scipy.optimize, where a build has scipy, has linprog, milp and minimize.",
  duckdb:
    "pandas groups and joins; sqlite3 of the standard library runs SQL over its tables (to_sql, read_sql).",
  "faiss-cpu": "numpy finds the nearest vectors: (vectors @ query).argsort().",
  h5py: "numpy.savez keeps arrays, pandas tables as Parquet.",
  hdbscan: LEARNING,
  librosa: "wave of the standard library and numpy (fft) read, write and analyse WAV.",
  lightgbm: LEARNING,
  lz4: "cramjam, which is bundled, has Brotli, Snappy, LZ4 and Zstandard.",
  moviepy: "Pillow writes animated GIF and WebP; there is no ffmpeg here.",
  numba: "numpy computes with whole arrays at once.",
  ortools: "scipy.optimize, where a build has scipy, has linprog and milp.",
  pygame: "There is no screen here; Pillow and matplotlib draw pictures.",
  "python-snappy": "cramjam, which is bundled, has Brotli, Snappy, LZ4 and Zstandard.",
  shapely: "matplotlib.path tells which points are in a polygon; numpy computes areas and distances.",
  soundfile: "wave of the standard library and numpy read and write WAV.",
  "umap-learn": LEARNING,
  wordcloud: "collections.Counter counts words; matplotlib and Pillow draw them in any size.",
  xgboost: LEARNING,
  zstandard: "cramjam, which is bundled, has Brotli, Snappy, LZ4 and Zstandard.",
  geopandas: "pandas keeps tables; matplotlib draws.",
  "opencv-python": "Pillow and numpy read, change and write pictures.",
  plotnine: "matplotlib and seaborn draw charts.",
  polars: "pandas.",
  pyarrow: "pandas reads and writes CSV, JSON, Excel and, by fastparquet, Parquet.",
  "scikit-image": "Pillow and numpy read, change and write pictures.",
  "scikit-learn": `${BY_HAND}. Releases, and builds with scipy, have scikit-learn.`,
  scipy:
    "numpy has linear algebra (linalg), FFT, interp, polyfit, convolve, trapezoid and random numbers; statistics.NormalDist " +
    "and math.erf have the normal distribution; mpmath, which is bundled, has quad, odefun, findroot and special functions.",
  statsmodels: "numpy.linalg.lstsq and pandas do linear models and rolling statistics.",
};

const JAVASCRIPT: Readonly<Record<string, string>> = {
  argon2: "hash-wasm and @noble/hashes do password hashes in plain JavaScript.",
  bcrypt: "bcryptjs does the same in plain JavaScript.",
  "better-sqlite3": "sqlite3 of Python's standard library.",
  canvas: "Draw SVG: execute_code shows it as a picture.",
  esbuild: "Modules run as they are; sucrase compiles TypeScript and JSX.",
  playwright: "There is no network and no browser here; cheerio reads HTML.",
  puppeteer: "There is no network and no browser here; cheerio reads HTML.",
  sass: "There is no pure one; less compiles style sheets.",
  "node-sass": "There is no pure one; less compiles style sheets.",
  re2: "Regular expressions of the language.",
  sharp: "resvg draws SVG that is shown; jimp and pngjs read and write pictures.",
  sqlite3: "sqlite3 of Python's standard library.",
};

/** @param name Normalized. @param science Whether numpy and what stands on it are there. */
export function alternativeTo(name: string, science = false): string | undefined {
  if (science && Object.hasOwn(WITH_SCIENCE, name)) return WITH_SCIENCE[name];
  return Object.hasOwn(PYTHON, name) ? PYTHON[name] : undefined;
}

/** What is said of a project that can't run here. @param name Normalized. @param science As of {@link alternativeTo}. */
export function adviceOnNative(name: string, science: boolean): string {
  const instead = alternativeTo(name, science) ??
    "a package in pure Python; list_packages has what is there.";
  return `native code, or needs some, and can't run here. ${asSentence(instead)}`;
}

/** Some say that there is none, or why not. */
export function asSentence(instead: string): string {
  return /^(There|It|Native) /.test(instead) ? instead : `Instead: ${instead}`;
}

/** @param name Of an npm package. */
export function npmAlternativeTo(name: string): string | undefined {
  return Object.hasOwn(JAVASCRIPT, name) ? JAVASCRIPT[name] : undefined;
}
