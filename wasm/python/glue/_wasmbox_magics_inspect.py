"""Magics that look: `name?`, %who and %whos."""

import inspect
from types import ModuleType

from _wasmbox_repr import bounded_repr

MAX_VALUE = 60


def visible(name, variables):
    """Whether a name is one of the program's own variables."""
    return name in variables and not name.startswith("_")


def pinfo(text, scope):
    """What a name stands for: signature, text of its documentation."""
    name, *attributes = text.split(".")
    found = eval(name, scope)
    for attribute in attributes:
        found = getattr(found, attribute)
    try:
        print(f"Signature: {text}{inspect.signature(found)}")
    except (TypeError, ValueError):
        print(f"Value:     {bounded_repr(found, 200)[:200]}")
    print(f"Type:      {type(found).__name__}")
    documentation = inspect.getdoc(found)
    if documentation:
        print(f"\n{documentation}")


def pinfo2(text, scope):
    """The source text of what a name stands for, where there is one."""
    try:
        print(inspect.getsource(eval(text, scope)), end="")
    except (OSError, TypeError):
        pinfo(text, scope)


def list_names(variables):
    names = sorted(name for name in variables if visible(name, variables))
    print("   ".join(names) if names else "There are no variables.")


def table_of_names(variables):
    names = sorted(name for name in variables if visible(name, variables))
    width = max(map(len, ["Variable", *names]))
    print(f"{'Variable':{width}}  {'Type':16}  Value")
    for name in names:
        value = variables[name]
        shown = value.__name__ if isinstance(value, ModuleType) else bounded_repr(value, MAX_VALUE)
        shown = shown if len(shown) <= MAX_VALUE else shown[:MAX_VALUE] + "…"
        print(f"{name:{width}}  {type(value).__name__:16}  {shown}".replace("\n", " "))
