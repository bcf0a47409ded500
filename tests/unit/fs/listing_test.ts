import assert from "node:assert/strict";
import { FileSystem } from "../../../src/fs/file_system.ts";
import { Glob, GlobError } from "../../../src/fs/glob.ts";
import { list } from "../../../src/fs/listing.ts";
import { text } from "./harness.ts";

/** Whether a pattern matches a path as a whole. */
function matches(pattern: string, path: string): boolean {
  const glob = new Glob(pattern);
  let state = glob.start();
  let matched = false;
  for (const name of path.split("/")) {
    const step = glob.step(state, name);
    state = step.below;
    matched = step.matches;
  }
  return matched;
}

Deno.test("patterns match names, paths, classes, alternatives and what is escaped", () => {
  const cases: [string, string[], string[]][] = [
    ["*.csv", ["a.csv", ".csv", "b/c/a.csv"], ["a.csv.gz", "a.cs"]],
    ["a?c", ["abc", "a😀c"], ["ac", "abbc"]],
    ["data/*.csv", ["data/a.csv"], ["a.csv", "data/b/a.csv", "x/data/a.csv"]],
    ["data/**", ["data/a", "data/a/b"], ["a", "x/data/a"]],
    ["**/b/**/*.txt", ["b/x.txt", "a/b/c/d/x.txt"], ["a/x.txt", "b/x.csv"]],
    ["[a-c]*[!0-9]", ["ax", "b1x"], ["dx", "a1"]],
    ["x[]-]y", ["x]y", "x-y"], ["xay"]],
    ["{a,b{1,2}}.{js,ts}", ["a.js", "b2.ts"], ["b.js", "a.py"]],
    ["\\*\\{a,b\\}", ["*{a,b}"], ["xa", "*a"]],
    ["*a*b*c*", ["xxaxxbxxcxx", "abc"], ["acb"]],
    ["./a//b", ["a/b"], ["a"]],
  ];
  for (const [pattern, yes, no] of cases) {
    for (const path of yes) assert.ok(matches(pattern, path), `${pattern} should match ${path}`);
    for (const path of no) assert.ok(!matches(pattern, path), `${pattern} should not match ${path}`);
  }
});

Deno.test("no pattern takes long to match, over all names of a full workspace", () => {
  const many = Array.from({ length: 400 }, (_, i) => String.fromCharCode(0x1000 + i)).join("");
  for (
    const pattern of [
      "**/".repeat(170) + "x",
      "{a,b}".repeat(6) + "/**/*".repeat(90),
      "{,,,,,,,}{,,,,,,,}" + "**/a/".repeat(90),
      `*[${many}]b`,
      "*a".repeat(250),
    ]
  ) {
    const glob = new Glob(pattern);
    const begun = performance.now();
    try {
      let state = glob.start();
      for (let i = 0; i < 20_000; i++) state = glob.step(glob.start(), "a".repeat(255)).below;
      for (let i = 0; i < 128; i++) state = glob.step(state, "a").below;
    } catch (error) {
      assert.ok(error instanceof GlobError, pattern);
      assert.match(error.message, /takes too long/);
    }
    assert.ok(performance.now() - begun < 30_000, `${pattern}: ${performance.now() - begun} ms`);
  }
});

Deno.test("patterns that are none, or stand for too much, are refused", () => {
  for (const pattern of ["", "[a", "x".repeat(513), "{a,b}".repeat(7)]) {
    assert.throws(() => new Glob(pattern), GlobError, pattern);
  }
});

Deno.test("matching is given up when it takes too long", () => {
  const glob = new Glob("*a".repeat(250) + "b");
  const state = glob.start();
  assert.throws(() => {
    for (let i = 0; i < 100_000; i++) glob.step(state, "a".repeat(255));
  }, GlobError);
});

Deno.test("a listing is the same in pieces of any size, and does not look at everything at once", () => {
  const fs = new FileSystem({ maxBytes: 1e9, maxInodes: 100_000 });
  fs.mkdir("/top");
  for (let i = 0; i < 30; i++) {
    fs.mkdir(`/top/d${i}/e`, { recursive: true });
    for (const name of ["x", "e.txt", "é"]) fs.writeFile(`/top/d${i}/${name}`, new Uint8Array(i));
  }
  const whole = list(fs, "/top", { recursive: true, limit: 1000, maxBytes: 1e6 });
  assert.equal(whole.next, null);
  assert.equal(whole.entries.length, 30 * 5);
  for (const limit of [1, 2, 7, 150]) {
    const pieces = [];
    for (let after: string | undefined, more = true; more;) {
      const piece = list(fs, "/top", { recursive: true, limit, after, maxBytes: 1e6 });
      pieces.push(...piece.entries);
      more = piece.next !== null;
      after = piece.next ?? undefined;
    }
    assert.deepEqual(pieces, whole.entries);
  }
  for (const maxBytes of [1, 20, 500]) {
    const pieces = [];
    for (let after: string | undefined, more = true; more;) {
      const piece = list(fs, "/top", { recursive: true, limit: 1000, after, maxBytes });
      assert.ok(piece.entries.length > 0);
      const bytes = piece.entries.reduce((sum, { path }) => sum + text(JSON.stringify(path)).length, 0);
      assert.ok(bytes <= maxBytes || piece.entries.length === 1, `${bytes} of ${maxBytes}`);
      pieces.push(...piece.entries);
      more = piece.next !== null;
      after = piece.next ?? undefined;
    }
    assert.deepEqual(pieces, whole.entries);
  }
  for (let i = 0; i < 60_000; i++) fs.writeFile(`/top/d0/e/${i}`, new Uint8Array(0));
  const sparse = list(fs, "/top", { recursive: true, limit: 10, pattern: "nothing", maxBytes: 1e6 });
  assert.deepEqual(sparse.entries, []);
  assert.notEqual(sparse.next, null);
});
