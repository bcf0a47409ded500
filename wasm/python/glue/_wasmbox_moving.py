"""Takes what a session has made from the interpreter that it lives in to another one.

Names, and the modules that are the session's own, go along by value: functions and classes too, with the very namespaces
that they belong to. Modules of libraries are imported afresh. What can't be pickled keeps the session where it is.
"""

import gc
import linecache
import sys
import threading
import types
from contextlib import contextmanager

import _wasmbox_asyncio
import _wasmbox_results
import _wasmbox_scheduler
from _wasmbox_assignments import lost_assignments, read_assignments, write_assignments
from _wasmbox_copies import is_own_module
from _wasmbox_executors import worker
from _wasmbox_left_behind import LeftBehind
from _wasmbox_leftovers import is_at_rest, taken
from _wasmbox_patches import lost_patches
from _wasmbox_pickler import Namespace, namespace_of, pickled, pickler
from _wasmbox_reducers import stand_in
from _wasmbox_settings import settings
from _wasmbox_type_parameters import owners

# What an interpreter gives to each module, and not a program.
MODULE_FIELDS = ("__builtins__", "__loader__", "__spec__", "__cached__", "__doc__", "__name__", "__package__")
# Names that are told when they can't go.
MAX_TOLD = 5


class Stays(Exception):
    """The session can't leave. Its message says for what."""


def depart(sources):
    """All that the session has made, pickled. `sources`: file names of programs. Raises Stays."""
    waiting = [each for each in _wasmbox_scheduler.waiting if not is_idle(each)]
    if waiting:
        names = [each.name for each in waiting]
        waiters = f"{names[0]!r}" if len(names) == 1 else f"{names[0]!r} and {len(names) - 1} more"
        raise Stays(f"a thread that waits ({waiters[:100]}; shutdown() of its executor or server ends it)")
    loop = _wasmbox_asyncio.session_loop
    if loop is not None and not loop.is_closed() and _wasmbox_asyncio.asyncio.all_tasks(loop):
        raise Stays("a task of asyncio that waits")
    names = own_modules()
    texts = {name: "".join(linecache.getlines(name)) for name in sources}
    state = {
        "modules": {name: fields_of(sys.modules[name]) for name in names},
        "results": _wasmbox_results.results,
        "settings": {name: read() for name, (read, _) in settings().items()},
        "assignments": read_assignments([*texts.values(), *files_of(names)], names),
        "sources": texts,
    }
    taken.clear()
    owners.clear()
    try:
        with without_collections():
            return pickled(state, names)
    except MemoryError:
        raise Stays("a lack of memory in which to take its variables along") from None
    except Exception as error:
        raise Stays(culprits(state, names) or f"{type(error).__name__}: {error}"[:300]) from None


def arrive(data):
    """Takes in what `depart` gave. Returns the sources of earlier programs, and what is to be said of names that have lost
    what they stood for."""
    import pickle

    pickler()  # or a module of the program's own might be taken for it
    builtins = vars(sys.modules["__main__"])["__builtins__"]
    with without_collections():
        state = pickle.loads(data)
    for name, fields in state["modules"].items():
        namespace_of(name).update(fields)
        namespace_of(name)["__builtins__"] = builtins
    _wasmbox_results.results[:] = state["results"]
    for name, (_, write) in settings(loaded=state["settings"]).items():
        write(state["settings"][name])
    write_assignments(state["assignments"])
    names = state["modules"]["__main__"].items()
    left = [f"{name} ({value.kind})" for name, value in names if type(value) is LeftBehind]
    left += lost_patches(state["settings"]["patches"]) + lost_assignments(state["assignments"])
    return state["sources"], f"{told(list(dict.fromkeys(left)))} did not come along: to be made anew before use\n" if left else ""


@contextmanager
def without_collections():
    """Nothing becomes garbage meanwhile, and there may be very many objects to look at."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def is_idle(thread):
    """Whether it is a worker of a ThreadPoolExecutor that has nothing to do: the executor gets others when it needs them."""
    owner = threading._active.get(thread.ident)
    if getattr(owner, "_target", None) is not worker or thread.space is not None:
        return False
    executor = owner._args[0]()
    return executor is None or is_at_rest(executor)


def own_modules():
    """Of sys.modules, those that are the session's own."""
    found = [name for name, module in list(sys.modules.items()) if type(module) is types.ModuleType and is_own_module(name, module)]
    return list(dict.fromkeys(["__main__", *found]))


def files_of(names):
    """The sources of the session's own modules."""
    files = [getattr(sys.modules[name], "__file__", None) for name in names if name != "__main__"]
    return ["".join(linecache.getlines(file)) for file in files if type(file) is str]


def fields_of(module):
    fields = {name: value for name, value in vars(module).items() if name not in MODULE_FIELDS}
    return {name: Namespace(module.__name__) if value is vars(module) else stand_in(value) for name, value in fields.items()}


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
    for module, path, *values in state["assignments"]:
        try:
            pickled(values, names)
        except Exception:
            found.append(f"{'.'.join((module, *path))} ({type(values[0]).__name__})"[:100])
    return told(found)


def told(names):
    more = f" and {len(names) - MAX_TOLD} more" if len(names) > MAX_TOLD else ""
    return ", ".join(names[:MAX_TOLD]) + more
