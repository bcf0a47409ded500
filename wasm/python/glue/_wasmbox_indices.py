"""Indices as programs see them (science/indices.c): what pandas gives a program, what scipy keeps, and what einsum loses."""

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
    },
    "core.indexes.datetimes.DatetimeIndex": {"indexer_at_time": "ALL", "indexer_between_time": "ALL"},
    "core.indexes.interval.IntervalIndex": {"get_indexer_non_unique": "ALL"},
    "core.indexes.multi.MultiIndex": {"argsort": "ALL"},
    "core.indexes.range.RangeIndex": {"argsort": "ALL", "factorize": "FIRST", "sort_values": "REST"},
    "core.arrays.base.ExtensionArray": {
        "argsort": "ALL",
        "argmax": "ALL",
        "argmin": "ALL",
        "factorize": "FIRST",
        "searchsorted": "ALL",
    },
}
NARROW_MOST = 2**31 - 1


def widen():
    """Called while pandas is imported, by itself."""
    from numpy._core import _indices

    pandas = sys.modules["pandas"]
    # It tells by their files which frames are its own, to find those that its warnings are about.
    filename = os.path.join(os.path.dirname(pandas.__file__), "_indices.py")
    for path, names in OF_PANDAS.items():
        place = pandas
        for name in filter(None, path.split(".")):
            place = getattr(place, name)
        for name, parts in names.items():
            setattr(place, name, widened(vars(place)[name], _indices.widened, getattr(_indices, parts), filename))


def widened(function, widen, parts, filename):
    caller = sys._getframe

    def call(*args, **kwargs):
        return widen(function(*args, **kwargs), caller(1).f_globals, parts)

    call.__code__ = call.__code__.replace(co_filename=filename)
    return wraps(function)(call)


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
