const fs = require("fs");
fs.mkdirSync("lib", { recursive: true });
fs.writeFileSync(
  "lib/math.js",
  "exports.add = (a, b) => a + b;\nexports.name = require('path').basename(__filename);\n",
);
fs.writeFileSync(
  "lib/index.js",
  "const math = require('./math');\nmodule.exports = class Calc { sum(...n) { return n.reduce(math.add, 0); } static from() { return math.name; } };\n",
);
fs.writeFileSync("lib/config.json", '{"port": 8080, "hosts": ["a", "b"]}');
fs.writeFileSync(
  "lib/esm.mjs",
  "import fs from 'node:fs';\nimport { readFileSync } from 'fs';\nexport const same = fs.readFileSync === readFileSync;\nexport default function hello(n) { return `hello ${n}`; }\n",
);
const { resolve } = require("path");
const Calc = require(resolve("lib"));
console.log(new Calc().sum(1, 2, 3), Calc.from());
console.log(require(resolve("lib/config.json")).hosts);
import("file://" + resolve("lib/esm.mjs")).then(({ default: hello, same }) => {
  console.log(hello("module"), same);
  const { createRequire } = require("module");
  console.log(createRequire(resolve("lib/x.js"))("./math").add(2, 3));
  try {
    require("./nothing-here");
  } catch (error) {
    console.log(error.code, error.message.split("\n")[0].startsWith("Cannot find module"));
  }
});
