"""Makes the stdlib zip: `stdlib.py LIB GLUE OUTPUT`.

The modules of LIB and GLUE (directories) as .pyc files, stored rather than deflated: zipimport then needs no
inflating, and the zip is read straight from memory shared by all sessions. Paths in tracebacks are those of a
usual installation. The same input gives the same bytes.
"""

import os
import pathlib
import py_compile
import sys
import tempfile
import zipfile

# No use in a sandbox without terminal, display, processes or installation of its own; or tests.
SKIP_DIRECTORIES = {
    "__phello__", "__pycache__", "curses", "dbm", "ensurepip", "idle_test", "idlelib", "lib2to3", "pydoc_data",
    "site-packages", "test", "tests", "tkinter", "turtledemo", "venv",
}
SKIP_MODULES = {"__hello__.py", "antigravity.py", "turtle.py"}
INSTALLED = "/usr/lib/python{}.{}".format(*sys.version_info[:2])
EPOCH = (1980, 1, 1, 0, 0, 0)


def modules(directory):
    """The paths, relative to `directory`, of the modules to be included."""
    for path in sorted(directory.rglob("*.py")):
        relative = path.relative_to(directory)
        if not SKIP_DIRECTORIES.intersection(relative.parts[:-1]) and relative.name not in SKIP_MODULES:
            yield relative


def compile_module(directory, relative, scratch):
    """The .pyc of a module, as bytes. Unchecked: nobody looks for a source file."""
    py_compile.compile(
        str(directory / relative),
        cfile=scratch,
        dfile=f"{INSTALLED}/{relative}",
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    return pathlib.Path(scratch).read_bytes()


def main(library, glue, output):
    sources = {}
    for directory in (pathlib.Path(library), pathlib.Path(glue)):
        for relative in modules(directory):
            sources[relative] = directory
    with (
        tempfile.TemporaryDirectory() as scratch,
        zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive,
    ):
        for relative, directory in sorted(sources.items()):
            code = compile_module(directory, relative, os.path.join(scratch, "module.pyc"))
            archive.writestr(zipfile.ZipInfo(str(relative.with_suffix(".pyc")), EPOCH), code)


if __name__ == "__main__":
    main(*sys.argv[1:])
