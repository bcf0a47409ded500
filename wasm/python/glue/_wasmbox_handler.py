"""Calls a program's `handler(event)` or `handler(event, context)`, and says what it returned in JSON."""

import asyncio
import inspect
from _json import encode_basestring_ascii, make_encoder
from time import monotonic

# Bytes of UTF-8 to characters of ASCII, all of them escaped.
ESCAPED = 6

MISSING = (
    "the program defines no function handler: with an event it must define handler(event) or handler(event, context)"
)


class Context:
    """What a handler may know of its invocation; its fields are those of the request."""

    def __init__(self, fields, deadline):
        self.__dict__.update(fields)
        self.__deadline = deadline

    def get_remaining_time_in_millis(self):
        return max(0, int((self.__deadline - monotonic()) * 1000))

    def __repr__(self):
        fields = (f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"Context({', '.join(fields)})"


def call_handler(handler, call, began, scan):
    """JSON of what `handler` returns for a call of the request. `began`: when the execution did, by monotonic()."""
    if not callable(handler):
        raise NameError(MISSING, name="handler")
    event, _ = scan(call["event"], 0)
    fields, _ = scan(call["context"], 0)
    args = event, Context(fields, began + call["timeoutMs"] / 1000)
    returned = handler(*args) if takes_context(handler) else handler(event)
    if inspect.isawaitable(returned):
        returned = asyncio.run(outcome_of(returned))
    return to_json(returned, call["limit"])


def takes_context(handler):
    try:
        signature = inspect.signature(handler)
    except (TypeError, ValueError):
        # Written in C.
        return True
    try:
        signature.bind(None, None)
    except TypeError:
        return False
    return True


async def outcome_of(awaitable):
    return await awaitable


def to_json(value, limit):
    encode = make_encoder({}, refuse, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    try:
        text = "".join(encode(value, 0))
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"what handler returned is not JSON: {error}") from None
    except RecursionError:
        raise ValueError("what handler returned is nested too deeply") from None
    if len(text) > ESCAPED * limit:
        raise ValueError(f"what handler returned is longer in JSON than the {limit} bytes that are allowed")
    return text


def refuse(value):
    raise TypeError(f"it contains an object of type {type(value).__name__}")
