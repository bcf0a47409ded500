"""repr with a bound that holds while it is made: showing a list of ten million numbers must not need gigabytes."""

from itertools import islice

# Deeper than that the interpreter's own repr takes over, with its own limit of recursion.
MAX_DEPTH = 30


def bounded_repr(value, limit):
    """repr(value), or at least its first `limit` + 1 characters where it is longer."""
    if type(value) not in TAKEN_APART:
        return repr(value)[: limit + 1]
    text = []
    length = 0
    for piece in pieces(value, limit, []):
        text.append(piece)
        length += len(piece)
        if length > limit:
            break
    return "".join(text)[: limit + 1]


def pieces(value, limit, parents):
    """The parts of repr(value), in order. Only exact builtin types are taken apart: others have a repr of their own."""
    kind = type(value)
    if kind is str or kind is bytes:
        # Cut to where it is too long for certain.
        yield repr(value[: limit + 1])
    elif kind not in BRACKETS or not value or len(parents) == MAX_DEPTH:
        yield repr(value)
    elif any(value is parent for parent in parents):
        yield RECURSIVE[kind]
    else:
        yield from container_pieces(value, limit, parents)


def container_pieces(value, limit, parents):
    kind = type(value)
    opening, closing = BRACKETS[kind]
    parents.append(value)
    separator = opening
    # An element takes at least one character: more than `limit` of them can't show. The copy lets reprs change `value`.
    if kind is dict:
        for key, item in list(islice(value.items(), limit + 1)):
            yield separator
            yield from pieces(key, limit, parents)
            yield ": "
            yield from pieces(item, limit, parents)
            separator = ", "
    else:
        for item in list(islice(value, limit + 1)):
            yield separator
            yield from pieces(item, limit, parents)
            separator = ", "
    parents.pop()
    yield ",)" if kind is tuple and len(value) == 1 else closing


BRACKETS = {
    dict: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    list: ("[", "]"),
    set: ("{", "}"),
    tuple: ("(", ")"),
}
RECURSIVE = {dict: "{...}", frozenset: "frozenset(...)", list: "[...]", set: "set(...)", tuple: "(...)"}
TAKEN_APART = {str, bytes, *BRACKETS}
