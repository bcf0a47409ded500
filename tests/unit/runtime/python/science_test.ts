import assert from "node:assert/strict";
import { createFileSystem } from "../../../../src/fs/layout.ts";
import { adviceOnScience, startsWithScience } from "../../../../src/runtime/python/science.ts";

const fs = createFileSystem({ maxBytes: 1_000_000, maxInodes: 100 });

Deno.test("a program that imports numpy or what stands on it starts in their interpreter, and no other does", () => {
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
    ]
  ) assert.equal(startsWithScience(fs, code), true, code);
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
    assert.equal(startsWithScience(fs, code), false, code);
  }
});

Deno.test("so does a program whose own modules import it, or whose tests may", () => {
  const fs = createFileSystem({ maxBytes: 1_000_000, maxInodes: 100 });
  fs.mkdir("/app/package");
  fs.writeFile("/app/package/frames.py", new TextEncoder().encode("import pandas as pd"));
  const run = '__import__("runpy").run_module("package.frames")';
  for (const code of ["import package", "from package.frames import x", run, "import pytest"]) {
    assert.equal(startsWithScience(fs, code), true, code);
  }
  assert.equal(startsWithScience(fs, "import os"), false);
  fs.writeFile("/app/package/frames.py", new TextEncoder().encode("import csv"));
  assert.equal(startsWithScience(fs, "import package"), false);
});

Deno.test("a module of that interpreter is told where it is", () => {
  assert.match(adviceOnScience("numpy") ?? "", /first program imports numpy/);
  assert.equal(adviceOnScience("requests"), undefined);
});
