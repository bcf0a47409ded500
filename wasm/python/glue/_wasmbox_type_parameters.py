"""Aliases and variables of types, as the statements of Python 3.12 make them: what they stand for is only looked at when it is
asked for, and may refer to themselves."""

import typing

from _wasmbox_copies import is_own

PREFIXES = {typing.TypeVar: "", typing.TypeVarTuple: "*", typing.ParamSpec: "**"}

# While they are pickled: by id, which parameter of which alias a variable is.
owners = {}
# While they are made: by id, where an alias or a variable finds what it stands for.
pending = {}


def reduce_alias(alias):
    """One of a library's is known by its name."""
    if not is_own(alias.__module__):
        return alias.__reduce__()
    kinds = [(PREFIXES[type(each)], each.__name__) for each in alias.__type_params__]
    for number, each in enumerate(alias.__type_params__):
        owners[id(each)] = alias, number
    return alias_of, (alias.__name__, alias.__module__, kinds), alias.__value__, None, None, tell


def alias_of(name, module, kinds):
    parameters = ", ".join(f"{prefix}{each}" for prefix, each in kinds)
    # `type` takes the name of its module from where it stands.
    held, scope = [], {"__name__": module}
    exec(f"def make(held):\n type {name}{parameters and f'[{parameters}]'} = held[0]\n return {name}", scope)
    return waiting_for(scope["make"](held), held)


def reduce_variable(variable):
    if id(variable) in owners:
        return parameter_of, owners[id(variable)]
    # Those of statements say that they are of `typing`.
    if not variable.__infer_variance__ and not is_own(variable.__module__):
        return NotImplemented
    if variable.__infer_variance__:
        has = variable.__bound__ is not None, len(variable.__constraints__), variable.has_default()
        told = variable.__constraints__ or variable.__bound__, variable.__default__
        return inferred, (variable.__name__, *has), told, None, None, tell
    how = {
        "bound": variable.__bound__,
        "covariant": variable.__covariant__,
        "contravariant": variable.__contravariant__,
    }
    if variable.has_default():
        how["default"] = variable.__default__
    return variable_of, (variable.__name__, variable.__constraints__, how, variable.__module__)


def parameter_of(alias, number):
    return alias.__type_params__[number]


def variable_of(name, constraints, how, module):
    variable = typing.TypeVar(name, *constraints, **how)
    variable.__module__ = module
    return variable


def inferred(name, has_bound, constraints, has_default):
    told = ", ".join(f"held[0][0][{number}]" for number in range(constraints))
    bound = f": ({told})" if told else ": held[0][0]" if has_bound else ""
    held, scope = [], {}
    exec(f"def make(held):\n def of[{name}{bound}{' = held[0][1]' if has_default else ''}](): pass\n return of", scope)
    return waiting_for(scope["make"](held).__type_params__[0], held)


def waiting_for(made, held):
    pending[id(made)] = made, held
    return made


def tell(made, told):
    pending.pop(id(made))[1].append(told)
