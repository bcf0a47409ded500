/** What programs see of the machine where that is not what the interpreter was compiled for. */

import { equal, match } from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";

/** Expressions, and what they are on Linux. */
const VALUES: readonly (readonly [expression: string, value: string])[] = [
  ["__import__('sys').maxsize", "9223372036854775807"],
  ["min(__import__('sys').maxsize, 3 * 10**9)", "3000000000"],
  [
    "len(range(10**10)), len(range(0, -10**12, -3)), [len(range(10**10)) for _ in range(50)][-1]",
    "(10000000000, 333333333334, 10000000000)",
  ],
  ["range(10**10).__len__(), range.__len__(range(7)), [].__len__()", "(10000000000, 7, 0)"],
  ["__import__('random').Random(1).sample(range(10**10), 3)", "[9167024629, 3280387012, 1095513148]"],
  ["__import__('random').Random(1).randint(0, __import__('sys').maxsize)", "1164115433906158532"],
  ["list(__import__('itertools').islice('abc', __import__('sys').maxsize))", "['a', 'b', 'c']"],
  [
    "'a,b'.split(',', __import__('sys').maxsize), 'aa'.replace('a', 'b', __import__('sys').maxsize)",
    "(['a', 'b'], 'bb')",
  ],
  ["[1, 2][:__import__('sys').maxsize], [1, 2].index(2, 0, __import__('sys').maxsize)", "([1, 2], 1)"],
  ["__import__('re').compile('b').search('ab', 0, __import__('sys').maxsize).span()", "(1, 2)"],
  ["__import__('io').BytesIO(b'ab').read(__import__('sys').maxsize)", "b'ab'"],
  ["list(__import__('collections').deque('abc', maxlen=__import__('sys').maxsize))", "['a', 'b', 'c']"],
  ["(d := __import__('collections').deque('abc'), d.rotate(10**9), ''.join(d))[-1]", "'cab'"],
  ["next(__import__('itertools').count(__import__('sys').maxsize))", "9223372036854775807"],
  ["list(enumerate('a', __import__('sys').maxsize))", "[(9223372036854775807, 'a')]"],
  ["__import__('operator').length_hint(object(), 5)", "5"],
  [
    "__import__('csv').field_size_limit(__import__('sys').maxsize), __import__('csv').field_size_limit(131072) > 0",
    "(131072, True)",
  ],
  ["hash(frozenset({1, 2})) == __import__('collections.abc').abc.Set._hash({1, 2})", "True"],
  [
    "[__import__('os.path').path.exists(''), __import__('os.path').path.isdir(''), __import__('glob').glob('')]",
    "[False, False, []]",
  ],
  // What glibc does not know either stays as it is; musl makes nothing of all of it.
  [
    "[__import__('datetime').datetime(2024, 3, 7, 9, 5, 3).strftime(f) for f in ('%l:%M %p', '%k|%P|%-d|%e', '100% done', '%N %f', '%^a %#B %#p', '%', '%+ %L %E')]",
    "[' 9:05 AM', ' 9|am|7| 7', '100% done', '%N 000000', 'THU MARCH am', '%', '%+ %L %E']",
  ],
  [
    "__import__('time').strftime('%H:%M:%S.%f ü %Q', (2024, 3, 7, 21, 5, 3, 0, 0, 0)), f\"{__import__('datetime').date(2024, 12, 1):%d. %B '%y}\"",
    "('21:05:03.%f ü %Q', \"01. December '24\")",
  ],
  [
    "(o := __import__('os'), o.makedirs('one/two'), o.chdir('one/two'), o.chdir('../..'), o.removedirs('one/two'), o.listdir() == o.listdir('/app'), o.getcwd())[-2:]",
    "(True, '/app')",
  ],
  [
    "(o := __import__('os'), o.makedirs('real'), o.symlink('real', 'link'), o.chdir('link'), o.getcwd(), o.chdir('/app'))[-2]",
    "'/app/real'",
  ],
];

Deno.test("sizes, ranges and paths are as they are on Linux", async () => {
  const session = new Session();
  for (const [expression, value] of VALUES) equal(await session.value(expression), value, expression);
});

Deno.test("what is at the empty path is not the working directory", async () => {
  const session = new Session();
  for (
    const call of [
      "open('')",
      "os.stat('')",
      "os.listdir('')",
      "os.mkdir('')",
      "os.chdir('')",
      "os.remove('')",
      "os.rename('', 'x')",
      "os.makedirs('')",
      "open('', 'w')",
      "os.scandir('')",
    ]
  ) {
    const error = errorOf(await session.run(`import os\n${call}`));
    match(
      `${error?.type}: ${error?.message}`,
      /^FileNotFoundError: \[Errno 2\] No such file or directory: ''/,
      call,
    );
  }
});

Deno.test("sizes that can't be had are errors, and never others", async () => {
  const session = new Session();
  const raises = async (code: string) => errorOf(await session.run(code))?.type;
  equal(await raises("import sys; 'x' * sys.maxsize"), "MemoryError");
  equal(await raises("import sys; [1][sys.maxsize]"), "IndexError");
  equal(await raises("len(range(10**20))"), "OverflowError");
  equal(await raises("import collections; collections.deque('abc').rotate(10**10)"), "OverflowError");
});
