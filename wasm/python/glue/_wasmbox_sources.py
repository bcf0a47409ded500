"""Lines of the standard library for tracebacks and `inspect`: its modules are bytecode, and their text is in a zip beside."""

import linecache
import zipimport

LIBRARY = "/usr/lib/python3.13/"
ARCHIVE = LIBRARY + "sources.zip"

update = linecache.updatecache


def lines_of(filename):
    """The lines of a module of the library; none if there is no such module."""
    try:
        text = zipimport.zipimporter(ARCHIVE).get_data(f"{ARCHIVE}/{filename.removeprefix(LIBRARY)}")
    except (OSError, zipimport.ZipImportError):
        return []
    return text.decode("utf-8", "replace").splitlines(True)


def updatecache(filename, module_globals=None):
    """Update a cache entry and return its list of lines."""
    lines = update(filename, module_globals)
    if not lines and type(filename) is str and filename.startswith(LIBRARY):
        lines = lines_of(filename)
        if lines:
            # None for the time: linecache.checkcache() keeps the entry.
            linecache.cache[filename] = sum(map(len, lines)), None, lines, filename
    return lines


def install():
    linecache.updatecache = updatecache
