import assert from "node:assert/strict";
import { adviceOnScience, startsWithScience } from "../../../../src/runtime/python/science.ts";

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
  ) assert.equal(startsWithScience(code), true, code);
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
    assert.equal(startsWithScience(code), false, code);
  }
});

Deno.test("a module of that interpreter is told where it is", () => {
  assert.match(adviceOnScience("numpy") ?? "", /first program imports numpy/);
  assert.equal(adviceOnScience("requests"), undefined);
});
