"""What the makers of zips have in common: bytecode, and entries whose bytes depend on nothing but their contents."""

import os
import pathlib
import py_compile
import sys
import tempfile
import zipfile

INSTALLED = "/usr/lib/python{}.{}".format(*sys.version_info[:2])
EPOCH = (1980, 1, 1, 0, 0, 0)


def compile_module(source, shown_as):
    """The .pyc of a module, as bytes; `shown_as` is its path in tracebacks. Unchecked: nobody looks for a source file."""
    with tempfile.TemporaryDirectory() as scratch:
        target = os.path.join(scratch, "module.pyc")
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(source), cfile=target, dfile=shown_as, doraise=True, invalidation_mode=mode)
        return pathlib.Path(target).read_bytes()


def add(archive, name, content):
    """Adds a file, with the compression of the archive."""
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = archive.compression
    archive.writestr(entry, content, compresslevel=9)
