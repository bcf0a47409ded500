/** CPython's test suite, of the same source package that its library is built from. */

import { digestOf } from "./digest.ts";
import { chooseBuildRoot } from "./find_build_root.ts";
import { withCache } from "./mod.ts";
import { Workbench } from "./workbench.ts";

/** With Debian's fixes of security, as the library has them (wasm/python/build/libpython.sh): they change tests too. */
const UNPACK = `
  set -euo pipefail
  cd "$WORK"
  tar xf "$SOURCES"/python3.13_*.debian.tar.?z
  mkdir source
  tar xf "$SOURCES"/python3.13_*.orig.tar.?z -C source --strip-components=1
  grep -E '^(CVE-|dict-use-after-free|traverse-managed-dicts)' debian/patches/series |
    while read -r name _; do patch -d source -p1 --quiet --forward <"debian/patches/$name"; done
  mv source/Lib/test out/`;

/** A directory with the package `test` in it; it is unpacked into the cache once. @throws {AssetsError} */
export async function cpythonTestSuite(): Promise<string> {
  return await withCache(async (store) => {
    const root = await (await chooseBuildRoot()).obtain(store);
    const digest = digestOf({ source: root.versions["python3.13:source"] ?? "", unpack: UNPACK });
    const directory = await store.obtain(
      "cpython-tests",
      digest,
      (target) =>
        Workbench.use(root, async (bench) => {
          await bench.perform("unpacking CPython's tests", ["bash", "-c", UNPACK], { SOURCES: root.sources });
          await bench.take(target);
        }),
    );
    return directory;
  });
}
