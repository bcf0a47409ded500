"""What programs have put into libraries: values in the place of theirs, entries of their tables, and classes that they are to
take for their abstract ones."""

import sys
from _abc import _get_dump
from abc import ABCMeta
from functools import _lru_cache_wrapper, partial
from types import (
    BuiltinFunctionType, ClassMethodDescriptorType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType,
    MethodType, ModuleType, NoneType, WrapperDescriptorType,
)

from _wasmbox_copies import is_own, is_own_module
from _wasmbox_left_behind import LeftBehind

# Where what wraps a function has it.
INNER = {
    classmethod: "__func__", _lru_cache_wrapper: "__wrapped__", MethodType: "__func__", partial: "func", property: "fget",
    staticmethod: "__func__",
}

# Of most of what libraries have: by such a value nobody tells whose it is.
ANYBODYS = {
    BuiltinFunctionType, ClassMethodDescriptorType, GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, ModuleType,
    NoneType, WrapperDescriptorType, bool, bytes, float, int, list, str, tuple,
}


def read_patches():
    """Each as what does it again, in which module, and in which of its classes, with what."""
    found = []
    for name, module in list(sys.modules.items()):
        if type(module) is not ModuleType or name.startswith("_wasmbox") or is_own_module(name, module):
            continue
        found += [(action, name, None, *args) for action, *args in patches_of(module, name)]
        for field, value in list(vars(module).items()):
            if isinstance(value, type) and value.__module__ == name:
                found += [(action, name, field, *args) for action, *args in (*patches_of(value, name), *registrations(value))]
    return [*found, *stand_ins(), *of_patchers()]


def patches_of(place, name):
    library = vars(sys.modules[name])
    for field, value in list(vars(place).items()):
        kind = type(value)
        if kind in ANYBODYS or kind is FunctionType and value.__globals__ is library:
            continue
        # sys has streams, and what was raised last.
        if is_of_program(value) or is_around(value, field) or name != "sys" and (is_own(kind.__module__) or is_mock(value)):
            yield setattr, field, value
        elif isinstance(value, dict) and not field.startswith("__"):
            for key, each in list(value.items()):
                if any(map(is_of_program, (each, *(key if type(key) is tuple else (key,))))):
                    yield set_entry, field, key, each


def stand_ins():
    """What a program has in the place of a module."""
    for name, value in list(sys.modules.items()):
        if not isinstance(value, ModuleType) and (is_own(type(value).__module__) or is_mock(value)):
            yield set_entry, "sys", None, "modules", name, value


def of_patchers():
    """What patchers of unittest.mock that were started have put into libraries: values of any kind."""
    for patcher in active_patchers():
        target, field = getattr(patcher, "target", None), getattr(patcher, "attribute", None)
        if type(target) is ModuleType and not is_own_module(target.__name__, target):
            place = target.__name__, None
        elif isinstance(target, type) and not is_own(target.__module__):
            place = target.__module__, target.__name__
        else:
            continue
        if hasattr(target, field):
            yield setattr, *place, field, getattr(target, field)


def active_patchers():
    mock = sys.modules.get("unittest.mock")
    return [] if mock is None else mock._patch._active_patches


def is_mock(value):
    mock = sys.modules.get("unittest.mock")
    return mock is not None and mock.NonCallableMock in type(value).__mro__


def registrations(kind):
    """Of a library's class with one of the program's; with one of a library's, which may have told that itself, by name."""
    for reference in _get_dump(kind)[0] if isinstance(kind, ABCMeta) else ():
        each = reference()
        if each is not None:
            yield (ABCMeta.register, each) if is_of_program(each) else (register_named, each.__module__, each.__qualname__)


def is_of_program(value):
    inner = INNER.get(type(value))
    value = value if inner is None else getattr(value, inner)
    return is_own_function(value) or isinstance(value, type) and is_own(value.__module__)


def is_around(value, field):
    """Whether it is a partial() of what it takes the place of, which may be of the C module that the library stands on."""
    return type(value) is partial and type(value.func) in (BuiltinFunctionType, FunctionType) and value.func.__name__ == field


def is_own_function(value):
    if type(value) is not FunctionType:
        return False
    name = value.__globals__.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    return module is not None and vars(module) is value.__globals__ and is_own_module(name, module)


def write_patches(patches):
    import importlib

    for action, module, kind, *args in patches:
        try:
            place = importlib.import_module(module)
            action(place if kind is None else getattr(place, kind), *args)
        except (ImportError, AttributeError, TypeError):
            # There is no such library here.
            pass


def lost_patches(patches):
    """Those of which no more than a stand-in has come along, by their places."""
    lost = []
    for action, module, kind, *args in patches:
        if type(args[-1]) is LeftBehind:
            names = [str(each) for each in (module, kind, *args[:-1]) if each is not None]
            lost.append(f"{'.'.join(names)} ({args[-1].kind})")
    return list(dict.fromkeys(lost))


def set_entry(place, field, key, value):
    table = getattr(place, field)
    if field not in vars(place):
        # Its base's.
        table = table.copy()
        setattr(place, field, table)
    table[key] = value


def register_named(kind, module, name):
    """Who has not imported it yet can hardly ask for it."""
    each = getattr(sys.modules.get(module), name, None)
    if isinstance(each, type):
        kind.register(each)
