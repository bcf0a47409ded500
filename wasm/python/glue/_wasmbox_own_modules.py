"""A program's own modules in the place of the library's: the image has imported many of those, and they were found first."""

import os
import sys
from opcode import opmap
from types import CodeType, ModuleType

LIBRARY = "/usr/lib/python313.zip"
# What CPython has imported before any program, or works by itself with.
FIRST = {"abc", "codecs", "encodings", "genericpath", "importlib", "io", "os", "posixpath", "site", "stat", "types", "warnings"}
# What this Python itself imports while programs run.
USED = {"ast", "asyncio", "contextvars", "inspect", "json", "linecache", "pickle", "traceback", "zlib"}
EXTENDED_ARG, IMPORT_NAME = opmap["EXTENDED_ARG"], opmap["IMPORT_NAME"]


def make_room(directories):
    """Modules of the library that the image has imported are forgotten where the program has its own of their names."""
    for directory in directories:
        for entry in entries_of(directory):
            make_room_for(entry.removesuffix(".py"), [directory])


def make_room_for_imports(code):
    """As `make_room`, for what code imports."""
    directories = None
    for each in codes(code):
        for name in each.co_names:
            top = name.partition(".")[0]
            if top not in USED and is_of_library(top):
                directories = directories or before_library()
                if has_own(top, directories) and imports(each, name):
                    make_room_for(top, directories)


def make_room_for(name, directories):
    if is_of_library(name) and has_own(name, directories):
        for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
            del sys.modules[each]


def is_of_library(name):
    module = sys.modules.get(name)
    origin = getattr(vars(module).get("__spec__"), "origin", None) if type(module) is ModuleType else None
    return type(origin) is str and origin.startswith(LIBRARY) and name not in FIRST


def has_own(name, directories):
    return any(
        os.path.isfile(os.path.join(directory, own)) for directory in directories for own in (f"{name}.py", f"{name}/__init__.py")
    )


def before_library():
    """Where modules are found before those of the library."""
    path = sys.path if type(sys.path) is list and LIBRARY in sys.path else [LIBRARY]
    return [each for each in path[: path.index(LIBRARY)] if type(each) is str]


def entries_of(directory):
    try:
        return os.listdir(directory or ".")
    except OSError:
        return []


def codes(code):
    yield code
    for each in code.co_consts:
        if type(each) is CodeType:
            yield from codes(each)


def imports(code, name):
    argument = 0
    instructions = code.co_code
    for at in range(0, len(instructions), 2):
        argument = argument << 8 | instructions[at + 1]
        if instructions[at] == IMPORT_NAME and code.co_names[argument] == name:
            return True
        if instructions[at] != EXTENDED_ARG:
            argument = 0
    return False
