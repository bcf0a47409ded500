"""What the command line and the environment of `python3` ask of its interpreter, for processes of the shell."""

import json
import linecache
import os
import sys
import warnings

from _wasmbox import set_flags
from _wasmbox_own_modules import make_room
from _wasmbox_processes import become
from _wasmbox_signals import listen

WORKSPACE = "/app"


def apply(text):
    """Takes JSON: `optimize` and `bytes` are levels, `warnings` and `extra` the values of -W and -X, `directory` is where
    the program lies, `pid` and `ppid` are its number and its parent's."""
    options = json.loads(text)
    environ = {} if options["ignoresEnvironment"] else os.environ
    sys._xoptions.update(pair_of(each) for each in options["extra"])
    is_development = "dev" in sys._xoptions or bool(environ.get("PYTHONDEVMODE"))
    optimize = max(options["optimize"], level(environ.get("PYTHONOPTIMIZE")))
    if optimize or options["bytes"] or is_development:
        set_flags(min(optimize, 2), options["bytes"], is_development)
    sys.warnoptions += warning_options(options, environ, is_development)
    if sys.warnoptions:
        warnings._processoptions(sys.warnoptions)
    path = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if not options["isSafe"] and not environ.get("PYTHONSAFEPATH"):
        path.insert(0, options["directory"])
    make_room(path)
    become(options["pid"], options["ppid"])
    # The session's own modules can be imported from wherever it is, and take no library's place there.
    sys.path[:] = [*path, *(each for each in sys.path if each != WORKSPACE), WORKSPACE]
    listen()


def pair_of(option):
    name, is_pair, value = option.partition("=")
    return name, value if is_pair else True


def level(text):
    """Of a variable that is a number, or anything else for one."""
    return 0 if not text else int(text) if text.isdecimal() else 1


def warning_options(options, environ, is_development):
    """Those that come later win."""
    return [
        *(["default"] if is_development else []),
        *[each for each in environ.get("PYTHONWARNINGS", "").split(",") if each],
        *options["warnings"],
        *(["error::BytesWarning" if options["bytes"] > 1 else "default::BytesWarning"] if options["bytes"] else []),
    ]


def runner():
    """The module runpy, of a library whose modules are bytecode: programs find the name of their source in argv."""
    import runpy

    details = runpy._get_module_details

    def details_of_source(*args):
        name, spec, code = details(*args)
        if spec.origin is not None and spec.origin.endswith(".pyc") and ".zip/" in spec.origin:
            spec.origin = spec.origin.removesuffix("c")
        return name, spec, code

    runpy._get_module_details = details_of_source
    return runpy


def run_source(source, filename):
    """Runs a program that is not in UTF-8: CPython reads what it says of its encoding, or says what is wrong with it."""
    try:
        code = compile(source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        # Of bytes the compiler shows lines as if they were in UTF-8.
        error.text = linecache.getline(filename, error.lineno or 0) or error.text
        raise
    exec(code, vars(sys.modules["__main__"]))
