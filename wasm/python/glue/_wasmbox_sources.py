"""Lines of the standard library for tracebacks and `inspect`: its modules are bytecode, and their text is in a zip beside."""

import inspect
import linecache
import re
import zipimport

LIBRARY = "/usr/lib/python3.13/"
# Where the modules really lie, and their `__file__` says so.
BYTECODE = "/usr/lib/python313.zip/"
ARCHIVE = LIBRARY + "sources.zip"

update = linecache.updatecache
get_source = zipimport.zipimporter.get_source
getsourcefile = inspect.getsourcefile


def place_of(filename):
    """Where the archive has the module that a file name stands for; None for no module of the library."""
    if filename.startswith(LIBRARY):
        return filename.removeprefix(LIBRARY)
    if filename.startswith(BYTECODE):
        return filename.removeprefix(BYTECODE).removesuffix("c")
    if filename.startswith("<frozen "):
        return filename.removeprefix("<frozen ").removesuffix(">").replace(".", "/") + ".py"
    return None


def text_at(place):
    """The text of a module of the library; None if there is no such module."""
    try:
        text = zipimport.zipimporter(ARCHIVE).get_data(f"{ARCHIVE}/{place}")
    except (OSError, zipimport.ZipImportError):
        return None
    return text.decode("utf-8", "replace")


def updatecache(filename, module_globals=None):
    """Update a cache entry and return its list of lines."""
    lines = update(filename, module_globals)
    place = place_of(filename) if not lines and type(filename) is str else None
    if place is not None:
        lines = (text_at(place) or "").splitlines(True)
        if lines:
            # None for the time: linecache.checkcache() keeps the entry.
            linecache.cache[filename] = sum(map(len, lines)), None, lines, filename
    return lines


def source_of(self, fullname):
    """The source code of a module of this archive, as `zipimporter.get_source` gives it."""
    text = get_source(self, fullname)
    if text is None and self.archive + "/" == BYTECODE:
        text = text_at(place_of(self.get_filename(fullname)))
    return text


def program_with(kind):
    """The program that has defined a class, which knows its line and not where; None if that is forgotten."""
    line = vars(kind).get("__firstlineno__")
    for name in reversed(linecache.cache):
        if not name.startswith("<execution ") or type(line) is not int:
            continue
        lines = linecache.getlines(name)
        text = lines[line - 1].lstrip() if 0 < line <= len(lines) else ""
        if text.startswith("@") or text.startswith("class ") and re.match(r"\w*", text[6:].lstrip())[0] == kind.__name__:
            return name
    return None


def source_file_of(object):
    """Return the filename that can be used to locate an object's source. Return None if no way can be identified to
    get the source."""
    if inspect.isclass(object) and object.__module__ == "__main__":
        program = program_with(object)
        if program is not None:
            return program
    found = getsourcefile(object)
    if found is None:
        # Of code and frames inspect knows but the name that they bear, and no file is there.
        filename = inspect.getfile(object)
        found = filename if place_of(filename) and linecache.getlines(filename) else None
    return found


def change_resources(module):
    """files() without a package finds its caller by that: the first frame of another file."""
    module.__file__ = LIBRARY + "importlib/resources/_common.py"


def install():
    source_file_of.__module__, source_file_of.__name__ = "inspect", "getsourcefile"
    inspect.getsourcefile = source_file_of
    zipimport.zipimporter.get_source = source_of
    linecache.updatecache = updatecache
