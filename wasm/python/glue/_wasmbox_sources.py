"""Lines of the standard library for tracebacks and `inspect`: its modules are bytecode, and their text is in a zip beside."""

import linecache
import zipimport

LIBRARY = "/usr/lib/python3.13/"
ARCHIVE = LIBRARY + "sources.zip"

update = linecache.updatecache


def place_of(filename):
    """Where the archive has the module that a file name stands for; None for no module of the library."""
    if filename.startswith(LIBRARY):
        return filename.removeprefix(LIBRARY)
    if filename.startswith("<frozen "):
        return filename.removeprefix("<frozen ").removesuffix(">").replace(".", "/") + ".py"
    return None


def lines_at(place):
    """The lines of a module of the library; none if there is no such module."""
    try:
        text = zipimport.zipimporter(ARCHIVE).get_data(f"{ARCHIVE}/{place}")
    except (OSError, zipimport.ZipImportError):
        return []
    return text.decode("utf-8", "replace").splitlines(True)


def updatecache(filename, module_globals=None):
    """Update a cache entry and return its list of lines."""
    lines = update(filename, module_globals)
    place = place_of(filename) if not lines and type(filename) is str else None
    if place is not None:
        lines = lines_at(place)
        if lines:
            # None for the time: linecache.checkcache() keeps the entry.
            linecache.cache[filename] = sum(map(len, lines)), None, lines, filename
    return lines


def install():
    linecache.updatecache = updatecache
