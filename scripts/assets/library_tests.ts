/** Test suites of libraries: from the sources on Python's index, or Debian's where those have no tests. */

import { join } from "node:path";
import { digestOf } from "./digest.ts";
import { chooseBuildRoot } from "./find_build_root.ts";
import { ensureAssets, withCache } from "./mod.ts";
import { SUITE } from "./recipe.ts";
import { indexUrl } from "./science.ts";
import { Workbench } from "./workbench.ts";

/** Of the versions that are bundled, by their SHA-256; click is not. */
const FILES = {
  "attrs-25.3.0.tar.gz": "75d7cefc7fb576747b2c81b4442d4d4a1ce0900973527c011d1030fd3bf4af1b",
  "click-8.5.1.tar.gz": "9bbfada76703fd1d784b83eea012e3e8c6a001a876543ef104fa56aaaeb072b4",
  "jinja2-3.1.6.tar.gz": "0137fb05990d35f1275a587e9aee6d56da821fc83491a0fb838183be43f66d6d",
  "pytest-8.3.5.tar.gz": "f4efe70cc14e511565ac476b57c279e12a855b11f48f212af1080ef2263d3845",
  "requests-2.32.3.tar.gz": "55365417734eb18255590a9ff9eb97e9e1da868d4ccd6402399eaf68af20a760",
  "sympy-1.13.3.tar.gz": "b27fd2c6530e0ab39e275fc9b683895367e51d5da91baa8d3d64db2565fec4d9",
};

/** What of each is kept: the tests and what pytest and they want beside them. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  attrs: ["tests", "pyproject.toml", "conftest.py"],
  click: ["tests", "examples", "pyproject.toml"],
  jinja2: ["tests", "pyproject.toml"],
  pytest: ["testing", "pyproject.toml"],
  requests: ["tests", "pyproject.toml", "setup.cfg"],
  rich: ["tests", "pyproject.toml"],
  // Beside the library's own tree they would test that one.
  sympy: ["sympy/core/tests"],
};

const UNPACK = `set -euo pipefail
cd "$WORK/out"
for archive in *.tar.gz *.orig.tar.*; do
  name=\${archive%%[-_][0-9]*}
  mkdir -p "$WORK/all/$name"
  tar xf "$archive" -C "$WORK/all/$name" --strip-components=1
done
rm -f ./*
keep() {
  library=$1
  mkdir "$library"
  shift
  for path; do [ ! -e "$WORK/all/$library/$path" ] || cp -R "$WORK/all/$library/$path" "$library"; done
}
${Object.entries(KEPT).map(([name, paths]) => `keep ${name} ${paths.join(" ")}`).join("\n")}
`;

/** A directory with one for each library; made once. @throws {AssetsError} */
export async function libraryTests(): Promise<string> {
  const { pip } = await ensureAssets();
  return await withCache(async (store) => {
    const root = await (await chooseBuildRoot()).obtain(store);
    const digest = digestOf({ suite: SUITE, ...FILES, unpack: UNPACK });
    return await store.obtain(
      "library-tests",
      digest,
      (target) =>
        Workbench.use(root, async (bench) => {
          const recipe = `${bench.inside}/recipe/science`;
          await bench.perform("downloading rich from Debian", ["bash", `${recipe}/fetch_debian.sh`], {
            SUITE,
            SOURCE_PACKAGES: "rich",
            TOOLS: "tzdata", // it wants some
          });
          const index = Object.entries(FILES).map(([file, sha256]) => ({ file, sha256 }));
          await Deno.writeTextFile(join(bench.outside, "sources.json"), JSON.stringify({ index }));
          await bench.perform("downloading libraries from Python's index", [
            "python3.13",
            `${recipe}/fetch_index.py`,
            `${bench.inside}/sources.json`,
            `${bench.inside}/work/out`,
          ], { INDEX_URL: await indexUrl(pip.indexUrl) });
          await bench.perform("unpacking the tests of libraries", ["bash", "-c", UNPACK]);
          await bench.take(target);
        }),
    );
  });
}
