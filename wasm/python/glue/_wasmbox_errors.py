"""How exceptions are pickled: with what they were raised from, and also where their class takes other arguments than it hands on."""

from types import FunctionType

from _wasmbox_containers import fill

# Of which more is kept by what they are made of.
MADE = (
    AttributeError, BaseExceptionGroup, ImportError, NameError, OSError, StopAsyncIteration, StopIteration, SyntaxError, SystemExit, UnicodeError,
)
CHAIN = "__cause__", "__context__", "__suppress_context__"


def reduce_error(error):
    kind = type(error)
    chain = {name: getattr(error, name) for name in CHAIN}
    if is_by_arguments(kind):
        return error_of, (kind, error.args), (vars(error), chain, True), None, None, fill_error
    if error.__cause__ is None and error.__context__ is None:
        return NotImplemented
    reduced = error.__reduce_ex__(5)
    if type(reduced) is not tuple or len(reduced) > 3:
        return NotImplemented
    make, args, *state = reduced
    return make, args, (state[0] if state else None, chain, False), None, None, fill_error


def is_by_arguments(kind):
    """Whether pickle would make it of its arguments, which may be others than its class takes."""
    return (
        not issubclass(kind, MADE)
        and type(kind.__init__) is FunctionType
        and kind.__reduce__ is BaseException.__reduce__
        and kind.__setstate__ is BaseException.__setstate__
    )


def error_of(kind, args):
    return kind.__new__(kind, *args)


def fill_error(error, told):
    state, chain, by_fields = told
    if by_fields:
        fill(error, state)
    elif state:
        error.__setstate__(state)
    for name, value in chain.items():
        setattr(error, name, value)
