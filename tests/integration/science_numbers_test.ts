/** Numbers of numpy and pandas are those of other machines, though addresses have 32 bits here. */

import assert from "node:assert/strict";
import { printed, resultOf, test } from "../support/science_session.ts";
import { sharedServer } from "../support/shared.ts";

test("integers are as wide as on other machines: nothing overflows here that would not there", async () => {
  const result = await resultOf(`
import numpy as np, pandas as pd
np.random.seed(42)
drawn = np.random.randint(0, 100, 5)
indices = np.array([0, 1, 1])
([str(a.dtype) for a in (np.arange(3), np.array([1]), np.zeros(2, int), np.array([1.5]).astype(int), drawn, np.int_(1), np.uint(1),
  np.array([True]).sum(), np.cumsum(np.ones(2, "i4")), pd.Series([1.5]).astype(int), np.linspace(0, 5, 3, dtype=int), np.dtype("int").type(1))],
 np.array([2_000_000_000] * 2, "i4").sum().item(), (np.arange(100_000) ** 2).max().item(), np.sum([2**30] * 4).item(), drawn.tolist(),
 np.repeat([5, 6, 7], indices).tolist(), np.bincount(indices).tolist(), np.add.reduceat(np.arange(3), np.array([0, 2])).tolist(),
 np.choose(indices, [[1, 2, 3], [4, 5, 6]]).tolist(), np.take([7, 8], indices).tolist(), pd.DataFrame({"a": [50_000]}).a.pow(2)[0].item())`);
  assert.equal(
    result,
    "(['int64', 'int64', 'int64', 'int64', 'int64', 'int64', 'uint64', 'int64', 'int64', 'int64', 'int64', 'int64'], 4000000000, " +
      "9999800001, 4294967296, [51, 92, 14, 71, 60], [6, 7], [1, 2], [1, 2], [1, 5, 6], [7, 8, 8], 2500000000)",
  );
});

test("what a program asks of numpy and pandas for indices has 64 bits, as on other machines, and so has what it computes of them", async () => {
  const stdout = await printed(`
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
print(round(1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum() / (100_000 * (100_000**2 - 1)), 6))`);
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "{'int64'} np.int64(0)",
    "30000294936 114330883345000 114330883345000 114330883345000 73399271424",
    "0.001976",
  ]);
});

test("what is no index keeps its type, arrays that are given to be filled are filled, and libraries get what they compute with", async () => {
  const stdout = await printed(`
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
    except (TypeError, ValueError) as error: print(type(error).__name__, error)`);
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
  const stdout = await printed(`
import numpy as np
a = np.arange(5)
def assign(index): a[index] = 1
for work in (lambda i: a[i], lambda i: a[i.tolist()], lambda i: a.reshape(1, 5)[0, i], lambda i: a.take(i), lambda i: np.take(a, i), assign):
    for index in (2**32, -(2**32) + 1, 2**63 - 1):
        try: print(work(np.array([0, index])))
        except IndexError as error: print("IndexError", end=" ")
print(a[np.array([[4, -5]])], a[[]], a[np.array([2], "u8")], a[np.array([1, 2, 3])[::2]])`);
  assert.equal(stdout, "IndexError ".repeat(18) + "[[4 0]] [] [2] [1 3]\n");
});

test("so it is whatever it is given as, and for arrays of other classes", async () => {
  const stdout = await printed(`
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
print(records[["b", "a"]].dtype.names, records["a"], a[pd.Series(a > 2)], a[[True] * 5].sum(), a[()].sum(), grid[None, ..., [1, 0]].tolist(), grid[([0, 1], [1, 0])], grid[1, np.int64(0)], a[:far], a.take(2), a.take((0, 1)), a[np.True_].shape)`);
  assert.equal(
    stdout,
    "IndexError ".repeat(20) +
      "IndexError only integers, slices (\`:; ".repeat(3) + "IndexError arrays used as indices mu; " +
      "IndexError boolean index did not mat; IndexError only integers, slices (\`:; OverflowError Python integer 300 out of; too deep\n" +
      "('b', 'a') [0 0] [3 4] 10 10 [[[1, 0], [3, 2]]] [1 2] 2 [0 1 2 3 4] 2 [0 1] (1, 5)\n",
  );
});

test("nor is another place taken by what numpy and pandas make narrow themselves", async () => {
  const stdout = await printed(`
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
    except (TypeError, ValueError) as error: print(type(error).__name__, end=" ")`);
  assert.equal(
    stdout,
    "I I I I I V V V V V V V V V V I I I I I I I I I I I [0 1 2 3 4]\n" +
      "[0 9 2 3 4] [18] 5 [2] 2 (np.int64(1), np.int64(1)) [4] [0 2] [9] [2] 2 (2, 1) put at(a, indice\n" +
      "TypeError TypeError TypeError ValueError ",
  );
});

test("a function of numpy's that pandas is given to call finds indices as a program does", async () => {
  const stdout = await printed(`
import numpy as np, pandas as pd
frame = pd.DataFrame({"k": list("aab"), "v": [1, 2, 3], "w": [3, 2, 1]})
values, groups, days = frame[["v", "w"]], frame.groupby("k"), pd.date_range("2024-01-01", periods=3, freq="7h")
found = [values.apply(np.argmax), values.apply(np.argmax, axis=1), values.apply(np.argmax, raw=True), values.agg(np.argmin), values.v.agg([np.argmax]).iloc[:, 0], values.transform(np.argsort).w, values.map(np.argmax).v,
  frame.v.map(np.argmax), frame.v.apply(np.count_nonzero), frame.v.pipe(np.argsort), values.pipe(np.argmax), groups.v.agg(np.argmax), groups.v.apply(np.argmax), groups.v.transform(np.argmax), groups.agg(m=("v", np.argmax)).m,
  groups[["v", "w"]].agg(np.nanargmax).v, frame.pivot_table(index="k", values="v", aggfunc=np.argmax).v, pd.Series([1, 2, 3], days).resample("D").agg(np.argmax), groups.v.agg(func=np.argmin), groups.indices["a"], groups.v.indices["b"],
  pd.Index([1.0, 2.0]).slice_locs(1.0, 1.5)[1], days.slice_indexer("2024-01-01", "2024-01-01").stop, pd.MultiIndex.from_product([[1, 2], [3, 4]]).get_loc(1).start]
print({each.dtype.name for each in found}, groups.v.agg(["sum", np.argmax]).columns.tolist(), groups.v.agg(np.sum).tolist(), groups.get_group("a").shape, len(groups.indices))
print(values.pipe((np.sum, "a")).tolist(), frame.k.map({"a": 1, "b": 2}).tolist(), groups.v.agg(lambda v: v.max()).tolist(), values.apply("sum").tolist(), values.apply(np.sqrt).shape)`);
  assert.equal(
    stdout,
    "{'int64'} ['sum', 'argmax'] [3, 3] (2, 3) 2\n[6, 6] [1, 1, 2] [2, 3] [6, 6] (3, 2)\n",
  );
});

test("arrays of int64 are filled with what argmax finds, and sort what is searched; classes of a program's own stay", async () => {
  const stdout = await printed(`
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
print(type(np.nonzero(Has())).__name__, np.nonzero(Has())[0].dtype)`);
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
  const stdout = await printed(`
import numpy as np, pandas as pd
x, mask = np.array([[3.0, 1.0], [2.0, 5.0]]), np.array([True, False, True])
masked = np.ma.array(x, mask=[[0, 1], [0, 0]])
names, days = pd.Index(["b", "a", "c"]), pd.date_range("2024-01-01", periods=3)
pairs = pd.MultiIndex.from_product([[1, 2], [3, 4]])
found = [np.histogram(x)[0], np.linalg.matrix_rank(x), np.mask_indices(3, np.triu)[0], np.ix_(mask, [1])[0], masked.count(axis=0), np.ma.count(np.ma.array(x), axis=0, keepdims=True),
  names.reindex(["a"])[1], names.join(names[:2], how="left", return_indexers=True)[2], names.sortlevel()[1], pairs.sortlevel(0)[1], pairs.get_locs([1]), pd.CategoricalIndex(names).reindex(["a"])[1],
  days.asof_locs(days, mask), pd.Categorical(names).argsort(), pd.array([2, 1]).factorize()[0], pd.array([1, 2]).searchsorted([2]), days.array.searchsorted(days[1]), days.array.argmax(), days.array.factorize()[0],
  pd.Categorical(names, ordered=True).searchsorted(["b"]), pd.arrays.SparseArray([0, 1]).searchsorted(1), pd.array(["a"], dtype="string").searchsorted("a"), pd.interval_range(0, 3).array.argsort()]
print({np.asarray(each).dtype.name for each in found}, np.histogram(x, weights=x.astype("i4"))[0].dtype, np.ix_(np.array([1], "i4"))[0].dtype)`);
  assert.equal(stdout, "{'int64'} int32 int32\n");
});

test("where arrays of 32 bits run over there is a warning, an error if one is asked for, and a notice that nothing silences", async () => {
  const stdout = await printed(`
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
except ValueError as error: print(error)`);
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "['square', 'power', 'multiply', 'multiply', 'multiply', 'add', 'subtract', 'multiply', '']",
    "['', '', '', '', '', '', '', '', ''] 2147395600 -2147483648",
    "overflow encountered in multiply",
    "Integers to negative integer powers are not allowed.",
  ]);
  const server = await sharedServer();
  const session_id = crypto.randomUUID();
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

test("places in strings, and what old programs draw at random, are those of other machines", async () => {
  const result = await resultOf(`
import numpy as np
words = np.array(["hello", "yellow", ""])
r = np.random.RandomState(3)
(np.char.str_len(words).tolist(), np.char.find(words, "l").tolist(), np.strings.count(words, "l").tolist(),
 np.char.replace(words, "l", "LL").tolist(), np.char.partition("a-b", "-").tolist(), np.char.center("a", 3).item(),
 np.strings.str_len(words.astype(np.dtypes.StringDType())).tolist(),
 r.binomial([10, 20], 0.5).tolist(), (r.poisson(4, 2) * 1_000_000_000).tolist(), r.geometric(1e-12) > 2**32, r.tomaxint() > 2**32)`);
  assert.equal(
    result,
    "([5, 6, 0], [2, 2, -1], [2, 2, 0], ['heLLLLo', 'yeLLLLow', ''], ['a', '-', 'b'], ' a ', [5, 6, 0], [5, 11], [4000000000, 1000000000], True, True)",
  );
});

test("an infinite result, or one that is no number, has a warning, unless an operand was such", async () => {
  const stdout = await printed(`
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
        print(error)`);
  assert.equal(
    stdout,
    "divide by zero+invalid value; ; divide by zero; invalid value; overflow; invalid value; divide by zero; ; " +
      "divide by zero+invalid value; divide by zero; overflow; divide by zero+invalid value; ; " +
      "divide by zero encountered in divide\n",
  );
});
