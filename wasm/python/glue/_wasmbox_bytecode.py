"""How modules are compiled. What installed packages are compiled to is kept beside them when they are first imported, since
every process would compile them anew; all of it when they are installed would take longer than that. Beside a program's own
files nothing is put, and what these import may be modules of its own."""

import sys
from importlib.machinery import SourceFileLoader

from _wasmbox_own_modules import make_room_for_imports

INSTALLED = "/opt/python/"

every = SourceFileLoader.get_code


def get_code(self, fullname):
    if not self.path.startswith(INSTALLED):
        code = every(self, fullname)
        make_room_for_imports(code)
        return code
    if not sys.dont_write_bytecode:
        return every(self, fullname)
    sys.dont_write_bytecode = False
    try:
        return every(self, fullname)
    finally:
        sys.dont_write_bytecode = True


def install():
    # Of which tracebacks leave the frames out.
    get_code.__code__ = get_code.__code__.replace(co_filename=every.__code__.co_filename)
    SourceFileLoader.get_code = get_code
