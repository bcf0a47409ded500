import { equal } from "node:assert/strict";
import { parseSourceName } from "../../../src/packages/index/names.ts";
import { newest } from "../../../src/packages/index/newest.ts";

Deno.test("the newest of releases is a stable one, by the order of versions", () => {
  equal(newest(["1.9", "1.10", "2.0rc1", "2.0.dev3", "nonsense"]), "1.10");
  equal(newest(["1.0", "1.0.post1"]), "1.0.post1");
  equal(newest(["2.0rc1"]), null);
});

Deno.test("a source distribution tells its version, if it is the project's", () => {
  equal(parseSourceName("Foo_Bar-1.2.tar.gz", "foo-bar"), "1.2");
  equal(parseSourceName("foo-bar-1.2.zip", "foo-bar"), "1.2");
  equal(parseSourceName("foo-bar-1.2.tar.gz", "foo"), undefined);
  equal(parseSourceName("foo-1.2.exe", "foo"), undefined);
});
