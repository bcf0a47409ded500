"""The variables of a session in short, for people who look at it.

Nothing of the program's is called, no repr and no property: only exact types of the interpreter's own, and some well-known
ones, say more than what they are.
"""

import os
import sys
from itertools import islice
from types import BuiltinFunctionType, FunctionType, ModuleType

from _json import encode_basestring_ascii as quote

# Of names, and of characters of a value; elements of a container, and how deep they are looked into.
MAX_NAMES = 100
MAX_VALUE = 120
MAX_ELEMENTS = 12
MAX_DEPTH = 2
MAX_BITS = 400

BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), dict: "{}"}
NUMBERS = {type(None), bool, float, complex, type(...)}
name_of = type.__dict__["__name__"].__get__


def show(namespace):
    """Prints them as JSON: how many there are, and `[name, type, value]` of the first."""
    names = sorted(
        name
        for name, value in namespace.items()
        if type(name) is str and name[:1] != "_" and not issubclass(type(value), ModuleType)
    )
    rows = (
        "[%s,%s,%s]" % (quote(name[:MAX_VALUE]), quote(name_of(type(value))[:MAX_VALUE]), quote(short(value)))
        for name in names[:MAX_NAMES]
        for value in [namespace[name]]
    )
    text = "[%d,[%s]]" % (len(names), ",".join(rows))
    written = 0
    data = text.encode()
    while written < len(data):
        written += os.write(1, data[written:])


def short(value):
    text = shown(value, 0)
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…"


def shown(value, depth):
    kind = type(value)
    if kind is int:
        return repr(value) if value.bit_length() <= MAX_BITS else f"{value.bit_length()} bits"
    if kind in NUMBERS:
        return repr(value)
    if kind is str or kind is bytes:
        return repr(value[:MAX_VALUE])
    if kind in BRACKETS:
        return container(value, kind, depth)
    if kind is FunctionType:
        code = value.__code__
        return "(%s)" % ", ".join(code.co_varnames[: code.co_argcount])
    if kind is BuiltinFunctionType or depth:
        return name_of(kind)
    return known(value, kind)


def container(value, kind, depth):
    opening, closing = BRACKETS[kind]
    if depth == MAX_DEPTH:
        return f"{opening}…{closing}"
    if kind is dict:
        first = islice(value.items(), MAX_ELEMENTS)
        elements = [f"{shown(key, depth + 1)}: {shown(item, depth + 1)}" for key, item in first]
    else:
        elements = [shown(item, depth + 1) for item in islice(value, MAX_ELEMENTS)]
    more = ["…"] if len(value) > MAX_ELEMENTS else []
    tail = "," if kind is tuple and len(value) == 1 else ""
    counted = f" ({len(value)})" if more else ""
    return opening + ", ".join(elements + more) + tail + closing + counted


def known(value, kind):
    """Of what others have made, if it is well known and has a size."""
    if kind is type:
        return "class"
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy and kind is numpy.ndarray:
        return f"{' × '.join(map(str, value.shape))} of {value.dtype}"[:MAX_VALUE]
    if pandas and kind is pandas.DataFrame:
        return f"{len(value.index)} rows × {len(value.columns)} columns"
    if pandas and kind is pandas.Series:
        return f"{len(value.index)} rows"
    return ""
