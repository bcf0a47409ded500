/** Where modules are found, beside Node: `resolution/trees.ts` has the questions, `resolution/expected.json` its answers. */

import assert from "node:assert/strict";
import { createFileSystem } from "../../../../src/fs/layout.ts";
import { GuestError } from "../../../../src/runtime/javascript/guest_error.ts";
import {
  type Conditions,
  type Kind,
  PackageResolver,
} from "../../../../src/runtime/javascript/package_resolver.ts";
import {
  type Answers,
  answersOf,
  askNode,
  NODES,
  nodeVersion,
  OURS,
  type Question,
  questionsOf,
  textOf,
} from "./resolution/node.ts";
import { type Tree, TREES } from "./resolution/trees.ts";
import expected from "./resolution/expected.json" with { type: "json" };

const ROOT = "/app/tree";
/** The version that `expected.json` is from. */
const NODE = "v20.";
const NODES_OWN = new Set(["fs"]);

function ask(tree: Tree): NonNullable<Answers[string]> {
  const fs = createFileSystem({ maxBytes: 16 << 20, maxInodes: 10_000 });
  for (const [name, contents] of Object.entries(tree.files)) {
    const path = `${ROOT}/${name}`;
    fs.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    fs.writeFile(path, new TextEncoder().encode(textOf(contents)));
  }
  const table = tree.ours ? OURS : NODES;
  const conditions: Conditions = { import: new Set(table.import), require: new Set(table.require) };
  const resolver = new PackageResolver(fs, (name) => NODES_OWN.has(name), conditions);
  const answer = ({ from, specifier, kind }: Question): string => {
    try {
      const path = resolver.resolve(specifier, from === "." ? ROOT : `${ROOT}/${from}`, kind);
      return path?.replace(`${ROOT}/`, "") ?? "ERR_MODULE_NOT_FOUND";
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      // As `ask_node.mjs` has it: one code for what is not there, whichever way it was asked for.
      return error.fields["code"]!.replace(/^MODULE_/, "ERR_MODULE_");
    }
  };
  const questions = questionsOf(tree);
  return answersOf(questions, questions.map(answer));
}

/** Where we answer otherwise, and mean to. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, Partial<Record<Kind, string>>>>>> = {
  // Files may be left without extension, and directories be named, by ES modules too.
  "npm: lodash 4.18.1": {
    ".: lodash/map": { import: "node_modules/lodash/map.js" },
    ".: lodash/fp": { import: "node_modules/lodash/fp.js" },
    ".: lodash/fp/map": { import: "node_modules/lodash/fp/map.js" },
  },
  "npm: graphql 16.15.0": {
    ".: graphql/language": { import: "node_modules/graphql/language/index.js" },
    ".: graphql/language/parser": { import: "node_modules/graphql/language/parser.js" },
  },
  "npm: ajv 8.20.0": { ".: ajv/dist/2020": { import: "node_modules/ajv/dist/2020.js" } },
  "npm: debug 4.4.3": { ".: debug/src/node": { import: "node_modules/debug/src/node.js" } },
  // The same error by both ways.
  "imports": {
    ".: #a": { require: "ERR_PACKAGE_IMPORT_NOT_DEFINED" },
    "node_modules/p/lib: #fs": { require: "fs" },
  },
  "the nearest package.json is the package": {
    "sub/deep: #x": { require: "ERR_PACKAGE_IMPORT_NOT_DEFINED" },
    "node_modules/p: #x": { require: "ERR_PACKAGE_IMPORT_NOT_DEFINED" },
  },
  "package.json files that are none": { ".: bad": { require: "ERR_INVALID_PACKAGE_CONFIG" } },
  // What can't be the name of a package is that of none.
  "nearest first": {
    ".: @s": { import: "ERR_MODULE_NOT_FOUND" },
    ".: .hidden": { import: "ERR_MODULE_NOT_FOUND", require: "ERR_MODULE_NOT_FOUND" },
  },
};

for (const tree of TREES) {
  Deno.test(`modules are found where Node finds them: ${tree.name}`, () => {
    const node = (expected as Answers)[tree.name]!;
    const wanted = Object.entries(node).map(([question, answers]) =>
      [question, { ...answers, ...OTHERWISE[tree.name]?.[question] }] as const
    );
    assert.deepEqual(ask(tree), Object.fromEntries(wanted));
  });
}

Deno.test("what Node is said to answer is what it answers", {
  ignore: !(await nodeVersion())?.startsWith(NODE),
}, async () => {
  assert.deepEqual(await askNode(TREES), expected);
});

/** A package `p` with these exports. */
function exporting(exports: object): Tree {
  const files = { "node_modules/p/package.json": { exports }, "node_modules/p/a.js": "" };
  return { name: "made", files, ask: {} };
}

Deno.test("a directory in exports stands for what is in it, as it did before there were patterns", () => {
  const tree = exporting({ "./": "./", "./lib/": "./" });
  const ask = ["p/a.js", "p/lib/a.js", "p/b.js", "p/lib/", "p"];
  assert.deepEqual(answers({ ...tree, ask: { ".": ask } }), [
    "node_modules/p/a.js",
    "node_modules/p/a.js",
    "ERR_MODULE_NOT_FOUND",
    "ERR_MODULE_NOT_FOUND",
    "ERR_PACKAGE_PATH_NOT_EXPORTED",
  ]);
});

Deno.test("no table of a package takes more time or memory than its bytes", () => {
  const long = "a".repeat(4000);
  let nested: unknown = "./a.js";
  for (let i = 0; i < 1000; i++) nested = i % 2 === 0 ? { default: nested } : [nested];
  const stars = "*".repeat(500_000);
  const hostile: Readonly<Record<string, readonly [exports: object, specifier: string, code: string]>> = {
    "stars in a target": [{ "./*": `./${stars}` }, `p/${long}`, "ERR_INVALID_PACKAGE_TARGET"],
    "few stars, long name": [{ "./*": "./***" }, `p/${long}`, "ERR_INVALID_PACKAGE_TARGET"],
    "stars in a key": [{ [`./${stars}`]: "./a.js" }, `p/${long}`, "ERR_PACKAGE_PATH_NOT_EXPORTED"],
    "a key that would be a slow expression": [
      { "./(a+)+$*x": "./a.js", "./(a|a)*b": "./a.js" },
      `p/${long}`,
      "ERR_PACKAGE_PATH_NOT_EXPORTED",
    ],
    "many keys": [
      Object.fromEntries(
        Array.from({ length: 40_000 }, (_, i) => [`./${"a".repeat(i % 10)}*${i}`, "./a.js"]),
      ),
      `p/${long}`,
      "ERR_PACKAGE_PATH_NOT_EXPORTED",
    ],
    "many targets that are none": [
      { "./*": new Array(200_000).fill("x") },
      `p/${long}`,
      "ERR_INVALID_PACKAGE_TARGET",
    ],
    "conditions within conditions": [{ ".": nested as object }, "p", "ERR_INVALID_PACKAGE_CONFIG"],
    "a large file": [{ ".": "./a.js", "./b": "x".repeat(1 << 20) }, "p", "ERR_INVALID_PACKAGE_CONFIG"],
  };
  for (const [name, [exports, specifier, code]] of Object.entries(hostile)) {
    const begun = performance.now();
    assert.deepEqual(answers({ ...exporting(exports), ask: { ".": [specifier] } }), [code], name);
    assert.ok(performance.now() - begun < 5000, name);
  }
});

/** What an import gets, for each specifier in turn. */
function answers(tree: Tree): string[] {
  return Object.values(ask(tree)).map((answer) => answer.import);
}
