"""What an interpreter does at its end. Those of sessions have none: this is for processes of the shell."""

import atexit
import gc
import io
import sys
import types

import _wasmbox_children as children
from _wasmbox_outside import CONNECTED
from _wasmbox_outside import flush as flush_connections

LASTING = type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, str, bytes, int, float
# Of what one variable holds.
MOST_LOOKED_AT = 10_000


def end_process():
    atexit._run_exitfuncs()
    scopes = [vars(module) for module in list(sys.modules.values()) if is_own(module)]
    for goes in leads_to_finalizer, is_data, is_any:
        for scope in scopes:
            for name in [name for name in scope if name != "__builtins__"]:
                if goes(scope[name]):
                    scope[name] = None
        gc.collect()
    # Those of modules, and of what cycles keep.
    for each in gc.get_objects():
        if isinstance(each, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            flush(each)
    if CONNECTED:
        flush_connections()
    if children.running:
        children.flush()


def is_own(module):
    """Whether it is the program, or a module of its own."""
    if not isinstance(module, types.ModuleType):
        return False
    file = vars(module).get("__file__")
    is_elsewhere = isinstance(file, str) and not file.startswith("/usr/") and "/site-packages/" not in file
    return module.__name__ == "__main__" or is_elsewhere


# What a finalizer uses is in its place, as on other machines: other data, then modules, functions, classes and constants.


def leads_to_finalizer(value):
    rest = [value]
    seen = set()
    for _ in range(MOST_LOOKED_AT):
        if not rest:
            break
        each = rest.pop()
        if id(each) in seen or isinstance(each, LASTING):
            continue
        if hasattr(type(each), "__del__"):
            return True
        seen.add(id(each))
        rest += gc.get_referents(each)
    return False


def is_data(value):
    return not isinstance(value, LASTING)


def is_any(value):
    return True


def flush(stream):
    try:
        stream.flush()
    except (OSError, ValueError):
        # It is closed, or can't be written to.
        pass
