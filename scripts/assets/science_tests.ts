/** Test suites of numpy and its kind: from the sources that they are built from. */

import { digestOf } from "./digest.ts";
import { chooseBuildRoot } from "./find_build_root.ts";
import { ensureAssets, withCache } from "./mod.ts";
import { downloadSources } from "./science.ts";
import { Workbench } from "./workbench.ts";

const PROJECTS = ["numpy", "pandas", "pillow", "matplotlib", "scipy", "scikit_learn"];

/**
 * Tests and what they and pytest want beside them. The packages that they are in are there as empty ones, so that pytest
 * knows the tests by their full names; the libraries are those that are installed.
 */
const UNPACK = `set -euo pipefail
cd "$WORK/out"
for project; do
  mkdir -p "$project" "$WORK/all/$project"
  tar xf "$WORK"/../*/"$project"-[0-9]*.tar.gz -C "$WORK/all/$project" --strip-components=1
  (
    cd "$WORK/all/$project"
    ls -d pytest.ini pyproject.toml setup.cfg 2>/dev/null || true
    find . -type f \\( -path '*/tests/*' -o -path './Tests/*' -o -name conftest.py \\)
  ) | tar cf - -C "$WORK/all/$project" -T - | tar xf - -C "$project"
  cd "$project"
  rm -rf vendored-meson subprojects doc tools numpy/distutils numpy/f2py
  find . -name __pycache__ -prune -exec rm -r {} +
  find . -mindepth 2 -type d -name tests | while read -r tests; do
    until [ "$tests" = . ] || [ "$tests" = ./lib ]; do
      touch "$tests/__init__.py"
      tests=$(dirname "$tests")
    done
  done
  cd ..
done
`;

/** A directory with one for each project; made once. @throws {AssetsError} */
export async function scienceTests(): Promise<string> {
  const { pip } = await ensureAssets();
  return await withCache(async (store) => {
    const root = await (await chooseBuildRoot()).obtain(store);
    const sources = {
      SOURCES: await downloadSources(store, root, "sources", pip.indexUrl),
      SCIPY: await downloadSources(store, root, "scipy", pip.indexUrl),
      SKLEARN: await downloadSources(store, root, "sklearn", pip.indexUrl),
    };
    const digests = Object.entries(sources).map(([name, { digest }]) => [name, digest]);
    const digest = digestOf({ ...Object.fromEntries(digests), unpack: UNPACK });
    return await store.obtain("science-tests", digest, (target) =>
      Workbench.use(root, async (bench) => {
        for (const [name, { directory }] of Object.entries(sources)) await bench.place(directory, name);
        await bench.perform("unpacking the tests of science", ["bash", "-c", UNPACK, "bash", ...PROJECTS]);
        await bench.take(target);
      }));
  });
}
