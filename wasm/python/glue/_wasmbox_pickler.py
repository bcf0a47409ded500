"""Pickles what a session has made for another interpreter, where it is to be the same: also what pickle refuses, but for
what would be lost."""

import functools
import io
import sys
import types

from _wasmbox_assignments import assigned
from _wasmbox_begun import begin, call_of
from _wasmbox_caches import cached_function, counts, remembered, tell
from _wasmbox_classes import reduce_class
from _wasmbox_leftovers import REDUCERS
from _wasmbox_locks import Lock, RLock
from _wasmbox_own_modules import before_library, make_room_for
from _wasmbox_patches import is_of_program
from _wasmbox_reducers import further, reducers
from _wasmbox_settings import FIELDS

BUNDLED = "/usr/lib/python3.13/bundled.zip"
STREAMS = "stdin", "stdout", "stderr"
FUNCTIONS = types.FunctionType, types.BuiltinFunctionType, functools._lru_cache_wrapper
# Of which cloudpickle may make more than pickle does, or this module.
BY_CLOUDPICKLE = types.FunctionType, types.ModuleType, types.BuiltinFunctionType, functools._lru_cache_wrapper, Lock, RLock


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

    make_room_for(name.partition(".")[0], before_library())
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


def reduce_cell(cell):
    """It is there before what it holds, which may be the function whose cell it is."""
    try:
        return new_cell, (), (cell.cell_contents,), None, None, fill_cell
    except ValueError:
        return new_cell, ()


def new_cell():
    return types.CellType()


def fill_cell(cell, state):
    (cell.cell_contents,) = state


def in_library(module, name):
    import importlib

    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def stream(name):
    return getattr(sys, name)


@functools.cache
def pickler():
    """The class of picklers; what it stands on is not part of every session's heap."""
    path, sys.path = sys.path, [each for each in (*sys.path, BUNDLED) if str(each).startswith("/usr/lib/")]
    try:
        import cloudpickle.cloudpickle as base
    finally:
        sys.path = path

    class Pickler(base.Pickler):
        def __init__(self, file, names, calls):
            super().__init__(file, protocol=5)
            self.names = names
            # By id, of cached functions: what of their calls can go.
            self.calls = calls
            self.namespaces = {id(vars(sys.modules[name])): name for name in names}
            self.streams = {id(getattr(sys, name)): name for name in STREAMS}
            self.reducers = {types.CellType: reduce_cell, **REDUCERS, **reducers()}
            self.constants = {}
            self.sentinels = None
            # Types whose objects pickle needs no help with: there may be very many.
            self.ordinary = set()
            self.kinds_of_streams = {type(getattr(sys, name)) for name in STREAMS}

        def reducer_override(self, value):
            kind = type(value)
            if kind in self.ordinary:
                return NotImplemented
            if id(value) in self.streams:
                return stream, (self.streams[id(value)],)
            if kind is types.ModuleType and id(vars(value)) in self.namespaces:
                return module_of, (value.__name__,)
            if kind is types.GeneratorType and (call := call_of(value)) is not None and self.can_go(call):
                return begin, call
            if kind in self.reducers:
                reduced = self.reducers[kind](value)
                if reduced is None:
                    # cloudpickle would make something else of some of them.
                    raise TypeError(f"cannot pickle {kind.__name__!r} object")
                return reduced
            reduce = further(kind)
            if reduce is not None:
                self.reducers[kind] = reduce
                return reduce(value)
            if kind is object and self.sentinel(value):
                return in_library, self.sentinel(value)
            if kind is functools._lru_cache_wrapper and self.is_own(value.__wrapped__):
                told = without_wrapped(value), self.calls_of(value), counts(value)
                return cached_function, (value.__wrapped__, value.cache_parameters()), told, None, None, tell
            if kind in (Lock, RLock) and "<unlocked" in repr(value):
                return kind, ()
            if (kind in FUNCTIONS or issubclass(kind, type)) and self.is_replaced(value):
                return in_library, self.place_of(value)
            constants = self.constants_of(kind.__module__)
            if id(value) in constants:
                return in_library, (kind.__module__, constants[id(value)])
            if issubclass(kind, type) and value.__module__ != "builtins" and not base._should_pickle_by_reference(value):
                return reduce_class(value, base)
            special = kind in self.kinds_of_streams or issubclass(kind, (type, *BY_CLOUDPICKLE))
            if not constants and type(kind) is type and not special:
                self.ordinary.add(kind)
                return NotImplemented
            return super().reducer_override(value)

        def calls_of(self, cached):
            if id(cached) not in self.calls:
                # That they lead to it again is no matter.
                self.calls[id(cached)] = []
                calls = remembered(cached)
                self.calls[id(cached)] = calls if self.can_go(calls) else [each for each in calls if self.can_go(each)]
            return self.calls[id(cached)]

        def can_go(self, value):
            try:
                with io.BytesIO() as file:
                    type(self)(file, self.names, self.calls).dump(value)
                return True
            except Exception:
                return False

        def is_own(self, function):
            return id(getattr(function, "__globals__", None)) in self.namespaces

        def constants_of(self, module):
            """By id: what a library's module has as a value of one of its own types. Others may compare it by identity."""
            if type(module) is not str:
                return {}
            if module not in self.constants:
                fields = vars(sys.modules[module]) if module in sys.modules else {}
                own = id(fields) in self.namespaces
                told = FIELDS.get(module, ())
                self.constants[module] = {} if own else {
                    id(value): name
                    for name, value in reversed(fields.items())
                    if type(value).__module__ == module and name not in told and not is_of_program(value)
                    and (module, (name,)) not in assigned
                }
            return self.constants[module]

        def sentinel(self, value):
            """Where a library has an object that is nothing but itself."""
            if self.sentinels is None:
                self.sentinels = {
                    id(each): (name, field)
                    for name, module in list(sys.modules.items())
                    for field, each in list(getattr(module, "__dict__", {}).items())
                    if type(each) is object and id(vars(module)) not in self.namespaces
                }
            return self.sentinels.get(id(value))

        def is_replaced(self, value):
            """Whether the library that it is of has something else of its name: by a program, or for threads."""
            name, module = getattr(value, "__qualname__", "<none>"), sys.modules.get(value.__module__)
            if "<" in name or module is None or id(vars(module)) in self.namespaces:
                return False
            if type(value) is types.FunctionType and value.__globals__ is not vars(module):
                return False
            try:
                return functools.reduce(getattr, name.split("."), module) is not value
            except AttributeError:
                return False

        def place_of(self, value):
            """A library that still has what was replaced where it comes from, and the name there; or that place, where it is
            before a program has replaced it."""
            for name, module in list(sys.modules.items()):
                fields = getattr(module, "__dict__", {})
                if id(fields) in self.namespaces:
                    continue
                for field, each in list(fields.items()):
                    if each is value:
                        return name, field
            return value.__module__, value.__qualname__

        def _dynamic_function_reduce(self, function):
            make, (code, namespace, *rest, _), (state, slots), *_ = super()._dynamic_function_reduce(function)
            # Made with its cells: filling others would be to take them from the functions that it shares them with.
            slots["__closure__"] = None
            if self.is_own(function):
                namespace = Namespace(self.namespaces[id(function.__globals__)])
                slots["__globals__"] = {}
                slots["__type_params__"] = function.__type_params__
            made_of = code, namespace, *rest, function.__closure__
            return make, made_of, (state, slots), None, None, base._function_setstate

    return base, Pickler


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
            Pickler(file, names, {}).dump(value)
            return file.getvalue()
    finally:
        for module in modules:
            if module.__name__ not in registered:
                base.unregister_pickle_by_value(module)


