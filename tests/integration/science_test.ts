/** numpy, pandas, matplotlib and Pillow, in builds that have them. */

import assert from "node:assert/strict";
import { childrenOf, type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";
import { hasScience } from "../support/science.ts";
import { patientServer, sharedServer } from "../support/shared.ts";
import { tasksOf } from "../support/tasks.ts";

function test(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name: `[${UNDER_TEST}] ${name}`, ignore: !hasScience(), fn });
}

let sessions = 0;

/** Runs programs one after another in a session of its own. @returns The last one's reply. */
async function inSession(...programs: string[]): Promise<Reply & { displays: { mime_type: string }[] }> {
  const server = await sharedServer();
  const session_id = `science_${++sessions}`;
  let reply: Reply | undefined;
  for (const program of programs) reply = await server.python(program, { session_id, timeout: 60 });
  await server.call("destroy_session", { session_id });
  return reply as Reply & { displays: { mime_type: string }[] };
}

function completed(reply: Reply): Reply {
  assert.equal(reply.status, "completed", JSON.stringify(reply.error));
  return reply;
}

test("everyday programs with data and pictures run at the first attempt, and print what they print elsewhere", async (t) => {
  const tasks = await tasksOf("science");
  assert.equal(tasks.length, 31);
  for (const { name, code, expected } of tasks) {
    await t.step(name, async () => {
      assert.equal(completed(await inSession(code)).stdout.trimEnd(), expected);
    });
  }
});

test("a figure that is shown, or left open, is a picture, and the next program has one of its own", async () => {
  const plot = "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])";
  const shown = await inSession(`${plot}\nplt.show()\nprint(plt.get_fignums())`);
  assert.deepEqual([shown.displays.map((display) => display.mime_type), shown.stdout], [
    ["image/png"],
    "[]\n",
  ]);
  const left = await inSession(`${plot}\nfig = plt.gcf()`, "len(fig.axes), plt.get_fignums()");
  assert.deepEqual([left.result, left.displays], ["(1, [])", []]);
  const twice = await inSession(`${plot}\nplt.figure()\nplt.plot([3])\nNone`);
  assert.equal(twice.displays.length, 2);
  const failed = await inSession(`${plot}\n1 / 0`, "plt.get_fignums()");
  assert.deepEqual([failed.result, failed.displays], ["[]", []]);
  const value = await inSession(`${plot}\nplt.gcf()`);
  assert.deepEqual(value.displays.map((display) => display.mime_type), ["image/png"]);
});

test("what a session has read of a database, and the connection, are there when it goes on with pandas", async () => {
  const reply = await inSession(
    "import sqlite3\ncon = sqlite3.connect(':memory:')\ncur = con.cursor()\ncur.execute('create table t (a, b)')\n" +
      "cur.executemany('insert into t values (?, ?)', [(1, 2), (3, 4)])\nrows = cur.execute('select * from t')",
    "import pandas as pd\nframe = pd.read_sql('select * from t', con)\nint(frame.b.sum()), next(rows)",
  );
  assert.equal(completed(reply).result, "(6, (1, 2))");
});

test("everything of numpy comes by a star, and its assertions for tests are there", async () => {
  const { result } = completed(
    await inSession(`
from numpy import *
import numpy.testing
numpy.testing.assert_allclose([1.0], [1.0 + 1e-9])
try:
    numpy.testing.assert_array_equal(arange(3), [0, 1, 3])
except AssertionError as error:
    print(error)
linspace(0, 1, 3).tolist(), abs(array([-1, 2])).tolist()`),
  );
  assert.equal(result, "([0.0, 0.5, 1.0], [1, 2])");
});

test("integers are as wide as on other machines: nothing overflows here that would not there", async () => {
  const { result } = completed(
    await inSession(`
import numpy as np, pandas as pd
np.random.seed(42)
drawn = np.random.randint(0, 100, 5)
indices = np.array([0, 1, 1])
([str(a.dtype) for a in (np.arange(3), np.array([1]), np.zeros(2, int), np.array([1.5]).astype(int), drawn, np.int_(1), np.uint(1),
  np.array([True]).sum(), np.cumsum(np.ones(2, "i4")), pd.Series([1.5]).astype(int), np.linspace(0, 5, 3, dtype=int), np.dtype("int").type(1))],
 np.array([2_000_000_000] * 2, "i4").sum().item(), (np.arange(100_000) ** 2).max().item(), np.sum([2**30] * 4).item(), drawn.tolist(),
 np.repeat([5, 6, 7], indices).tolist(), np.bincount(indices).tolist(), np.add.reduceat(np.arange(3), np.array([0, 2])).tolist(),
 np.choose(indices, [[1, 2, 3], [4, 5, 6]]).tolist(), np.take([7, 8], indices).tolist(), pd.DataFrame({"a": [50_000]}).a.pow(2)[0].item())`),
  );
  assert.equal(
    result,
    "(['int64', 'int64', 'int64', 'int64', 'int64', 'int64', 'uint64', 'int64', 'int64', 'int64', 'int64', 'int64'], 4000000000, " +
      "9999800001, 4294967296, [51, 92, 14, 71, 60], [6, 7], [1, 2], [1, 2], [1, 5, 6], [7, 8, 8], 2500000000)",
  );
});

test("what a program asks of numpy and pandas for indices has 64 bits, as on other machines, and so has what it computes of them", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, pandas as pd
x = np.array([3.0, 1.0, 2.0])
s = pd.Series(x, index=list("abc"))
names = pd.Series(["x", "y", "x"])
unique = np.unique([5, 5, 6], return_index=True, return_inverse=True, return_counts=True)
found = [np.argsort(x), x.argsort(), np.argpartition(x, 1), x.argpartition(1), np.nonzero(x)[0], x.nonzero()[0], np.flatnonzero(x), np.where(x > 1)[0],
  np.argwhere(x), np.argmax(x), x.argmax(), np.nanargmin(x), x.reshape(1, 3).argmin(axis=1), np.searchsorted(x, 2.0), x.searchsorted([2.0]), np.digitize(x, [2]),
  np.bincount([1, 1]), np.histogram(x)[0], np.lexsort((x, x)), *unique[1:], np.unique_inverse([3, 3]).inverse_indices, np.count_nonzero(x > 1, axis=0),
  np.unravel_index([3], (2, 2))[0], np.ravel_multi_index(([1], [1]), (2, 2)), np.intersect1d(x, x, return_indices=True)[1], np.ma.array(x).argsort(),
  np.apply_along_axis(np.argmax, 0, x), np.argsort(s), s.argsort(), s.searchsorted(2.0), s.argmax(), pd.factorize(names)[0], names.factorize()[0],
  pd.Index(names).factorize()[0], s.index.get_indexer(["b"]), s.index.get_indexer_non_unique(["b"])[0], pd.Index(x).sort_values(return_indexer=True)[1],
  pd.Index(x).argsort(), pd.RangeIndex(3).argsort(), pd.cut(x, 2, labels=False), pd.cut(s, 2, labels=False, retbins=True)[0], pd.qcut(x, 2, labels=False)]
print({str(each.dtype) for each in found}, repr(x.argmax()))
names = np.random.default_rng(0).integers(0, 3, 300_000)
counts, places = np.bincount(names), np.flatnonzero(np.ones(70_000))
codes, _ = pd.factorize(np.arange(70_000))
print(counts @ counts, np.dot(places, places), np.einsum("i,i", places, places), (pd.DataFrame({"c": codes}).c ** 2).sum(), (places << 20).max())
ranks = [np.argsort(np.argsort(np.random.default_rng(seed).random(100_000))) for seed in range(2)]
print(round(1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum() / (100_000 * (100_000**2 - 1)), 6))`),
  );
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "{'int64'} np.int64(0)",
    "30000294936 114330883345000 114330883345000 114330883345000 73399271424",
    "0.001976",
  ]);
});

test("what is no index keeps its type, arrays that are given to be filled are filled, and libraries get what they compute with", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, pandas as pd, inspect, types
a = np.array([3, 1, 3], "i4")
out = np.zeros((), np.intp)
kept = [a, a + 1, np.where(a > 1, a, a), np.unique(a), np.unique(a, return_counts=True)[0], a.take([0]), np.sort(a), a @ a, np.histogram(a, bins=a[1:])[1]]
print({str(each.dtype) for each in kept}, np.argmax(a, out=out) is out, a.argmax(0, out) is out, out)
library = types.ModuleType("pandas.core.something")
exec("import numpy as np\\ndef places(a): return a.argsort(), np.argsort(a), np.where(a)[0], np.argmax(a)", vars(library))
print({each.dtype == np.intp for each in library.places(a)})
print(a[a.argsort()], np.searchsorted(a, 3, sorter=np.argsort(a)), a.searchsorted(3, sorter=a.argsort()), np.take_along_axis(a, a.argsort(), 0), pd.Series(a).iloc[np.argsort(a)].tolist())
print(inspect.signature(np.argsort), np.argsort.__name__, np.ndarray.argsort.__doc__[:11], inspect.signature(pd.factorize) == inspect.signature(pd.core.algorithms.factorize))
class Own:
    def __array_function__(self, function, types, args, kwargs): return function is np.argsort
print(np.argsort(Own()))
for work in (lambda: a.argsort(1, 2, 3, 4), lambda: a.nonzero(1), lambda: a.argmax(nothing=1), lambda: a.searchsorted(3, sorter=np.array([2**40, 0, 1])), lambda: np.ndarray.argsort([1]), lambda: np.bincount([-1])):
    try: print(work())
    except (TypeError, ValueError) as error: print(type(error).__name__, error)`),
  );
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "{'int32'} True True 0",
    "{True}",
    "[1 3 3] 1 1 [1 3 3] [1, 3, 3]",
    "(a, axis=-1, kind=None, order=None, *, stable=None) argsort a.argsort(a True",
    "True",
    "TypeError argsort() takes from 0 to 3 positional arguments but 4 were given",
    "TypeError function takes exactly 0 arguments (1 given)",
    "TypeError argmax() got an unexpected keyword argument 'nothing'",
    "ValueError Sorter index out of range.",
    "TypeError descriptor 'argsort' for 'numpy.ndarray' objects doesn't apply to a 'list' object",
    "ValueError 'list' argument must have no negative elements",
  ]);
});

test("an index that 32 bits have no room for is out of bounds, and no other one", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np
a = np.arange(5)
def assign(index): a[index] = 1
for work in (lambda i: a[i], lambda i: a[i.tolist()], lambda i: a.reshape(1, 5)[0, i], lambda i: a.take(i), lambda i: np.take(a, i), assign):
    for index in (2**32, -(2**32) + 1, 2**63 - 1):
        try: print(work(np.array([0, index])))
        except IndexError as error: print("IndexError", end=" ")
print(a[np.array([[4, -5]])], a[[]], a[np.array([2], "u8")], a[np.array([1, 2, 3])[::2]])`),
  );
  assert.equal(stdout, "IndexError ".repeat(18) + "[[4 0]] [] [2] [1 3]\n");
});

test("so it is whatever it is given as, and for arrays of other classes", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, pandas as pd
from collections import namedtuple
a, far = np.arange(5), 2**32
Own = type("Own", (np.ndarray,), {})
def assign(array, index): array[index] = 1
works = [lambda i=i: a[i] for i in (far, np.int64(far), [[0, far]], [np.int64(far)], pd.Series([far]), range(far, far + 2), ([far],), (far,), namedtuple("Place", "x")(np.array([far])))]
works += [lambda b=b: b[np.array([far])] for b in (np.matrix(a).T, np.ma.array(a, mask=a == 1), a.view(Own), np.rec.array([(1, 2)] * 3), np.memmap("mapped", "f8", "w+", shape=5))]
works += [lambda: np.ndarray.__getitem__(a, np.array([far])), lambda: assign(a.view(Own), [far]), lambda: assign(a, far), lambda: a.take(indices=[far]), lambda: a.take(far), lambda: np.take(a, np.int64(far))]
for work in works:
    try: print(work())
    except IndexError as error: print("IndexError", end=" ")
small = np.zeros(3, "u1")
for work in (lambda: a["b"], lambda: a[1.0], lambda: a[[1.0]], lambda: a[np.array([1], object)], lambda: a[[True, False]], lambda: a[{1}], lambda: assign(small, 0) or small.__setitem__(0, 300)):
    try: print(work())
    except Exception as error: print(type(error).__name__, str(error)[:25], end="; ")
records, grid, deep = np.zeros(2, [("a", "i4"), ("b", "f8")]), a[:4].reshape(2, 2), (0,)
for _ in range(100_000): deep = (deep,)
try: a[deep]
except (ValueError, RecursionError) as error: print("too deep")
print(records[["b", "a"]].dtype.names, records["a"], a[pd.Series(a > 2)], a[[True] * 5].sum(), a[()].sum(), grid[None, ..., [1, 0]].tolist(), grid[([0, 1], [1, 0])], grid[1, np.int64(0)], a[:far], a.take(2), a.take((0, 1)), a[np.True_].shape)`),
  );
  assert.equal(
    stdout,
    "IndexError ".repeat(20) +
      "IndexError only integers, slices (\`:; ".repeat(3) + "IndexError arrays used as indices mu; " +
      "IndexError boolean index did not mat; IndexError only integers, slices (\`:; OverflowError Python integer 300 out of; too deep\n" +
      "('b', 'a') [0 0] [3 4] 10 10 [[[1, 0], [3, 2]]] [1 2] 2 [0 1 2 3 4] 2 [0 1] (1, 5)\n",
  );
});

test("nor is another place taken by what numpy and pandas make narrow themselves", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, pandas as pd
far, a, s, days = np.array([2**32 + 1]), np.arange(5), pd.Series([1, 2]), pd.date_range("2024-01-01", periods=3)
def assign(places, index): places[index] = 9
def without(work):
    try: return work()
    except (IndexError, ValueError) as error: return type(error).__name__[0]
refused = [lambda: a.put(far, 9), lambda: np.put(a, far[0], 9), lambda: np.add.at(a, far, 9), lambda: np.add.at(a, (far.tolist(),), 9), lambda: np.add.reduceat(a, far), lambda: a.repeat(far.repeat(5)), lambda: np.repeat(a, [2**32 + 1]),
  lambda: far.choose([[1], [2]]), lambda: np.partition(a, 2**32 + 1), lambda: a.argpartition(far), lambda: np.unravel_index(2**32 + 1, (3, 4)), lambda: np.unravel_index(far.tolist(), (3, 4)), lambda: np.ravel_multi_index((far, [0]), (3, 4)),
  lambda: np.bincount(far), lambda: np.bincount([2**32 + 1]), lambda: a.flat[far], lambda: assign(a.flat, far), lambda: a.flat.__setitem__(far, 9),
  lambda: s.iloc[far], lambda: s.take(far), lambda: s.to_frame().iloc[far.tolist()], lambda: days[far], lambda: days.take(far), lambda: pd.array([1, 2])[far], lambda: pd.Categorical(["x", "y"])[far.tolist()], lambda: pd.api.extensions.take(a, far, allow_fill=True)]
print(*map(without, refused), a)
near = np.array([1])
a.put(near, 7), np.add.at(a, near, 1), assign(a.flat, near)
print(a, np.add.reduceat(a, near), a.repeat(near).size, near.choose([[1], [2]]), np.partition(a, near)[1], np.unravel_index(5, (3, 4)), np.ravel_multi_index((near, [0]), (3, 4)), np.bincount([1, 1]), a.flat[near], s.iloc[near].tolist(), days[near].day[0], s.to_frame().take([0, -1]).shape, np.put.__name__, np.add.at.__doc__[:12])
for work in (lambda: np.add.at(a), lambda: a.put(), lambda: a.repeat(near, 1, 2, 3), lambda: pd.array([1, 2])[pd.array([1, None])]):
    try: print(work())
    except (TypeError, ValueError) as error: print(type(error).__name__, end=" ")`),
  );
  assert.equal(
    stdout,
    "I I I I I V V V V V V V V V V I I I I I I I I I I I [0 1 2 3 4]\n" +
      "[0 9 2 3 4] [18] 5 [2] 2 (np.int64(1), np.int64(1)) [4] [0 2] [9] [2] 2 (2, 1) put at(a, indice\n" +
      "TypeError TypeError TypeError ValueError ",
  );
});

test("a function of numpy's that pandas is given to call finds indices as a program does", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, pandas as pd
frame = pd.DataFrame({"k": list("aab"), "v": [1, 2, 3], "w": [3, 2, 1]})
values, groups, days = frame[["v", "w"]], frame.groupby("k"), pd.date_range("2024-01-01", periods=3, freq="7h")
found = [values.apply(np.argmax), values.apply(np.argmax, axis=1), values.apply(np.argmax, raw=True), values.agg(np.argmin), values.v.agg([np.argmax]).iloc[:, 0], values.transform(np.argsort).w, values.map(np.argmax).v,
  frame.v.map(np.argmax), frame.v.apply(np.count_nonzero), frame.v.pipe(np.argsort), values.pipe(np.argmax), groups.v.agg(np.argmax), groups.v.apply(np.argmax), groups.v.transform(np.argmax), groups.agg(m=("v", np.argmax)).m,
  groups[["v", "w"]].agg(np.nanargmax).v, frame.pivot_table(index="k", values="v", aggfunc=np.argmax).v, pd.Series([1, 2, 3], days).resample("D").agg(np.argmax), groups.v.agg(func=np.argmin), groups.indices["a"], groups.v.indices["b"],
  pd.Index([1.0, 2.0]).slice_locs(1.0, 1.5)[1], days.slice_indexer("2024-01-01", "2024-01-01").stop, pd.MultiIndex.from_product([[1, 2], [3, 4]]).get_loc(1).start]
print({each.dtype.name for each in found}, groups.v.agg(["sum", np.argmax]).columns.tolist(), groups.v.agg(np.sum).tolist(), groups.get_group("a").shape, len(groups.indices))
print(values.pipe((np.sum, "a")).tolist(), frame.k.map({"a": 1, "b": 2}).tolist(), groups.v.agg(lambda v: v.max()).tolist(), values.apply("sum").tolist(), values.apply(np.sqrt).shape)`),
  );
  assert.equal(
    stdout,
    "{'int64'} ['sum', 'argmax'] [3, 3] (2, 3) 2\n[6, 6] [1, 1, 2] [2, 3] [6, 6] (3, 2)\n",
  );
});

test("arrays of int64 are filled with what argmax finds, and sort what is searched; classes of a program's own stay", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np
grid = np.array([[1, 9, 3], [7, 2, 8]])
out = np.zeros(3, int)
print(grid.argmax(0, out) is out, out.tolist(), np.argmin(grid, axis=0, out=out) is out, out.tolist(), np.nanargmax(grid * 1.0, axis=1, out=out[:2]).tolist(), np.ma.array(grid).argmax(1, out=out[1:]), grid.argmax(out=np.zeros((), int)))
print(np.argmax(grid, axis=1, keepdims=True, out=out[:2].reshape(2, 1)).tolist(), np.matrix(grid).argmax(1).dtype, np.vectorize(np.argmax, signature="(n)->()")(grid).dtype)
for work in (lambda: np.argmax(grid, axis=1, out=out), lambda: grid.argmax(0, np.zeros(3)), lambda: grid.argmax(0, out, 1, 2)):
    try: print(work())
    except (TypeError, ValueError) as error: print(type(error).__name__, str(error)[:51])
a = np.array([3.0, 1.0, 2.0])
class Other(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs): return "nothing"
order = np.argsort(a)
print([int(np.searchsorted(a, 2.0, sorter=each)) for each in (order, order.tolist(), order.astype("u4"), order.astype("i1"), order.astype(">i8"), order.view(Other), None)])
for sorter in ([-(2**32), 0, 1], [2**32, 0, 1], [0.5, 1, 2], [0]):
    try: print(a.searchsorted(2.0, sorter=sorter))
    except (TypeError, ValueError) as error: print(error)
class Pair(tuple): pass
class Has:
    def nonzero(self): return Pair((np.array([1], "i4"), 2))
print(type(np.nonzero(Has())).__name__, np.nonzero(Has())[0].dtype)`),
  );
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "True [1, 0, 1] True [0, 1, 0] [1, 2] [1 2] 1",
    "[[1], [2]] int64 int64",
    "ValueError output array does not match result of np.argmax.",
    "TypeError Cannot cast array data from dtype('float64') to dty",
    "TypeError argmax() takes from 0 to 2 positional arguments but",
    "[1, 1, 1, 1, 1, 1, 2]",
    "Sorter index out of range.",
    "Sorter index out of range.",
    "sorter must only contain integers",
    "sorter.size must equal a.size",
    "Pair int32",
  ]);
});

test("counts and places of the rarer functions of numpy and pandas have the types that they have elsewhere", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, pandas as pd
x, mask = np.array([[3.0, 1.0], [2.0, 5.0]]), np.array([True, False, True])
masked = np.ma.array(x, mask=[[0, 1], [0, 0]])
names, days = pd.Index(["b", "a", "c"]), pd.date_range("2024-01-01", periods=3)
pairs = pd.MultiIndex.from_product([[1, 2], [3, 4]])
found = [np.histogram(x)[0], np.linalg.matrix_rank(x), np.mask_indices(3, np.triu)[0], np.ix_(mask, [1])[0], masked.count(axis=0), np.ma.count(np.ma.array(x), axis=0, keepdims=True),
  names.reindex(["a"])[1], names.join(names[:2], how="left", return_indexers=True)[2], names.sortlevel()[1], pairs.sortlevel(0)[1], pairs.get_locs([1]), pd.CategoricalIndex(names).reindex(["a"])[1],
  days.asof_locs(days, mask), pd.Categorical(names).argsort(), pd.array([2, 1]).factorize()[0], pd.array([1, 2]).searchsorted([2]), days.array.searchsorted(days[1]), days.array.argmax(), days.array.factorize()[0],
  pd.Categorical(names, ordered=True).searchsorted(["b"]), pd.arrays.SparseArray([0, 1]).searchsorted(1), pd.array(["a"], dtype="string").searchsorted("a"), pd.interval_range(0, 3).array.argsort()]
print({np.asarray(each).dtype.name for each in found}, np.histogram(x, weights=x.astype("i4"))[0].dtype, np.ix_(np.array([1], "i4"))[0].dtype)`),
  );
  assert.equal(stdout, "{'int64'} int32 int32\n");
});

test("where arrays of 32 bits run over there is a warning, an error if one is asked for, and a notice that nothing silences", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, warnings
def said(work):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    return "+".join(str(warning.message).split(" encountered in ")[1] for warning in found)
places = np.arange(50_000, dtype="i4")
works = [lambda: places ** 2, lambda: places ** 3, lambda: places * places, lambda: places[::2] * places[::2], lambda: np.outer(places[-2:], places[-2:]),
  lambda: places + (2**31 - 1), lambda: -places - (2**31 - 1), lambda: places * 50_000, lambda: np.array([-2]).astype("i4") ** np.array([32])]
print([said(work) for work in works])
fine = [lambda: places[:46_341] ** 2, lambda: places[:1000] ** 3, lambda: places * 42_950, lambda: (places * 1.0) ** 3, lambda: places.astype(int) ** 2,
  lambda: np.array([-2], "i4") ** np.array([31], "i4"), lambda: places.sum(), lambda: places - (2**31 - 1), lambda: places ** 0]
print([said(work) for work in fine], (places[:46_341] ** 2)[-1], (np.array([-2], "i4") ** np.array([31], "i4")).item())
try:
    with np.errstate(over="raise"): places * places
except FloatingPointError as error: print(error)
try: places ** -1
except ValueError as error: print(error)`),
  );
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "['square', 'power', 'multiply', 'multiply', 'multiply', 'add', 'subtract', 'multiply', '']",
    "['', '', '', '', '', '', '', '', ''] 2147395600 -2147483648",
    "overflow encountered in multiply",
    "Integers to negative integer powers are not allowed.",
  ]);
  const server = await sharedServer();
  const session_id = `science_${++sessions}`;
  const run = (code: string) => server.python(code, { session_id, timeout: 60 });
  await run(`
import numpy as np, pandas as pd, warnings
warnings.filterwarnings("ignore")
a = np.full(70_000, 70_000, "i4")
pair = a[:4].reshape(2, 2)`);
  const over = [
    ...["a * a", "a ** 2", "a @ a", "pair @ pair", "np.dot(pair, pair)", "np.inner(a, a)", "np.vdot(a, a)"],
    ...[
      "np.tensordot(a, a, 1)",
      "np.correlate(a, a)",
      "np.vecdot(a, a)",
      "np.einsum('i,i', a, a)",
      "a << 20",
    ],
    ...["np.einsum(a, [0], a, [0], [])", "(pd.Series(a) ** 2).sum()", "np.add.reduce(a, dtype='i4')"],
  ];
  for (const code of over) {
    assert.match((await run(code)).notice ?? "", /^int32 arrays of numpy ran over/, code);
  }
  assert.match((await run("a * a\n1 / 0")).notice ?? "", /^int32 arrays/);
  assert.match((await run("a * a\nraise SystemExit")).notice ?? "", /^int32 arrays/);
  await run(
    "import sys\nmodule = sys.modules['numpy._core._overflow']\ntake, module.take = module.take, lambda: 1 / 0",
  );
  assert.equal((await run("a * a; module.take = take")).error, null);
  const fits = [
    "a + a",
    "a.sum()",
    "a[:100] @ np.ones(100, 'i4')",
    "a << 3",
    "a.astype(int) @ a",
    "a - a << 40",
  ];
  for (
    const code of [...fits, "np.einsum('i,i', a[:5] // 70_000, a[:5])", "-a[:9] @ np.ones(9, 'i4')", "1"]
  ) {
    const { notice, error } = await run(code);
    assert.deepEqual([notice, error], [null, null], code);
  }
  await server.call("destroy_session", { session_id });
});

test("formats of periods may have letters of any language", async () => {
  const { result } = completed(
    await inSession(`
import pandas as pd
pd.period_range("2024-01", periods=2, freq="M").strftime("%Y年%m月 é").tolist()`),
  );
  assert.equal(result, "['2024年01月 é', '2024年02月 é']");
});

test("places in strings, and what old programs draw at random, are those of other machines", async () => {
  const { result } = completed(
    await inSession(`
import numpy as np
words = np.array(["hello", "yellow", ""])
r = np.random.RandomState(3)
(np.char.str_len(words).tolist(), np.char.find(words, "l").tolist(), np.strings.count(words, "l").tolist(),
 np.char.replace(words, "l", "LL").tolist(), np.char.partition("a-b", "-").tolist(), np.char.center("a", 3).item(),
 np.strings.str_len(words.astype(np.dtypes.StringDType())).tolist(),
 r.binomial([10, 20], 0.5).tolist(), (r.poisson(4, 2) * 1_000_000_000).tolist(), r.geometric(1e-12) > 2**32, r.tomaxint() > 2**32)`),
  );
  assert.equal(
    result,
    "([5, 6, 0], [2, 2, -1], [2, 2, 0], ['heLLLLo', 'yeLLLLow', ''], ['a', '-', 'b'], ' a ', [5, 6, 0], [5, 11], [4000000000, 1000000000], True, True)",
  );
});

test("an infinite result, or one that is no number, has a warning, unless an operand was such", async () => {
  const { stdout } = completed(
    await inSession(`
import numpy as np, warnings
def said(work):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    return "+".join(str(warning.message).split(" encountered")[0] for warning in found)
a = np.array([1.0, 0.0, np.inf, np.nan])
b = a[:2].copy()
def in_place():
    global b
    b /= 0
for work in (lambda: a / 0, lambda: a + 1, lambda: np.log(a), lambda: np.sqrt(-a[:1]), lambda: np.exp(a[:1] * 1000), lambda: a * 0,
             lambda: np.float64(1) / 0, lambda: np.divide(1, [0, 1], where=[False, True]), in_place, lambda: np.power([0.0], -1),
             lambda: np.float32(1e38) * np.float32(10), lambda: np.array([1j]) / 0, lambda: np.maximum(a, 1)):
    print(said(work), end="; ")
with np.errstate(all="raise"):
    try:
        np.arange(3.0) / 0
    except FloatingPointError as error:
        print(error)`),
  );
  assert.equal(
    stdout,
    "divide by zero+invalid value; ; divide by zero; invalid value; overflow; invalid value; divide by zero; ; " +
      "divide by zero+invalid value; divide by zero; overflow; divide by zero+invalid value; ; " +
      "divide by zero encountered in divide\n",
  );
});

test("fonts are where programs look for them", async () => {
  const { result } = completed(
    await inSession(`
from PIL import ImageFont
fonts = "DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
[ImageFont.truetype(font, 20).getname() for font in fonts]`),
  );
  assert.equal(result, "[('DejaVu Sans', 'Book'), ('DejaVu Sans', 'Bold')]");
});

test("frames that got further columns can be grouped and counted", async () => {
  const { result } = completed(
    await inSession(`
import pandas as pd
df = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3]})
df["c"] = df.b * 2
df.insert(0, "d", 1)
(df.groupby("a").sum().values.tolist(), df.groupby("a")[["b", "c"]].mean().values.tolist(),
 pd.crosstab(df.a, df.b).values.tolist(), df.drop(columns="b").columns.tolist())`),
  );
  assert.equal(
    result,
    "([[2, 4, 8], [1, 2, 4]], [[2.0, 4.0], [2.0, 4.0]], [[1, 0, 1], [0, 1, 0]], ['d', 'a', 'c'])",
  );
});

test("a data frame is shown with the names of its rows", async () => {
  const { displays } = await inSession(
    "import pandas as pd\npd.DataFrame({'a': [1.5, 2]}, index=['x', 'y'])",
  );
  assert.equal(
    (displays[0] as unknown as { text: string }).text,
    "|  | a |\n| --- | --- |\n| x | 1.5 |\n| y | 2.0 |",
  );
});

test("arrays, frames and figures are there after the loss of their process", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(
    await server.python(
      "import numpy as np, pandas as pd, matplotlib.pyplot as plt\na = np.arange(1e6)\ndf = pd.DataFrame({'a': a})\n" +
        "fig, ax = plt.subplots()\n_ = ax.plot(a[:10])\nrandom = np.random.default_rng(1)\nrandom.random()",
      session,
    ),
  );
  await server.checkpointed();
  const lost = childrenOf(server.transport.pid!);
  for (const pid of lost) Deno.kill(pid, "SIGKILL");
  await eventually(
    "another process has taken their place",
    () => Promise.resolve(childrenOf(server.transport.pid!)),
    (pids) => pids.some((pid) => !lost.includes(pid)),
  );
  const { result } = completed(
    await server.python("len(fig.axes[0].lines), float(df.a.sum()), round(random.random(), 6)", session),
  );
  assert.equal(result, "(1, 499999500000.0, 0.950464)");
});

test("what is stopped within numpy or pandas leaves the session as it was", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "a" };
  completed(await server.python("import numpy as np, pandas as pd\nkept = np.arange(5)", session));
  for (
    const endless of ["np.linalg.svd(np.random.rand(1000, 1000))", "while True: np.sort(np.arange(100_000))"]
  ) {
    const stopped = await server.python(endless, { ...session, timeout: 1 });
    assert.equal(stopped.status, "timeout", endless);
    assert.equal(completed(await server.python("int(kept.sum())", session)).result, "10");
  }
});

test("memory that runs out within numpy or pandas is a MemoryError, and the session goes on", async () => {
  const program = (code: string) => `import numpy as np, pandas as pd\n${code}`;
  for (
    const code of ["np.ones(10**8)", "pd.DataFrame(np.ones((10**4, 10**4)))", "np.fft.fft(np.ones(10**8))"]
  ) {
    const { status, error } = await inSession(program(code));
    assert.match(`${status} ${error?.type} ${error?.message}`, /MemoryError|out_of_memory/, code);
  }
  assert.equal(
    (await inSession(program("try: np.ones(10**8)\nexcept MemoryError: pass"), "1 + 1")).result,
    "2",
  );
});

test("random numbers of two sessions differ, and those of a seed do not", async () => {
  const draw = () => inSession("import numpy as np\nimport pandas\nfloat(np.random.rand())");
  assert.notEqual((await draw()).result, (await draw()).result);
  assert.equal(
    (await inSession("import numpy as np\nnp.random.seed(1)\nfloat(np.random.rand())")).result,
    "0.417022004702574",
  );
});

test("a session that began without numpy has it when a later program imports it, with all that it made before", async () => {
  await using server = await TestServer.start();
  const session = { session_id: "began" };
  const made =
    "rows = [{'a': 1}, {'a': 2}]\nclass Shop:\n    def total(self): return pd.DataFrame(rows).a.sum()\nshop = Shop()";
  completed(await server.python(made, session));
  const moved = completed(await server.python("import pandas as pd\nint(shop.total())", session));
  assert.equal(moved.result, "3");
  assert.match(moved.notice ?? "", /variables, functions, classes and own modules came along/);
  await server.checkpointed();
  const again = completed(await server.python("rows.append({'a': 4})\nint(shop.total())", session));
  assert.deepEqual([again.result, again.notice], ["7", null]);
  await server.checkpointed();
  for (const pid of childrenOf(server.transport.pid!)) Deno.kill(pid, "SIGKILL");
  assert.equal(
    (await eventually(
      "the session goes on in another process",
      () => server.python("int(shop.total())", session),
      ({ status }) => status === "completed",
    )).result,
    "7",
  );
});

test("a program that fails or is stopped after its session has moved leaves it as asked", async () => {
  const server = await sharedServer(patientServer);
  const session = { session_id: "moves" };
  completed(await server.python("x = [1]", session));
  const rolledBack = await server.python("import numpy\nx.append(2)\n1 / 0", {
    ...session,
    on_failure: "rollback",
  });
  assert.equal(rolledBack.status, "failed");
  assert.equal(
    (await server.python("import sys\n(x, 'numpy' in sys.modules)", session)).result,
    "([1], False)",
  );
  const endless = "import numpy\nx.append(3)\nprint('up', flush=True)\nwhile True: pass";
  const running = await server.begin("python", endless, session);
  await server.call("cancel_execution", session);
  assert.equal((await running.reply).status, "cancelled");
  assert.equal((await server.python("x", session)).result, "[1, 3]");
  await server.call("destroy_session", session);
});

test("a session that can't go there says why, and its variables stay", async () => {
  const server = await sharedServer();
  const session = { session_id: "stays" };
  completed(await server.python("rows = (n for n in range(3))\nnext(rows)", session));
  const { error } = await server.python("import numpy", session);
  assert.match(error?.message ?? "", /could not go, because of rows \(generator\)\. Delete/);
  assert.equal((await server.python("next(rows)", session)).result, "1");
  completed(await server.python("del rows", session));
  assert.equal(completed(await server.python("import numpy\nint(numpy.ones(3).sum())", session)).result, "3");
  await server.call("destroy_session", session);
});

test("documents of Word and PowerPoint, XML and HTML by lxml, and regex do what they do elsewhere", async () => {
  const documents = completed(
    await inSession(`
from docx import Document
from docx.shared import Inches
from pptx import Presentation
from PIL import Image
Image.new("RGB", (20, 20), "red").save("red.png")
document = Document()
document.add_heading("Report", 0)
document.add_paragraph("one", style="List Bullet")
document.add_table(2, 2).cell(0, 0).text = "cell"
document.add_picture("red.png", width=Inches(1))
document.sections[0].header.paragraphs[0].text = "head"
document.save("report.docx")
deck = Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[1])
slide.shapes.title.text = "Title"
slide.notes_slide.notes_text_frame.text = "said"
slide.shapes.add_picture("red.png", 0, 0)
deck.save("deck.pptx")
read = Document("report.docx")
([p.text for p in read.paragraphs][:2], read.tables[0].cell(0, 0).text, read.sections[0].header.paragraphs[0].text,
 Presentation("deck.pptx").slides[0].shapes.title.text)`),
  );
  assert.equal(documents.result, "(['Report', 'one'], 'cell', 'head', 'Title')");
  const trees = completed(
    await inSession(`
from bs4 import BeautifulSoup
soup = BeautifulSoup("<ul><li>1<li>2</ul>", "lxml")
from lxml import etree, html, objectify
root = etree.fromstring("<a><b x='1'>é</b><b x='2'/></a>")
style = etree.XSLT(etree.XML('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><o><xsl:value-of select="count(//b)"/></o></xsl:template></xsl:stylesheet>'))
schema = etree.XMLSchema(etree.XML('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:integer"/></xs:schema>'))
try: etree.fromstring("<a><b></a>")
except etree.XMLSyntaxError as error: wrong = str(error)
old = etree.fromstring("<?xml version='1.0' encoding='windows-1252'?><a>\u20ac</a>".encode("cp1252")).text
import regex
([li.text for li in soup.find_all("li")], root.xpath("//b/@x"), str(style(root.getroottree())).split("\\n")[1], schema.validate(etree.XML("<a>5</a>")),
 wrong[:20], old, html.fromstring("<p>x<b>y").text_content(), objectify.fromstring("<r><v>5</v></r>").v + 1,
 regex.findall(r"\\p{L}+", "né 1 à"), regex.fullmatch(r"(?:cats|dogs){e<=1}", "cat") is not None)`),
  );
  assert.equal(
    trees.result,
    "(['1', '2'], ['1', '2'], '<o>2</o>', True, 'Opening and ending t', '€', 'xy', 6, ['né', 'à'], True)",
  );
  const hostile = await inSession(`
from lxml import etree
import regex
bomb = '<!DOCTYPE a [<!ENTITY a "' + "x" * 100 + '">' + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(9)) + "]><a>&j;</a>"
def attempt(make):
    try: make()
    except Exception as error: return type(error).__name__
outcomes = [attempt(lambda: etree.fromstring(bomb)), attempt(lambda: etree.fromstring("<a>" * 100_000)),
 attempt(lambda: etree.fromstring("<!DOCTYPE a [<!ENTITY x SYSTEM 'http://localhost/'>]><a>&x;</a>", etree.XMLParser(no_network=False)))]
outcomes`);
  assert.equal(completed(hostile).result, "['XMLSyntaxError', 'XMLSyntaxError', 'XMLSyntaxError']");
});

test("pictures, fonts and tables that are broken are errors of the program", async () => {
  const reply = completed(
    await inSession(`
import io, pandas as pd
from PIL import Image, ImageFont
from matplotlib.ft2font import FT2Font
png = io.BytesIO(); Image.new("RGB", (50, 50)).save(png, "PNG")
jpeg = io.BytesIO(); Image.effect_noise((50, 50), 50).save(jpeg, "JPEG")
def attempt(make):
    try: make()
    except Exception as error: return "error"
    return "fine"
def broken(data, at): return io.BytesIO(data[:at] + bytes(len(data) - at))
outcomes = [attempt(lambda: Image.open(broken(data, at)).load()) for data in (png.getvalue(), jpeg.getvalue()) for at in range(0, len(data), 7)]
font = open("/usr/share/matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf", "rb").read()[:200_000]
for at in range(0, len(font), 20_000):
    open("font.ttf", "wb").write(font[:at] + b"\\xff" * (len(font) - at))
    outcomes += [attempt(lambda: FT2Font("font.ttf").set_text("Hello")), attempt(lambda: ImageFont.truetype("font.ttf", 20).getbbox("Hello"))]
for table in ("a,b\\n1,2,3,4\\n", '"', "\\0" * 100, "a\\n" + '"x' * 1000):
    outcomes.append(attempt(lambda: pd.read_csv(io.StringIO(table))))
"error" in outcomes`),
  );
  assert.equal(reply.result, "True");
});

test("pictures are read and written compressed as science and print have them, with their colour profiles", async () => {
  const { result } = completed(
    await inSession(`
import io, numpy as np
from PIL import Image, ImageCms, ImageSequence
pixels = np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)
picture, line = Image.fromarray(pixels), Image.fromarray(pixels).convert("1")
def kept(picture, format, **options):
    memory = io.BytesIO()
    for file in ("picture", memory): picture.save(file, format, **options)
    return all(np.array_equal(Image.open(file), picture) for file in ("picture", memory))
tiff = [kept(picture, "TIFF", compression=name) for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits")]
tiff += [kept(line, "TIFF", compression=name) for name in ("group3", "group4", "tiff_ccitt")]
for dtype in (np.uint16, np.float32):
    Image.fromarray(pixels[..., 0].astype(dtype)).save("deep.tif", compression="tiff_lzw")
    tiff.append(np.array_equal(np.asarray(Image.open("deep.tif")), pixels[..., 0].astype(dtype)))
pages = [picture.rotate(10 * turn) for turn in range(3)]
pages[0].save("pages.tif", save_all=True, append_images=pages[1:], compression="jpeg", quality=95)
close = all((abs(np.asarray(a).astype(int) - b) < 90).all() for a, b in zip(ImageSequence.Iterator(Image.open("pages.tif")), pages, strict=True))
srgb = ImageCms.createProfile("sRGB")
picture.save("proof.jpg", icc_profile=ImageCms.ImageCmsProfile(srgb).tobytes())
profile = ImageCms.ImageCmsProfile(io.BytesIO(Image.open("proof.jpg").info["icc_profile"]))
lab = ImageCms.profileToProfile(Image.new("RGB", (1, 1), "red"), profile, ImageCms.createProfile("LAB"), outputMode="LAB")
(tiff, close, kept(picture, "JPEG2000"), ImageCms.getProfileDescription(profile).strip(), lab.getpixel((0, 0)))`),
  );
  assert.equal(
    result,
    "([True, True, True, True, True, True, True, True], True, True, 'sRGB built-in', (138, 209, 198))",
  );
});

test("a compression that is not there is an error, and what was written into memory for it harms nothing", async () => {
  const { stdout } = completed(
    await inSession(`
import io
from PIL import Image
picture = Image.effect_noise((200, 200), 50)
for _ in range(20):
    try: picture.save(io.BytesIO(), "TIFF", compression="zstd")
    except OSError: kept = [bytes(70_000) for _ in range(10)]
print(any(map(any, kept)))`),
  );
  assert.equal(stdout, "False\n");
});

test("who looks for packages first, by whatever means, finds those of the other interpreter, also where the session is not there", async () => {
  const probes = [
    `import importlib
found = {}
for name in ["numpy", "pandas", "matplotlib", "nonesuch"]:
    try: found[name] = bool(importlib.import_module(name).__version__)
    except ImportError: found[name] = False
[*found.values()]`,
    `import importlib.util as util
[util.find_spec(name) is not None for name in ("numpy", "pandas", "mat" "plotlib", "nonesuch")]`,
    `[__import__(name) is not None for name in ("numpy", "pandas", "matplotlib")] + [False]`,
    `import pkgutil
there = {each.name for each in pkgutil.iter_modules()}
[name in there for name in ("num" "py", "sympy", "rich", "nonesuch")]`,
    `from importlib import metadata
there = {each.name for each in metadata.distributions()}
[bool(metadata.version("num" "py")), "pillow" in there, "python-docx" in there, "nonesuch" in there]`,
    `from importlib import util
[util.find_spec(f"{name}{rest}") is not None for name, rest in (("num", "py"), ("pan", "das"), ("mat", "plotlib"), ("none", "such"))]`,
  ];
  for (const probe of probes) {
    assert.equal(completed(await inSession(probe)).result, "[True, True, True, False]", probe);
    assert.equal(completed(await inSession("x = 1", probe)).result, "[True, True, True, False]", probe);
  }
  const { error } = await inSession(
    "from importlib import util\nname = 'num' + 'py'\nutil.module_from_spec(util.find_spec(name))",
  );
  assert.match(error?.message ?? "", /No module named 'numpy'\. It comes with an interpreter of its own/);
});

test("what a program writes as a module, or runs as a text, has them", async () => {
  const module = "import numpy as np\\ntotal = int(np.arange(4).sum())\\n";
  for (
    const program of [
      `open("made.py", "w").write("${module}")\nimport made\nmade.total`,
      `exec("import numpy as np; total = int(np.arange(4).sum())")\ntotal`,
      `open("made.py", "w").write("${module}")\nexec(open("made.py").read())\ntotal`,
      `open("made.py", "w").write("${module}")\nimport runpy\nrunpy.run_path("made.py")["total"]`,
    ]
  ) assert.equal(completed(await inSession(program)).result, "6", program);
  const later = completed(
    await inSession(`text = "${module}"\n_ = open("made.py", "w").write(text)`, "%run made.py\ntotal"),
  );
  assert.equal(later.result, "6");
});

test("networkx and sympy have numpy and matplotlib in a session that began without them", async () => {
  const graph = "import networkx as nx\nlen(nx.spring_layout(nx.path_graph(3), seed=1))";
  assert.equal(completed(await inSession("x = 1", graph)).result, "3");
  const { displays } = await inSession("x = 1", "from sympy import *\n_ = plot(symbols('t') ** 2)");
  assert.deepEqual(displays.map(({ mime_type }) => mime_type), ["image/png"]);
});

test("modules that are run by their names in the shell have them, and tests, from subprocess too", async () => {
  const server = await sharedServer();
  const session = { session_id: "modules" };
  const { structured } = await server.call("execute_command", {
    ...session,
    command: String
      .raw`printf 'import numpy as np\ndef test_it(): assert np.ones(3).sum() == 3\nprint("ran")\n' > test_it.py
python3 -m test_it; pytest -q | tail -1; python3 -m pytest -q | tail -1
mkdir app; cp test_it.py app/__main__.py; python3 app; cd app; mv __main__.py helper.py; echo 'import helper' > main.py; python3 main.py`,
  });
  assert.match(String(structured["stdout"]), /^ran\n1 passed.*\n1 passed.*\nran\nran\n$/);
  const { stdout } = completed(
    await server.python(
      `import subprocess, sys
for command in (["pytest", "-q", "test_it.py"], [sys.executable, "-m", "test_it"]):
    print(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[-1][:8])`,
      session,
    ),
  );
  assert.equal(stdout, "1 passed\nran\n");
  await server.call("destroy_session", session);
});

test("scripts of the shell have them too, and pip knows that they are there", async () => {
  const server = await sharedServer();
  const session = { session_id: "shell" };
  const script = String.raw`import pandas as pd\nprint(pd.Series([1, 2]).sum())\n`;
  const { structured } = await server.call("execute_command", {
    ...session,
    command: `printf '${script}' > sum.py && python3 sum.py && pip install pandas`,
  });
  assert.match(String(structured["stdout"]), /^3\n(.|\n)*already satisfied: pandas/);
  await server.call("destroy_session", session);
});
