"""What coverage takes the standard library and other bundled modules for, which are bytecode in zips."""

import functools
import os
import sys
import zipimport

from _wasmbox_imports import SITE_PACKAGES
from _wasmbox_sources import BYTECODE


# What is not measured, and lies elsewhere than sysconfig has it, where coverage looks. Older releases have the names without "_".
PLACES = {"add_stdlib_paths": BYTECODE.removesuffix("/"), "add_third_party_paths": SITE_PACKAGES}


def change_in_or_out(module):
    for name, place in PLACES.items():
        for known in (name, f"_{name}"):
            if hasattr(module, known):
                setattr(module, known, adding(getattr(module, known), place))


def adding(real, place):
    @functools.wraps(real)
    def add_paths(paths):
        real(paths)
        paths.add(place)

    return add_paths


def change_execfile(module):
    """As for runpy (`_wasmbox_options`), a program's name is that of its source."""
    find, make = module.find_module, module.make_code_from_py

    @functools.wraps(find)
    def find_module(modulename):
        pathname, *rest = find(modulename)
        if pathname is not None and pathname.endswith(".pyc") and ".zip/" in pathname:
            pathname = pathname.removesuffix("c")
        return pathname, *rest

    @functools.wraps(make)
    def make_code_from_py(filename):
        directory, name = os.path.split(filename)
        if ".zip/" in filename:
            try:
                return zipimport.zipimporter(directory).get_code(name.removesuffix(".py"))
            except zipimport.ZipImportError:
                # It is no module of a zip: coverage says what it is not.
                pass
        return make(filename)

    module.find_module, module.make_code_from_py = find_module, make_code_from_py
    module.PyRunner.prepare = prepare


def prepare(self):
    """Set sys.path properly. The real one leaves it as it is: the flags are those of an isolated interpreter, and the outermost
    frame is none of coverage's command."""
    if sys.path[0] != "" and not os.path.isdir(sys.path[0]):
        # Of `python3 -P` and -I.
        return
    if self.as_module:
        sys.path[0] = os.getcwd()
    elif os.path.isdir(self.arg0):
        sys.path[0] = os.path.abspath(self.arg0)
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(self.arg0))


def change_core(module):
    """There is no C tracer for WebAssembly, and nothing that a program could do about it: it is not to be warned of."""
    module.IMPORT_ERROR = ""
