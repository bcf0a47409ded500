"""Takes what a session has made from the interpreter that it lives in to another one.

Names, and the modules that are the session's own, go along by value: functions and classes too, with the very namespaces
that they belong to. Modules of libraries are imported afresh. What can't be pickled keeps the session where it is.
"""

import functools
import io
import linecache
import os
import random
import sys
import types

import _wasmbox_asyncio
import _wasmbox_results
import _wasmbox_scheduler
from _wasmbox_locks import Lock, RLock

# Where libraries are: what their modules hold is made again by importing them.
LIBRARIES = ("/usr/lib/", "/opt/python/")
BUNDLED = "/usr/lib/python3.13/bundled.zip"
# What an interpreter gives to each module, and not a program.
MODULE_FIELDS = ("__builtins__", "__loader__", "__spec__", "__cached__", "__doc__", "__name__", "__package__")
STREAMS = "stdin", "stdout", "stderr"
# Names that are told when they can't go.
MAX_TOLD = 5


class Stays(Exception):
    """The session can't leave. Its message says for what."""


def depart(sources):
    """All that the session has made, pickled. `sources`: file names of programs. Raises Stays."""
    if _wasmbox_scheduler.waiting:
        raise Stays("a thread waits")
    loop = _wasmbox_asyncio.session_loop
    if loop is not None and not loop.is_closed() and _wasmbox_asyncio.asyncio.all_tasks(loop):
        raise Stays("a task of asyncio waits")
    names = own_modules()
    state = {
        "modules": {name: fields_of(sys.modules[name]) for name in names},
        "results": _wasmbox_results.results,
        "settings": {name: read() for name, (read, _) in settings().items()},
        "sources": {name: "".join(linecache.getlines(name)) for name in sources},
    }
    try:
        return pickled(state, names)
    except MemoryError:
        raise Stays("there is no memory to take its variables along") from None
    except Exception as error:
        raise Stays(culprits(state, names) or f"{type(error).__name__}: {error}"[:300]) from None


def arrive(data):
    """Takes in what `depart` gave. Returns the sources of earlier programs."""
    import pickle

    pickler()  # or a module of the program's own might be taken for it
    builtins = vars(sys.modules["__main__"])["__builtins__"]
    state = pickle.loads(data)
    for name, fields in state["modules"].items():
        namespace_of(name).update(fields)
        namespace_of(name)["__builtins__"] = builtins
    _wasmbox_results.results[:] = state["results"]
    for name, (_, write) in settings(loaded=state["settings"]).items():
        write(state["settings"][name])
    return state["sources"]


def own_modules():
    """Of sys.modules, those that are the session's own."""
    found = ["__main__"]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if type(module) is types.ModuleType and type(file) is str and not file.startswith(LIBRARIES):
            found.append(name)
    return list(dict.fromkeys(found))


def fields_of(module):
    fields = {name: value for name, value in vars(module).items() if name not in MODULE_FIELDS}
    return {name: Namespace(module.__name__) if value is vars(module) else value for name, value in fields.items()}


class Namespace:
    """Stands for what a module of the session holds."""

    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return namespace_of, (self.name,)


def namespace_of(name):
    return vars(module_of(name))


def module_of(name):
    """A module of the session's own: empty, and with a spec, if it has not come yet."""
    from importlib.util import find_spec, module_from_spec

    if name not in sys.modules:
        parent, _, child = name.rpartition(".")
        package = module_of(parent) if parent else None
        try:
            sys.modules[name] = module_from_spec(find_spec(name))
        except (ImportError, AttributeError, ValueError):
            # Its file is gone.
            sys.modules[name] = types.ModuleType(name)
        if package is not None:
            setattr(package, child, sys.modules[name])
    return sys.modules[name]


def in_library(module, name):
    import importlib

    return getattr(importlib.import_module(module), name)


def stream(name):
    return getattr(sys, name)


def cached_function(function, parameters, fields):
    made = functools.lru_cache(**parameters)(function)
    vars(made).update(fields)
    return made


@functools.cache
def pickler():
    """The class of picklers; what it stands on is not part of every session's heap."""
    path, sys.path = sys.path, [each for each in (*sys.path, BUNDLED) if str(each).startswith("/usr/lib/")]
    try:
        import cloudpickle.cloudpickle as base
    finally:
        sys.path = path

    class Pickler(base.Pickler):
        def __init__(self, file, names):
            super().__init__(file, protocol=5)
            self.namespaces = {id(vars(sys.modules[name])): name for name in names}
            self.streams = {id(getattr(sys, name)): name for name in STREAMS}
            self.constants = {}

        def reducer_override(self, value):
            kind = type(value)
            if id(value) in self.streams:
                return stream, (self.streams[id(value)],)
            if kind is types.ModuleType and id(vars(value)) in self.namespaces:
                return module_of, (value.__name__,)
            if kind in (memoryview, io.TextIOWrapper):
                # cloudpickle would make something else of it.
                raise TypeError(f"cannot pickle {kind.__name__!r} object")
            if kind is functools._lru_cache_wrapper and self.is_own(value.__wrapped__):
                return cached_function, (value.__wrapped__, value.cache_parameters(), without_wrapped(value))
            if kind in (Lock, RLock) and "<unlocked" in repr(value):
                return kind, ()
            if kind is types.BuiltinFunctionType and replaced(value):
                return in_library, self.place_of(value)
            constant = self.constants_of(kind.__module__).get(id(value))
            if constant is not None:
                return in_library, (kind.__module__, constant)
            return super().reducer_override(value)

        def is_own(self, function):
            return id(getattr(function, "__globals__", None)) in self.namespaces

        def constants_of(self, module):
            """By id: what a library's module has as a value of one of its own types. Others may compare it by identity."""
            if type(module) is not str:
                return {}
            if module not in self.constants:
                fields = vars(sys.modules[module]) if module in sys.modules else {}
                own = id(fields) in self.namespaces
                self.constants[module] = {} if own else {
                    id(value): name for name, value in fields.items() if type(value).__module__ == module
                }
            return self.constants[module]

        @staticmethod
        def place_of(function):
            """A module that still has what was replaced where it comes from, and the name there."""
            for name, module in list(sys.modules.items()):
                for field, value in list(getattr(module, "__dict__", {}).items()):
                    if value is function:
                        return name, field
            raise TypeError(f"cannot pickle {function.__name__!r}")

        def _dynamic_function_reduce(self, function):
            if not self.is_own(function):
                return super()._dynamic_function_reduce(function)
            make, (code, _, *rest), (state, slots), *_ = super()._dynamic_function_reduce(function)
            namespace = Namespace(self.namespaces[id(function.__globals__)])
            slots["__globals__"] = {}
            return make, (code, namespace, *rest), (state, slots), None, None, base._function_setstate

    return base, Pickler


def replaced(function):
    """Whether its module has another one of its name: some of those of threads are."""
    module = sys.modules.get(function.__module__)
    return module is not None and getattr(module, function.__name__, function) is not function


def without_wrapped(function):
    return {name: value for name, value in vars(function).items() if name != "__wrapped__"}


def pickled(value, names):
    base, Pickler = pickler()
    modules = [sys.modules[name] for name in names if name != "__main__"]
    registered = base.list_registry_pickle_by_value()
    for module in modules:
        base.register_pickle_by_value(module)
    try:
        with io.BytesIO() as file:
            Pickler(file, names).dump(value)
            return file.getvalue()
    finally:
        for module in modules:
            if module.__name__ not in registered:
                base.unregister_pickle_by_value(module)


def culprits(state, names):
    """What of the session's names can't go, and of which types they are."""
    found = []
    for module, fields in state["modules"].items():
        for name, value in fields.items():
            try:
                pickled(value, names)
            except Exception:
                path = name if module == "__main__" else f"{module}.{name}"
                found.append(f"{path} ({type(value).__name__})"[:100])
    more = f" and {len(found) - MAX_TOLD} more" if len(found) > MAX_TOLD else ""
    return ", ".join(found[:MAX_TOLD]) + more


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
