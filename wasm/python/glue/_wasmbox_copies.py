"""Copies of values, as processes elsewhere have them of what they begin with, are given and give back: by pickle. What
pickle has no way for, and what processes share, goes along as it is."""

import copyreg
import io
import pickle
import sys
from types import FunctionType, ModuleType

# Of these there is nothing to copy.
ATOMS = {type(None), bool, int, float, complex, str, bytes, type(Ellipsis)}
AS_THEY_ARE = {*ATOMS, type, object, ModuleType, FunctionType, type(len)}
# Whose objects belong to the program as a whole, or are how processes speak to each other.
SHARED = {
    "_asyncio", "_contextvars", "_io", "_queue", "_socket", "_sqlite3", "_thread", "asyncio", "concurrent",
    "contextvars", "io", "logging", "multiprocessing", "queue", "select", "selectors", "socket", "sqlite3", "ssl",
    "subprocess", "tempfile", "threading", "weakref",
}
# Of which a process has handles of its own.
CONNECTION = "multiprocessing.pipe_here", "Connection"
IN_MEMORY = io.BytesIO, io.StringIO
# Whose objects a process has for itself, of all that it begins with; and the program's own.
DATA = {
    "_decimal", "_random", "_struct", "array", "builtins", "collections", "dataclasses", "datetime", "decimal", "fractions",
    "functools", "heapq", "itertools", "numpy", "pandas", "pathlib", "random", "string", "types", "uuid",
}
# Bytes of what a process begins with that are copied for it. What is larger it would seldom change, and copies would
# soon be all memory: it is shared.
LIMIT = 8 * 1024 * 1024

# What goes along as it is, while something is unpickled.
kept = []


def take(number):
    return kept[number]


def bare(kind):
    """A new object, past what its class makes of that: one that has only one object would give that one."""
    make = next(each.__new__ for each in kind.__mro__ if type(each.__new__) is type(len))
    return make(kind)


class TooLarge(Exception):
    pass


class Bounded(io.BytesIO):
    def write(self, data):
        if self.tell() + len(data) > LIMIT:
            raise TooLarge
        return super().write(data)


class Pickler(pickle.Pickler):
    """`copied`: whether an object of a module is to be copied."""

    def __init__(self, file, copied):
        super().__init__(file, 5)
        self._copied = copied
        self.kept = []

    def reducer_override(self, value):
        if value is take or value is bare:
            return NotImplemented
        kind = type(value)
        if kind in AS_THEY_ARE or isinstance(value, type) or getattr(kind, "_is_shared", False) is True:
            copies = False
        else:
            copies = self._copied(kind)
        if copies:
            try:
                reduced = value.__reduce_ex__(5)
            except Exception:
                pass
            else:
                if type(reduced) is tuple:
                    made_by_class = reduced[:2] == (copyreg.__newobj__, (kind,)) and type(kind.__new__) is FunctionType
                    return (bare, *reduced[1:]) if made_by_class else reduced
        self.kept.append(value)
        return take, (len(self.kept) - 1,)


def given(kind):
    """What is handed to another process."""
    return root_of(kind) not in SHARED or kind in IN_MEMORY


def begun_with(kind):
    """What a process has for itself of what was there before it."""
    root = root_of(kind)
    return root in DATA or kind in IN_MEMORY or (kind.__module__, kind.__name__) == CONNECTION or is_own(root)


def root_of(kind):
    return kind.__module__.partition(".")[0] if type(kind.__module__) is str else ""


def is_own(name):
    return name in sys.modules and is_own_module(name, sys.modules[name])


def is_own_module(name, module):
    """Whether it is the session's own: neither built in nor of a library."""
    if name == "__main__":
        return True
    # Cython's have a file's name though they are built in.
    if type(module) is not ModuleType or name in sys.builtin_module_names:
        return False
    file = getattr(module, "__file__", None)
    return not file.startswith(LIBRARIES) if type(file) is str else is_made(name, module)


def is_made(name, module):
    """Whether a program has made a module that is in no file: itself, or by a loader of its own."""
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    if loader is not None:
        kind = loader if isinstance(loader, type) else type(loader)
        return kind.__module__ == name or is_own(kind.__module__)
    root, _, rest = name.partition(".")
    return is_own(root) if rest else module.__spec__ is None and not name.startswith(OF_CYTHON)


# Where libraries are.
LIBRARIES = ("/usr/lib/", "/opt/python/")
# Where what Cython has compiled keeps what all of it shares.
OF_CYTHON = ("cython_runtime", "_cython_")


class Packed:
    """A value from which any number of copies can be made."""

    def __init__(self, value, copied=given, file=None):
        file = io.BytesIO() if file is None else file
        pickler = Pickler(file, copied)
        pickler.dump(value)
        self._data, self._kept = file.getvalue(), pickler.kept

    def copy(self):
        global kept
        before, kept = kept, self._kept
        try:
            return pickle.loads(self._data)
        finally:
            kept = before


def is_plain(value):
    return type(value) in ATOMS or type(value) is tuple and all(type(each) in ATOMS for each in value)


def copied(value):
    """A copy of what is handed to another process, or comes back from it."""
    if is_plain(value) or type(value) in AS_THEY_ARE:
        return value
    return Packed(value).copy()
