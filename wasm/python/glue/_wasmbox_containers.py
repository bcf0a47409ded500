"""Objects of the program's own classes that are built-in containers and values. pickle has their classes make and fill them:
by an __init__ or __new__ that takes other arguments, by methods that want what is not there yet, or change what they are
given. Here the built-in type does."""

import collections

from _wasmbox_copies import is_own

CONTAINERS = collections.OrderedDict, collections.defaultdict, collections.Counter, dict, list, collections.deque, set
VALUES = {
    tuple: lambda value: tuple(tuple.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    int: int.__pos__,
    float: float.__pos__,
    complex: complex.__pos__,
}
# By which pickle makes and fills them.
MAKES = "__new__", "__init__", "__setitem__", "append", "extend", "update", "add"
# By which a class says itself how it is pickled.
SAYS = "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs_ex__"


def reducer_of(kind):
    """How objects of a class are reduced; None: as pickle does it."""
    base = next((each for each in (*CONTAINERS, *VALUES) if issubclass(kind, each)), None)
    if base in (None, kind) or not is_own(kind.__module__):
        return None
    if differs(kind, base, SAYS):
        return None
    if base in CONTAINERS:
        return reduce_container if differs(kind, base, MAKES) else None
    return reduce_value if is_programs(kind, "__new__") and not is_programs(kind, "__getnewargs__") else None


def differs(kind, base, names):
    return any(getattr(kind, name, None) is not getattr(base, name, None) for name in names)


def is_programs(kind, name):
    """Whether the program has written a method: collections has, for named tuples."""
    return is_own(getattr(getattr(kind, name, None), "__globals__", {}).get("__name__"))


def reduce_container(value):
    base = next(each for each in CONTAINERS if isinstance(value, each))
    if issubclass(base, dict):
        held = list((collections.OrderedDict if base is collections.OrderedDict else dict).items(value))
    else:
        held = list(base.__iter__(value))
    more = None
    if base is collections.defaultdict:
        more = base.default_factory.__get__(value)
    elif base is collections.deque:
        more = base.maxlen.__get__(value)
    return empty, (base, type(value)), (object.__getstate__(value), base, held, more), None, None, fill_container


def empty(base, kind):
    return base.__new__(kind)


def fill_container(value, state):
    fields, base, held, more = state
    fill(value, fields)
    if base is collections.OrderedDict:
        for name, each in held:
            base.__setitem__(value, name, each)
    elif base is collections.defaultdict:
        base.__init__(value, more, held)
    elif base is collections.deque:
        base.__init__(value, held, more)
    elif issubclass(base, dict):
        dict.update(value, held)
    else:
        (list.extend if base is list else set.update)(value, held)


def reduce_value(value):
    base = next(each for each in VALUES if isinstance(value, each))
    return value_of, (base, type(value), VALUES[base](value)), object.__getstate__(value), None, None, fill


def value_of(base, kind, plain):
    return base.__new__(kind, plain)


def fill(value, state):
    fields, slots = state if type(state) is tuple else (state, None)
    for name, each in {**(fields or {}), **(slots or {})}.items():
        object.__setattr__(value, name, each)
