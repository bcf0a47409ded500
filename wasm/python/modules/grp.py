"""The group database: the groups of the sandbox's one user, and of root."""

from operator import index as _index

from _wasmbox_structseq import structseq as _structseq

struct_group = _structseq("grp.struct_group", ("gr_name", "gr_passwd", "gr_gid", "gr_mem"))

_ENTRIES = (struct_group(("root", "x", 0, [])), struct_group(("user", "x", 1000, [])))


def getgrgid(id):
    """Return the group database entry for the given numeric group ID."""
    if isinstance(id, float):
        raise TypeError("group id must be int, not float")
    gid = _index(id)
    for entry in _ENTRIES:
        if entry.gr_gid == gid:
            return entry
    raise KeyError(f"getgrgid(): gid not found: {gid}")


def getgrnam(name):
    """Return the group database entry for the given group name."""
    if not isinstance(name, str):
        raise TypeError(f"getgrnam() argument 'name' must be str, not {type(name).__name__}")
    if "\0" in name:
        raise ValueError("embedded null byte")
    for entry in _ENTRIES:
        if entry.gr_name == name:
            return entry
    raise KeyError(f"getgrnam(): name not found: {name!r}")


def getgrall():
    """Return a list of all available group entries, in arbitrary order."""
    return list(_ENTRIES)
