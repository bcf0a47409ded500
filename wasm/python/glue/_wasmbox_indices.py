"""Indices as programs see them (science/indices.c): what pandas gives a program or has functions of numpy's give it, what scipy
keeps, what scikit-learn finds, and what einsum loses."""

import os.path
import sys
from functools import wraps
from types import FunctionType

# By where they are defined: functions whose results are indices, and which of the module's names says what part of them is.
OF_PANDAS = {
    "": {"factorize": "FIRST", "cut": "FIRST", "qcut": "FIRST"},
    "core.base.IndexOpsMixin": {"factorize": "FIRST", "searchsorted": "ALL", "argmax": "ALL", "argmin": "ALL"},
    "core.series.Series": {"argsort": "ALL", "searchsorted": "ALL"},
    "core.indexes.base.Index": {
        "argsort": "ALL",
        "argmax": "ALL",
        "argmin": "ALL",
        "get_indexer": "ALL",
        "get_indexer_for": "ALL",
        "get_indexer_non_unique": "ALL",
        "sort_values": "REST",
        "sortlevel": "REST",
        "reindex": "REST",
        "join": "REST",
        "asof_locs": "ALL",
        "slice_indexer": "ALL",
        "slice_locs": "ALL",
        "get_slice_bound": "ALL",
    },
    "core.indexes.category.CategoricalIndex": {"reindex": "REST", "argsort": "ALL", "searchsorted": "ALL"},
    "core.indexes.datetimes.DatetimeIndex": {
        "indexer_at_time": "ALL",
        "indexer_between_time": "ALL",
        "slice_indexer": "ALL",
    },
    "core.indexes.interval.IntervalIndex": {"get_indexer_non_unique": "ALL", "get_loc": "ALL"},
    "core.indexes.multi.MultiIndex": {
        "argsort": "ALL",
        "sortlevel": "REST",
        "get_loc": "ALL",
        "get_loc_level": "FIRST",
        "get_locs": "ALL",
        "get_slice_bound": "ALL",
        "slice_locs": "ALL",
    },
    "core.indexes.period.PeriodIndex": {"asof_locs": "ALL"},
    "core.indexes.range.RangeIndex": {"argsort": "ALL", "factorize": "FIRST", "sort_values": "REST"},
    "core.arrays.base.ExtensionArray": {
        "argsort": "ALL",
        "argmax": "ALL",
        "argmin": "ALL",
        "factorize": "FIRST",
        "searchsorted": "ALL",
    },
    "core.arrays._mixins.NDArrayBackedExtensionArray": {"argmax": "ALL", "argmin": "ALL", "searchsorted": "ALL"},
    "core.arrays.categorical.Categorical": {"argsort": "ALL"},
    "core.arrays.datetimelike.TimelikeOps": {"factorize": "FIRST"},
    "core.arrays.interval.IntervalArray": {"argsort": "ALL"},
    "core.arrays.masked.BaseMaskedArray": {"factorize": "FIRST", "searchsorted": "ALL"},
    "core.arrays.period.PeriodArray": {"searchsorted": "ALL"},
    "core.arrays.sparse.array.SparseArray": {"argmax": "ALL", "argmin": "ALL", "factorize": "FIRST", "searchsorted": "ALL"},
    "core.arrays.string_.StringArray": {"searchsorted": "ALL"},
    "core.groupby.groupby.BaseGroupBy": {"indices": "ALL"},
}
# What is given a function that pandas calls for the program, and which of the arguments that is.
CALLERS = {
    "core.common": {"pipe": 1},
    "core.base.IndexOpsMixin": {"_map_values": 1},
    "core.apply.Apply": {"__init__": 2},
    "core.frame.DataFrame": {"map": 1, "applymap": 1},
    "core.groupby.groupby.GroupBy": {"apply": 1},
    "core.groupby.generic.SeriesGroupBy": {"apply": 1, "aggregate": 1, "agg": 1, "transform": 1, "filter": 1},
    "core.groupby.generic.DataFrameGroupBy": {"aggregate": 1, "agg": 1, "transform": 1, "filter": 1},
    "core.resample.Resampler": {"aggregate": 1, "agg": 1, "apply": 1, "transform": 1},
}
NARROW_MOST = 2**31 - 1


def widen():
    """Called while pandas is imported, by itself."""
    from numpy._core import _indices

    pandas = sys.modules["pandas"]
    # It tells by their files which frames are its own, to find those that its warnings are about.
    filename = os.path.join(os.path.dirname(pandas.__file__), "_indices.py")
    for place, name, parts in members(pandas, OF_PANDAS):
        member = vars(place)[name]
        wide = widened(getattr(member, "fget", member), _indices.widened, getattr(_indices, parts), filename)
        setattr(place, name, property(wide, doc=member.__doc__) if isinstance(member, property) else wide)
    for place, name, argument in members(pandas, CALLERS):
        setattr(place, name, handing(vars(place)[name], argument, filename))


def members(module, table):
    for path, names in table.items():
        place = module
        for name in filter(None, path.split(".")):
            place = getattr(place, name)
        for name, value in names.items():
            yield place, name, value


def widened(function, widen, parts, filename):
    caller = sys._getframe

    def call(*args, **kwargs):
        return widen(function(*args, **kwargs), caller(1).f_globals, parts)

    call.__code__ = call.__code__.replace(co_filename=filename)
    return wraps(function)(call)


def for_programs(function):
    """One of scikit-learn's whose result is indices, or has some: called by a program, it gives them as wide as elsewhere."""
    from numpy._core import _indices

    return widened(function, _indices.widened, _indices.ALL, function.__code__.co_filename)


def handing(method, place, filename):
    def call(*args, **kwargs):
        if len(args) > place:
            args = (*args[:place], called_here(args[place]), *args[place + 1 :])
        elif "func" in kwargs:
            kwargs["func"] = called_here(kwargs["func"])
        return method(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_filename=filename)
    return wraps(method)(call)


def called_here(function):
    """One of numpy's that finds indices, as it is called by a program; whatever else it is stays the same."""
    import numpy
    from numpy._core import _indices

    if type(function) is not type(numpy.argsort) or type(function._implementation) is not _indices.Wide:
        return function
    return wraps(function)(lambda *args, **kwargs: function(*args, **kwargs))


def narrow(function):
    """One of scipy's that is compiled, and so has no variables by which its own calls could be told from the program's."""

    def call(*args, **kwargs):
        return function(*args, **kwargs)

    return wraps(function)(FunctionType(call.__code__, {"__name__": "scipy"}, closure=call.__closure__))


def noted(einsum):
    """einsum that notes where it runs over its 32 bits."""

    @wraps(einsum)
    def call(*operands, **kwargs):
        value = einsum(*operands, **kwargs)
        kind = getattr(value, "dtype", None)
        if kind is not None and kind.kind == "i" and kind.itemsize == 4:
            note_lost(operands, kwargs)
        return value

    def note_lost(operands, kwargs):
        import numpy
        from numpy._core import _overflow

        # After the names of axes, or with the numbers of its axes behind each, and those of the result at the end.
        named = isinstance(operands[0], str)
        arrays = slice(1, None) if named else slice(0, len(operands) // 2 * 2, 2)
        operands = list(operands)
        operands[arrays] = [numpy.asarray(each, float) for each in operands[arrays]]
        kwargs = {name: value for name, value in kwargs.items() if name not in ("out", "dtype", "casting")}
        most = numpy.abs(einsum(*operands, **kwargs)).max(initial=0)
        if most > NARROW_MOST:
            _overflow.note()

    return call
