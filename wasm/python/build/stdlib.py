"""Makes the stdlib zip: `stdlib.py LIB GLUE OUTPUT`.

The modules of LIB and GLUE (directories) as .pyc files, stored rather than deflated: zipimport then needs no
inflating, and the zip is read straight from memory shared by all sessions. Paths in tracebacks are those of a
usual installation. The same input gives the same bytes.
"""

import pathlib
import sys
import zipfile

from bytecode import INSTALLED, add, compile_module

# No use in a sandbox without terminal, display, processes or installation of its own; or tests.
SKIP_DIRECTORIES = {
    "__phello__", "__pycache__", "curses", "dbm", "ensurepip", "idle_test", "idlelib", "lib2to3", "pydoc_data",
    "site-packages", "test", "tests", "tkinter", "turtledemo", "venv",
}
SKIP_MODULES = {"__hello__.py", "antigravity.py", "turtle.py"}


def modules(directory):
    """The paths, relative to `directory`, of the modules to be included."""
    for path in sorted(directory.rglob("*.py")):
        relative = path.relative_to(directory)
        if not SKIP_DIRECTORIES.intersection(relative.parts[:-1]) and relative.name not in SKIP_MODULES:
            yield relative


def main(library, glue, output):
    sources = {}
    for directory in (pathlib.Path(library), pathlib.Path(glue)):
        for relative in modules(directory):
            sources[relative] = directory
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for relative, directory in sorted(sources.items()):
            code = compile_module(directory / relative, f"{INSTALLED}/{relative}")
            add(archive, str(relative.with_suffix(".pyc")), code)


if __name__ == "__main__":
    main(*sys.argv[1:])
