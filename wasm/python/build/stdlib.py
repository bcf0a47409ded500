"""Makes the zips of the stdlib: `stdlib.py LIB GLUE MODULES OUTPUT`, all of them directories.

OUTPUT/python-stdlib.zip has the modules of LIB, GLUE and MODULES as .pyc files, stored rather than deflated: zipimport
then needs no inflating, and the zip is read straight from memory shared by all sessions. Paths in tracebacks are those
of a usual installation. OUTPUT/python-sources.zip has the text of LIB's and MODULES': whoever looks into a traceback or
asks `inspect` reads it, which few sessions do. The same input gives the same bytes.
"""

import pathlib
import sys
import zipfile

from bytecode import INSTALLED, add, compile_module

# No use in a sandbox without terminal, display, processes or installation of its own; or tests.
SKIP_DIRECTORIES = {
    "__phello__", "__pycache__", "curses", "ensurepip", "idle_test", "idlelib", "lib2to3", "site-packages", "test",
    "tests", "tkinter", "turtledemo", "venv",
}
SKIP_MODULES = {"__hello__.py", "antigravity.py", "turtle.py"}


def modules(directory):
    """The paths, relative to `directory`, of the modules to be included."""
    for path in sorted(directory.rglob("*.py")):
        relative = path.relative_to(directory)
        if not SKIP_DIRECTORIES.intersection(relative.parts[:-1]) and relative.name not in SKIP_MODULES:
            yield relative


def main(library, glue, ours, output):
    sources = {}
    for directory in (library, glue, ours):
        for relative in modules(pathlib.Path(directory)):
            sources[relative] = directory
    output = pathlib.Path(output)
    with (
        zipfile.ZipFile(output / "python-stdlib.zip", "w", zipfile.ZIP_STORED) as bytecode,
        zipfile.ZipFile(output / "python-sources.zip", "w", zipfile.ZIP_DEFLATED) as texts,
    ):
        for relative, directory in sorted(sources.items()):
            source = pathlib.Path(directory, relative)
            code = compile_module(source, f"{INSTALLED}/{relative}")
            add(bytecode, str(relative.with_suffix(".pyc")), code)
            if directory != glue:
                add(texts, str(relative), source.read_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
