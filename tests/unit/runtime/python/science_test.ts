import assert from "node:assert/strict";
import type { FileSystem } from "../../../../src/fs/file_system.ts";
import { createFileSystem } from "../../../../src/fs/layout.ts";
import {
  adviceOnScience,
  baseFor,
  baseForSession,
  beforeProjects,
} from "../../../../src/runtime/python/science.ts";
import { runsModule } from "../../../../src/runtime/shell/programs/python.ts";

const fs = createFileSystem({ maxBytes: 1_000_000, maxInodes: 100 });
const wantsScience = (fs: FileSystem, code: string) => baseFor(fs, code, ["science"]) === "science";

Deno.test("a program that imports numpy or what stands on it is run in their interpreter, and no other does", () => {
  for (
    const code of [
      "import numpy as np",
      "import os\nimport pandas",
      "import os, json as j, numpy as np",
      "  from matplotlib import pyplot",
      "from PIL import Image",
      "%matplotlib inline\n1",
      "def f():\n    import seaborn as sns",
      "import numpy.linalg",
      "try: import numpy as np\nexcept ImportError: np = None",
      "import os; import numpy",
      "from fpdf import FPDF",
      "from bs4 import BeautifulSoup\nsoup = BeautifulSoup(html, 'lxml')",
    ]
  ) assert.equal(wantsScience(fs, code), true, code);
  for (
    const code of [
      "x = 1",
      "import numpyro",
      "# import numpy",
      "print('import numpy')",
      "import os.numpy_x",
      "",
    ]
  ) {
    assert.equal(wantsScience(fs, code), false, code);
  }
});

Deno.test("so does a program whose own modules import it, or whose tests may", () => {
  const fs = createFileSystem({ maxBytes: 1_000_000, maxInodes: 100 });
  fs.mkdir("/app/package");
  fs.writeFile("/app/package/frames.py", new TextEncoder().encode("import pandas as pd"));
  for (
    const code of [
      "import package",
      "from package.frames import x",
      "import os, package",
      "import importlib; importlib.import_module('package.frames')",
      "runpy.run_module('package.frames')",
      "import frames",
      "import pytest",
      "from uvicorn.main import main",
      "exec(open('package/frames.py').read())",
      "runpy.run_path(path)",
      "%run package/frames.py",
      ...["package.frames", "pytest", "unittest", "cProfile", "__main__"].map(runsModule),
    ]
  ) assert.equal(wantsScience(fs, code), true, code);
  assert.equal(wantsScience(fs, runsModule("json.tool")), false);
  assert.equal(wantsScience(fs, "import os"), false);
  fs.writeFile("/app/package/frames.py", new TextEncoder().encode("import csv"));
  assert.equal(wantsScience(fs, "import package"), false);
});

Deno.test("so does a program whose module is in a directory of its own, or below /tmp, and asks for it in other ways", () => {
  const fs = createFileSystem({ maxBytes: 1_000_000, maxInodes: 100 });
  for (
    const [path, text] of [
      ["/app/src/graphs.py", "import networkx as nx"],
      ["/tmp/job/helper.py", "pd = importlib.import_module('pandas')"],
    ] as const
  ) {
    fs.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    fs.writeFile(path, new TextEncoder().encode(text));
  }
  for (const code of ["import graphs", "from helper import f"]) {
    assert.equal(wantsScience(fs, code), true, code);
  }
  assert.equal(wantsScience(fs, "import tmp"), false);
});

Deno.test("a program that imports them by their names as values, or looks for them, is run there", () => {
  for (
    const code of [
      "import importlib\nfor p in ['numpy', 'pandas']: importlib.import_module(p)",
      "np = __import__('numpy')",
      "mods = [__import__(m) for m in 'numpy pandas'.split()]",
      "importlib.util.find_spec('matplotlib')",
      "np = pytest.importorskip('numpy')",
      "xr = importlib.import_module('xarray')",
    ]
  ) assert.equal(wantsScience(fs, code), true, code);
  for (
    const code of ["importlib.import_module(name)", "__import__('json')", "{'numpy': 1}", "version('numpy')"]
  ) assert.equal(wantsScience(fs, code), false, code);
  const there = ["science", "scipy"] as const;
  assert.equal(baseFor(fs, "importlib.import_module('scipy.stats')", there), "scipy");
});

Deno.test("a program that writes or runs a text which imports them is run there, and one that prints it is not", () => {
  for (
    const code of [
      "open('m.py', 'w').write('import numpy as np\\nx = 1')\nimport m",
      "Path('m.py').write_text(\"x = 1\\nfrom pandas import DataFrame\")",
      "print('import numpy', file=f)",
      "exec('import numpy as np')",
      "exec(compile('import os, numpy', 'x', 'exec'))",
      "timeit.timeit('np.ones(3)', setup='import numpy as np')",
      'f.write("""import matplotlib\n""")',
      "import sys; sys.argv[1:] = ['-s', 'import numpy']\n" + runsModule("timeit"),
    ]
  ) assert.equal(wantsScience(fs, code), true, code);
  for (const code of ["print('import numpy')", "f.write('import os')", "exec('x = 1')"]) {
    assert.equal(wantsScience(fs, code), false, code);
  }
});

Deno.test("so does a program that imports an installed package which needs it, itself or by what it needs", () => {
  const fs = createFileSystem({ maxBytes: 1_000_000, maxInodes: 100 });
  const site = "/opt/python/lib/python3.13/site-packages";
  const install = (name: string, module: string, metadata: string) => {
    fs.mkdir(`${site}/${name}-1.0.dist-info`, { recursive: true });
    fs.mkdir(`${site}/${module}`);
    const put = (file: string, text: string) =>
      fs.writeFile(`${site}/${name}-1.0.dist-info/${file}`, new TextEncoder().encode(text));
    put("METADATA", `Name: ${name}\n${metadata}\n\nRequires-Dist: numpy\n`);
    put("RECORD", `${name}-1.0.dist-info/METADATA,,\r\n${module}/__init__.py,sha256=x,1\r\n`);
  };
  install("mplfinance", "mplfinance", "Requires-Dist: Matplotlib (>=3)\nRequires-Dist: pandas");
  install("My_Charts", "charts", "Requires-Dist: mplfinance>=1 ; python_version > '3'");
  install("plain", "plain", 'Requires-Dist: numpy; extra == "fast"');
  fs.mkdir("/app/tool");
  fs.writeFile("/app/tool/cli.py", new TextEncoder().encode("import os, plain, charts"));
  for (const code of ["import tool.cli", "runpy.run_path('tool/cli.py')", runsModule("pytest")]) {
    assert.equal(wantsScience(fs, code), true, code);
  }
  fs.writeFile("/app/tool/cli.py", new TextEncoder().encode("import os, plain"));
  assert.equal(wantsScience(fs, "import tool.cli"), false);
  for (const code of ["import mplfinance as mpf", "from charts.bars import bar"]) {
    assert.equal(wantsScience(fs, code), true, code);
  }
  for (const code of ["import plain", "import other"]) assert.equal(wantsScience(fs, code), false, code);
  assert.deepEqual([beforeProjects(fs, ["my-charts"]), beforeProjects(fs, ["plain"])], ["import numpy", ""]);
  install("curves", "curves", "Requires-Dist: numpy\nRequires-Dist: scipy>=1.10");
  assert.equal(baseFor(fs, "import curves", ["science", "scipy"]), "scipy");
  assert.equal(baseFor(fs, "import charts", ["science", "scipy"]), "science");
  install("learns", "learns", "Requires-Dist: scikit-learn");
  install("tagger", "tagger", "Requires-Dist: joblib");
  assert.equal(baseFor(fs, "import learns", ["science", "scipy"]), "scipy");
  assert.equal(baseFor(fs, "import tagger", ["science", "scipy"]), "plain");
  assert.equal(beforeProjects(fs, ["curves"]), "import numpy\nimport scipy");
});

Deno.test("a program is run in the smallest interpreter that has all it imports, as far as there are any", () => {
  const there = ["science", "scipy"] as const;
  for (
    const [code, base] of [
      ["from scipy import stats", "scipy"],
      ["import numpy as np, scipy.optimize", "scipy"],
      ["import pandas as pd\nfrom scipy.stats import norm", "scipy"],
      ["import numpy as np", "science"],
      ["from sklearn.svm import SVC", "scipy"],
      ["import joblib", "scipy"],
      ["import scipyx", "plain"],
      ["import networkx as nx\nprint(nx.pagerank(G))", "scipy"],
      ['df.plot(kind="kde")', "scipy"],
      ['import pandas as pd\nfor kind in ["box", "kde"]: df.plot(kind=kind)', "scipy"],
      ["import seaborn as sns\nsns.histplot(df, kde=True)", "science"],
      ["df.corr(method='kendall')", "scipy"],
      ["import pandas as pd\ndf.corr()", "science"],
      ["1", "plain"],
    ] as const
  ) assert.equal(baseFor(fs, code, there), base, code);
  assert.equal(baseFor(fs, "import numpy, scipy", ["science"]), "science");
  assert.equal(baseFor(fs, "import scipy", ["science"]), "plain");
  assert.equal(baseFor(fs, "import sklearn", ["science"]), "plain");
  assert.equal(baseFor(fs, "import numpy", ["scipy"]), "plain");
});

Deno.test("a module of that interpreter is told where it is, and why a session could not go there", () => {
  assert.match(
    adviceOnScience("numpy", ["science"], null) ?? "",
    /run "import numpy" first, or use a new session/,
  );
  assert.match(
    adviceOnScience("numpy", ["science"], "rows (generator)") ?? "",
    /could not go, because of rows \(generator\)\. Delete/,
  );
  assert.match(adviceOnScience("scipy", ["science", "scipy"], null) ?? "", /run "import scipy" first/);
  assert.equal(adviceOnScience("scipy", ["science"], null), undefined);
  assert.equal(adviceOnScience("requests", ["science", "scipy"], null), undefined);
});

Deno.test("a session that opens a database or uses a library goes where it can go on with numpy, as long as it can", () => {
  const base = (code: string, begins: boolean) => baseForSession(fs, code, ["science", "scipy"], begins);
  for (
    const [code, begun, later] of [
      ["import sqlite3\ncon = sqlite3.connect('a.db')", "science", "science"],
      ["import json, sqlite3 as db", "science", "science"],
      ["from sqlalchemy import create_engine", "science", "science"],
      ["from flask import Flask", "science", "science"],
      ["import requests", "science", "plain"],
      ["import sqlite3, scipy", "scipy", "scipy"],
      ["import json", "plain", "plain"],
      ["import networkx as nx", "science", "science"],
      ["from sympy import plot", "science", "science"],
    ] as const
  ) assert.deepEqual([base(code, true), base(code, false)], [begun, later], code);
  assert.equal(baseForSession(fs, "import sqlite3", [], true), "plain");
});

Deno.test("texts that are made to be looked at for long are not", () => {
  const parts = [
    "run_module",
    "import_module(",
    ";import a,",
    ":from ",
    "'import a,",
    "nx.a_",
    "file  ",
    "corr(",
  ];
  for (const part of parts) assert.equal(wantsScience(fs, part.repeat(1_000_000 / part.length)), false, part);
});
