"""What programs set beside their names, as far as it can be read and set again in another interpreter."""

import os
import random
import sys

import _wasmbox_bundled


def settings(loaded=None):
    """What programs set beside names: how it is read, and how it is set. Of modules that are there, or in `loaded`."""
    modules = {
        "decimal": (lambda: sys.modules["decimal"].getcontext(), lambda it: __import__("decimal").setcontext(it)),
        "logging": (read_loggers, write_loggers),
        "warnings": (lambda: sys.modules["warnings"].filters, set_filters),
    }
    found = {name: each for name, each in modules.items() if name in (sys.modules if loaded is None else loaded)}
    return {
        "environ": (lambda: dict(os.environ), set_environment),
        "directory": (os.getcwd, os.chdir),
        "path": (lambda: sys.path, set_path),
        "argv": (lambda: sys.argv, lambda it: setattr(sys, "argv", it)),
        "recursion": (sys.getrecursionlimit, sys.setrecursionlimit),
        "umask": (read_umask, os.umask),
        "random": (random.getstate, random.setstate),
        **found,
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
