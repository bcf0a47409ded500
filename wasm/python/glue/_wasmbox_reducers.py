"""How pickle is to reduce what it refuses, or would make something else of, by types: of the standard library, and of programs
whose classes answer for every attribute."""

import copyreg
import os
import sys
import types
import weakref

import _wasmbox_containers
import _wasmbox_iterators
from _wasmbox_containers import SAYS, fill
from _wasmbox_copies import is_own
from _wasmbox_ended import (
    reduce_child,
    reduce_compressed,
    reduce_loop,
    reduce_map,
    reduce_process,
    reduce_secret,
    reduce_socket,
    reduce_stream,
    reduce_temporary,
)
from _wasmbox_errors import reduce_error
from _wasmbox_left_behind import (
    leave,
    reduce_async_generator,
    reduce_coroutine,
    reduce_entry,
    reduce_generator,
    reduce_hash,
    reduce_iterator,
    reduce_listing,
)
from _wasmbox_type_parameters import owners, reduce_alias, reduce_variable

MISSING = object()


def reduce_connection(connection):
    """Which is pickled for processes otherwise."""
    return copyreg.__newobj__, (type(connection),), vars(connection)


def reduce_class_method(method):
    """Of one that a library's module has under the name of its function, as typing has for protocols: no function is there."""
    function = method.__func__
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    is_there = vars(sys.modules.get(module, copyreg)).get(name) is method and not is_own(module)
    return (getattr, (sys.modules[module], name)) if is_there else NotImplemented


def reduce_struct(value):
    return type(value), (value.format,)


def reduce_method(reference):
    value, function = weakref.ref.__call__(reference), reference._func_ref()
    if value is None or function is None:
        return None
    return method_of, (value, function, reference._meth_type, type(reference))


def method_of(value, function, kind, reference):
    return reference(kind(function, value))


def reduce_scanner(scanner):
    names = "strict", "object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant"
    return scanner_of, ({name: getattr(scanner, name) for name in names},)


def scanner_of(fields):
    from json.scanner import c_make_scanner

    return c_make_scanner(types.SimpleNamespace(**fields, memo={}))


def reduce_context_variable(variable):
    import contextvars

    default = contextvars.Context().run(variable.get, MISSING)
    try:
        default = contextvars.Context().run(variable.get)
    except LookupError:
        pass
    value = variable.get(MISSING)
    options = {} if default is MISSING else {"default": default}
    return context_variable, (variable.name, options, () if value is MISSING or value is default else (value,))


def context_variable(name, options, values):
    import contextvars

    variable = contextvars.ContextVar(name, **options)
    for value in values:
        variable.set(value)
    return variable


def reduce_reference(reference):
    return reference_to, (reference(), reference.__callback__)


def reference_to(value, callback):
    if value is None:
        class Gone:
            pass

        value = Gone()
    return weakref.ref(value, callback)


def reduce_named(value):
    """Of typing: pickle knows it by the name that it says that it has. Parameters of statements say that typing has it."""
    if id(value) in owners:
        return reduce_variable(value)
    if getattr(sys.modules.get(value.__module__), value.__name__, None) is value and not is_own(value.__module__):
        return value.__reduce__()
    if type(value).__name__ == "NewType":
        return named_of, (type(value), (value.__name__, value.__supertype__), value.__module__)
    options = {"infer_variance": True} if getattr(value, "__infer_variance__", False) else {}
    return named_of, (type(value), (value.__name__,), value.__module__, options)


def named_of(kind, fields, module, options={}):
    value = kind(*fields, **options)
    value.__module__ = module
    return value


class Suppressed:
    """Stands for argparse.SUPPRESS, a text that argparse knows by its identity."""

    def __reduce__(self):
        import argparse

        return getattr, (argparse, "SUPPRESS")


def stand_in(value):
    argparse = sys.modules.get("argparse")
    return Suppressed() if argparse is not None and value is getattr(argparse, "SUPPRESS", MISSING) else value


def reduce_parser(value):
    make, args, state, *rest = value.__reduce_ex__(4)
    if isinstance(state, dict):
        state = {name: stand_in(each) for name, each in state.items()}
    return make, args, state, *rest


def is_answering(kind):
    """Whether it is a class of the program's that answers for every attribute: pickle would ask it for what says how it is
    pickled, and ask again before it has anything to answer by."""
    return (
        hasattr(kind, "__getattr__")
        and is_own(kind.__module__)
        and all(getattr(kind, name) is getattr(object, name) for name in ("__reduce__", "__reduce_ex__", "__getstate__"))
        and not any(hasattr(kind, name) for name in ("__setstate__", "__getnewargs__", "__getnewargs_ex__"))
    )


def is_guarded(kind):
    """Whether it is one whose slots pickle could not fill, since it does not let its attributes be set."""
    return (
        kind.__setattr__ is not object.__setattr__
        and all(is_own(each.__module__) or each is object for each in kind.__mro__)
        and all(getattr(kind, name, None) is getattr(object, name, None) for name in SAYS)
    )


def reduce_answering(value):
    listed = list.__iter__(value) if isinstance(value, list) else None
    mapped = iter(dict.items(value)) if isinstance(value, dict) else None
    return blank, (type(value),), object.__getstate__(value), listed, mapped, fill


def blank(kind):
    base = next(each for each in (dict, list, object) if issubclass(kind, each))
    return base.__new__(kind)


def further(kind):
    """How objects of a kind are reduced that is only known by what it is derived from; None for most."""
    for (module, name), reduce in FAMILIES.items():
        base = getattr(sys.modules.get(module), name, None)
        if base is not None and issubclass(kind, base):
            return reduce
    if is_answering(kind) or is_guarded(kind):
        return reduce_answering
    return reduce_error if issubclass(kind, BaseException) else _wasmbox_containers.reducer_of(kind)


FAMILIES = {
    ("argparse", "_ActionsContainer"): reduce_parser,
    ("argparse", "_AttributeHolder"): reduce_parser,
    ("unittest.mock", "NonCallableMock"): leave,
}

# By module and name, if the session has that module.
KINDS = {
    ("_json", "make_scanner"): reduce_scanner,
    ("_lsprof", "Profiler"): leave,
    ("_struct", "Struct"): reduce_struct,
    ("_wasmbox_asyncio", "LocalEventLoop"): reduce_loop,
    ("_wasmbox_multiprocessing", "Popen"): reduce_child,
    ("_wasmbox_popen", "Popen"): reduce_process,
    ("_wasmbox_streams", "Reader"): reduce_stream,
    ("_wasmbox_streams", "ReaderWriter"): reduce_stream,
    ("_wasmbox_text", "TextIOWrapper"): reduce_stream,
    ("builtins", "classmethod"): reduce_class_method,
    ("bz2", "BZ2Compressor"): leave,
    ("bz2", "BZ2Decompressor"): leave,
    ("bz2", "BZ2File"): reduce_compressed,
    ("cProfile", "Profile"): leave,
    ("contextvars", "Context"): leave,
    ("contextvars", "ContextVar"): reduce_context_variable,
    ("gzip", "GzipFile"): reduce_compressed,
    ("hmac", "HMAC"): reduce_hash,
    ("lzma", "LZMACompressor"): leave,
    ("lzma", "LZMADecompressor"): leave,
    ("lzma", "LZMAFile"): reduce_compressed,
    ("mmap", "mmap"): reduce_map,
    ("multiprocessing.pipe_here", "Connection"): reduce_connection,
    ("multiprocessing.process", "AuthenticationString"): reduce_secret,
    ("pyexpat", "XMLParserType"): leave,
    ("random", "SystemRandom"): lambda value: (type(value), ()),
    ("socket", "socket"): reduce_socket,
    ("tempfile", "_TemporaryFileWrapper"): reduce_temporary,
    ("typing", "NewType"): reduce_named,
    ("typing", "ParamSpec"): reduce_named,
    ("typing", "TypeAliasType"): reduce_alias,
    ("typing", "TypeVar"): reduce_variable,
    ("typing", "TypeVarTuple"): reduce_named,
    ("types", "AsyncGeneratorType"): reduce_async_generator,
    ("types", "CoroutineType"): reduce_coroutine,
    ("types", "FrameType"): leave,
    ("types", "GeneratorType"): reduce_generator,
    ("types", "TracebackType"): leave,
    ("weakref", "WeakKeyDictionary"): lambda keys: (weakref.WeakKeyDictionary, (dict(keys),)),
    ("weakref", "WeakValueDictionary"): lambda values: (weakref.WeakValueDictionary, (dict(values),)),
    ("weakref", "WeakMethod"): reduce_method,
    ("weakref", "ref"): reduce_reference,
}


def reducers():
    """By type, how each is reduced; None for one that is still of use."""
    found = {
        type(iter(int, 1)): reduce_iterator,
        **_wasmbox_iterators.reducers(),
    }
    for (module, name), reduce in KINDS.items():
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type):
            found[kind] = reduce
    if "hashlib" in sys.modules:
        import hashlib

        found.update(dict.fromkeys((type(hashlib.new(name)) for name in hashlib.algorithms_available), reduce_hash))
    if "zlib" in sys.modules:
        import zlib

        found.update(dict.fromkeys((type(zlib.compressobj()), type(zlib.decompressobj())), leave))
    if "decimal" in sys.modules:
        import decimal

        found[type(decimal.localcontext())] = leave
    with os.scandir("/") as listing:
        found[type(listing)] = reduce_listing
    found[os.DirEntry] = reduce_entry
    return found
