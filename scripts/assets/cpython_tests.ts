/** CPython's test suite, of the same source package that its library is built from. */

import { digestOf } from "./digest.ts";
import { chooseBuildRoot } from "./find_build_root.ts";
import { withCache } from "./mod.ts";
import { Workbench } from "./workbench.ts";

const UNPACK =
  'tar xf "$SOURCES"/python3.13_*.orig.tar.?z -C "$WORK/out" --strip-components=2 --wildcards "*/Lib/test"';

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
