"""What programs set beside their names, as far as it can be read and set again in another interpreter."""

import gc
import os
import random
import sys
import time
import types

import _wasmbox_bundled
from _wasmbox_copies import is_own_module


def settings(loaded=None):
    """What programs set beside names: how it is read, and how it is set. Of modules that are there, or in `loaded`."""
    modules = {
        "csv": (read_dialects, write_dialects),
        "decimal": (lambda: sys.modules["decimal"].getcontext(), lambda it: __import__("decimal").setcontext(it)),
        "logging": (read_loggers, write_loggers),
        "signal": (read_handlers, write_handlers),
        "socket": (lambda: sys.modules["socket"].getdefaulttimeout(), lambda it: __import__("socket").setdefaulttimeout(it)),
        "warnings": (lambda: sys.modules["warnings"].filters, set_filters),
    }
    found = {name: each for name, each in modules.items() if name in (sys.modules if loaded is None else loaded)}
    return {
        "environ": (lambda: dict(os.environ), set_environment),
        "zone": (lambda: time.tzname, lambda names: names == time.tzname or time.tzset()),
        "directory": (os.getcwd, os.chdir),
        "path": (lambda: sys.path, set_path),
        "argv": (lambda: sys.argv, lambda it: setattr(sys, "argv", it)),
        "recursion": (sys.getrecursionlimit, sys.setrecursionlimit),
        "umask": (read_umask, os.umask),
        "random": (random.getstate, random.setstate),
        "garbage": (gc.isenabled, lambda enabled: gc.enable() if enabled else gc.disable()),
        **found,
        "patches": (read_patches, write_patches),
    }


def set_environment(environment):
    backend = os.environ.get("MPLBACKEND")
    os.environ.clear()
    os.environ.update(environment)
    if backend is not None:
        os.environ.setdefault("MPLBACKEND", backend)


def set_path(path):
    sys.path[:] = [*path, *(each for each in sys.path if each not in path)]
    if _wasmbox_bundled.SCIENCE in sys.path:
        sys.path.remove(_wasmbox_bundled.SCIENCE)
        _wasmbox_bundled.place(_wasmbox_bundled.SCIENCE)


def read_umask():
    umask = os.umask(0o022)
    os.umask(umask)
    return umask


def set_filters(filters):
    import warnings

    warnings.filters[:] = [*filters, *(each for each in warnings.filters if each not in filters)]
    warnings._filters_mutated()


def read_loggers():
    logging = sys.modules["logging"]
    loggers = {"": logging.root, **logging.root.manager.loggerDict}
    return {
        name: (each.level, each.propagate, each.disabled, each.handlers, each.filters)
        for name, each in loggers.items()
        if isinstance(each, logging.Logger)
    }


def write_loggers(loggers):
    import logging

    for name, fields in loggers.items():
        each = logging.getLogger(name or None)
        each.level, each.propagate, each.disabled, each.handlers, each.filters = fields
    logging.root.manager._clear_cache()


def read_dialects():
    from _wasmbox_leftovers import dialect_of

    csv = sys.modules["csv"]
    return csv.field_size_limit(), {name: dialect_of(types.SimpleNamespace(dialect=csv.get_dialect(name))) for name in csv.list_dialects()}


def write_dialects(told):
    import csv

    limit, dialects = told
    csv.field_size_limit(limit)
    for name, fields in dialects.items():
        csv.register_dialect(name, **fields)


def read_handlers():
    signal = sys.modules["signal"]
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    return {number: each for number, each in handlers.items() if is_own_function(each)}


def write_handlers(handlers):
    import signal

    for number, handler in handlers.items():
        signal.signal(number, handler)


def read_patches():
    """Functions of the program's that it has put into libraries and their classes, in the place of theirs."""
    found = []
    for name, module in list(sys.modules.items()):
        if type(module) is not types.ModuleType or is_own_module(name, module):
            continue
        for field, value in list(vars(module).items()):
            if is_own_function(value):
                found.append((name, (field,), value))
            elif isinstance(value, type) and value.__module__ == name:
                found += [(name, (field, inner), each) for inner, each in list(vars(value).items()) if is_own_function(each)]
    return found


def write_patches(patches):
    import importlib

    for module, (*outer, field), function in patches:
        try:
            place = importlib.import_module(module)
            for name in outer:
                place = getattr(place, name)
            setattr(place, field, function)
        except (ImportError, AttributeError, TypeError):
            # There is no such library here.
            pass


def is_own_function(value):
    if type(value) is not types.FunctionType:
        return False
    name = value.__globals__.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    return module is not None and vars(module) is value.__globals__ and is_own_module(name, module)
