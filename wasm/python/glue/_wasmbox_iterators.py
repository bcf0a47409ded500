"""How what has its state in C is pickled, of functools, itertools and dicts: by what the garbage collector tells of it."""

import collections
import functools
import gc
import itertools


def reduce_key(key):
    """Of functools.cmp_to_key: what compares, and for what of a list it stands, if for any."""
    return key_of, tuple(parts(key))


def key_of(compare, *values):
    key = functools.cmp_to_key(compare)
    return key(*values) if values else key


def reduce_pairs(pairs):
    """What it has already taken comes before the rest. The last one is what it gives its pairs in."""
    rest, *taken, _ = parts(pairs)
    return pairs_of, (rest, taken)


def pairs_of(rest, taken):
    return itertools.pairwise(itertools.chain(taken, rest) if taken else rest)


def reduce_view(view):
    """Of a dict's keys, values or items, which go on to change with it."""
    (held,) = parts(view)
    return view_of, (held, type(view).__name__.rpartition("_")[2])


def view_of(held, name):
    kind = collections.OrderedDict if isinstance(held, collections.OrderedDict) else dict
    return getattr(kind, name)(held)


def parts(value):
    return [each for each in gc.get_referents(value) if each is not type(value)]


def reducers():
    views = [type(getattr(held, name)()) for held in ({}, collections.OrderedDict()) for name in ("keys", "values", "items")]
    return {type(functools.cmp_to_key(int)): reduce_key, itertools.pairwise: reduce_pairs, **dict.fromkeys(views, reduce_view)}
