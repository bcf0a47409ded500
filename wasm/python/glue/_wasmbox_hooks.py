"""How programs have Python look for modules: finders and hooks of their own; and what of libraries they have imported, which
they find by its package."""

import importlib
import sys
from types import FunctionType, ModuleType

from _wasmbox_copies import is_own, is_own_module
from _wasmbox_patches import is_of_program

LISTS = "meta_path", "path_hooks"


def read_hooks():
    """The program's own, before and after those that there are anyway."""
    return {name: split(getattr(sys, name)) for name in LISTS}


def split(entries):
    own = [is_own_hook(each) for each in entries]
    first = own.index(False) if False in own else len(own)
    return entries[:first], [each for each, is_one in zip(entries[first:], own[first:]) if is_one]


def is_own_hook(value):
    return is_of_program(value) or is_own(type(value).__module__) or is_for_own(value)


def is_for_own(value):
    """As FileFinder.path_hook makes one for a loader of the program's."""
    cells = value.__closure__ or () if type(value) is FunctionType else ()
    pending = [each.cell_contents for each in cells]
    while pending:
        each = pending.pop()
        if is_of_program(each):
            return True
        if type(each) in (list, tuple):
            pending += each
    return False


def write_hooks(hooks):
    for name, (before, after) in hooks.items():
        entries = getattr(sys, name)
        entries[:] = [*before, *entries, *after]
    if any(hooks["path_hooks"]):
        sys.path_importer_cache.clear()


def read_parts():
    """Modules within the packages that the session's own modules have by name: `urllib.request` is one of urllib."""
    packages = tuple({
        f"{value.__name__}."
        for name, module in list(sys.modules.items()) if is_own_module(name, module)
        for value in list(vars(module).values()) if type(value) is ModuleType and hasattr(value, "__path__")
    })
    return [
        name for name, module in list(sys.modules.items())
        if name.startswith(packages) and type(module) is ModuleType and not is_own_module(name, module)
    ]


def write_parts(names):
    for name in names:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except Exception:
                # There is no such library here, or it is not as it was.
                pass
