"""What programs set beside their names, as far as it can be read and set again in another interpreter."""

import builtins
import codecs
import gc
import os
import posix
import random
import sys
import time
import types

import _wasmbox_bundled
import _wasmbox_codecs
from _wasmbox_hooks import read_hooks, read_parts, write_hooks, write_parts
from _wasmbox_patches import active_patchers, is_of_program, is_own_function, read_patches, write_patches

# What modules keep of what programs tell them, by the names of their variables.
FIELDS = {
    "http.client": ("_MAXHEADERS", "_MAXLINE"),
    "logging": ("_levelToName", "_nameToLevel", "raiseExceptions"),
    "shutil": ("_ARCHIVE_FORMATS", "_UNPACK_FORMATS"),
    "sys": ("dont_write_bytecode", "tracebacklimit"),
    "tempfile": ("tempdir",),
    "urllib.request": ("_opener",),
    "xml.etree.ElementTree": ("_namespace_map",),
}

# What makes them a tree.
OF_LOGGERS = "_cache", "manager", "name", "parent", "root"


def settings(loaded=None):
    """What programs set beside names: how it is read, and how it is set. Of modules that are there, or in `loaded`."""
    modules = {
        "calendar": (lambda: sys.modules["calendar"].firstweekday(), lambda it: __import__("calendar").setfirstweekday(it)),
        "csv": (read_dialects, write_dialects),
        "decimal": (lambda: sys.modules["decimal"].getcontext(), lambda it: __import__("decimal").setcontext(it)),
        "logging": (read_loggers, write_loggers),
        "mimetypes": (read_types, write_types),
        "signal": (read_handlers, write_handlers),
        "socket": (lambda: sys.modules["socket"].getdefaulttimeout(), lambda it: __import__("socket").setdefaulttimeout(it)),
        "unittest.mock": (active_patchers, lambda it: active_patchers().extend(it)),
        "warnings": (lambda: sys.modules["warnings"].filters, set_filters),
    }
    found = {name: each for name, each in modules.items() if name in (sys.modules if loaded is None else loaded)}
    return {
        "environ": (lambda: dict(os.environ), set_environment),
        "zone": (lambda: time.tzname, lambda names: names == time.tzname or time.tzset()),
        # Of a program that has put something in the place of os.getcwd.
        "directory": (posix.getcwd, posix.chdir),
        "path": (lambda: sys.path, set_path),
        "argv": (lambda: sys.argv, lambda it: setattr(sys, "argv", it)),
        "recursion": (sys.getrecursionlimit, sys.setrecursionlimit),
        "switching": (sys.getswitchinterval, sys.setswitchinterval),
        "digits": (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
        "umask": (read_umask, os.umask),
        "random": (random.getstate, random.setstate),
        "garbage": (read_garbage, write_garbage),
        "hooks": (read_hooks, write_hooks),
        "codecs": (read_codecs, write_codecs),
        "parts": (read_parts, write_parts),
        "builtins": (read_builtins, write_builtins),
        **found,
        "fields": (read_fields, write_fields),
        "patches": (read_patches, write_patches),
    }


def read_fields():
    return {
        module: {name: vars(sys.modules[module])[name] for name in names if name in vars(sys.modules[module])}
        for module, names in FIELDS.items() if module in sys.modules
    }


def write_fields(fields):
    import importlib

    for module, told in fields.items():
        vars(importlib.import_module(module)).update(told)


def read_builtins():
    """What a program has added to them, and what looks like that: where a name is there already, it stays."""
    kinds = (type, types.BuiltinFunctionType, types.FunctionType)
    return {
        name: value for name, value in vars(builtins).items()
        if not name.startswith("_") and type(value) not in kinds and type(value).__module__ != "_sitebuiltins"
    }


def write_builtins(told):
    for name, value in told.items():
        vars(builtins).setdefault(name, value)


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


def read_garbage():
    """Those of its callbacks that are the program's."""
    return gc.isenabled(), gc.get_threshold(), [each for each in gc.callbacks if is_of_program(each)]


def write_garbage(told):
    enabled, thresholds, callbacks = told
    gc.set_threshold(*thresholds)
    gc.callbacks += callbacks
    if enabled:
        gc.enable()
    else:
        gc.disable()


def set_filters(filters):
    import warnings

    warnings.filters[:] = [*filters, *(each for each in warnings.filters if each not in filters)]
    warnings._filters_mutated()


def read_loggers():
    logging = sys.modules["logging"]
    loggers = {"": logging.root, **logging.root.manager.loggerDict}
    return logging.root.manager.disable, logging._warnings_showwarning is not None, {
        name: (type(each), {field: value for field, value in vars(each).items() if field not in OF_LOGGERS})
        for name, each in loggers.items()
        if isinstance(each, logging.Logger)
    }


def write_loggers(told):
    import logging

    disabled, captures, loggers = told
    logging.disable(disabled)
    logging.captureWarnings(captures)
    for name, (kind, fields) in loggers.items():
        each = logging.getLogger(name or None)
        each.__class__ = kind
        vars(each).update(fields)
    logging.root.manager._clear_cache()


def read_dialects():
    from _wasmbox_csv import dialect_of

    csv = sys.modules["csv"]
    return csv.field_size_limit(), {name: dialect_of(types.SimpleNamespace(dialect=csv.get_dialect(name))) for name in csv.list_dialects()}


def write_dialects(told):
    import csv

    limit, dialects = told
    csv.field_size_limit(limit)
    for name, fields in dialects.items():
        csv.register_dialect(name, **fields)


def read_types():
    mimetypes = sys.modules["mimetypes"]
    names = "types_map", "encodings_map", "suffix_map", "common_types"
    return mimetypes.inited and (vars(mimetypes._db), {name: vars(mimetypes)[name] for name in names})


def write_types(told):
    import mimetypes

    if told:
        mimetypes.init()
        vars(mimetypes._db).update(told[0])
        vars(mimetypes).update(told[1])


def read_codecs():
    """The program's own."""
    handlers = {name: each for name, each in _wasmbox_codecs.handlers.items() if is_own_function(each)}
    return handlers, [each for each in _wasmbox_codecs.searches if is_own_function(each)]


def write_codecs(told):
    handlers, searches = told
    for name, handler in handlers.items():
        codecs.register_error(name, handler)
    for each in searches:
        codecs.register(each)


def read_handlers():
    signal = sys.modules["signal"]
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    return {number: each for number, each in handlers.items() if is_own_function(each)}


def write_handlers(handlers):
    import signal

    for number, handler in handlers.items():
        signal.signal(number, handler)
