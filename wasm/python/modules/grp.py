"""The group database: the groups of the sandbox's one user, and of root."""

from operator import index as _index


class struct_group(tuple):
    """grp.struct_group: Results from getgr*() routines."""

    __slots__ = ()
    n_fields = n_sequence_fields = 4
    n_unnamed_fields = 0
    __match_args__ = ("gr_name", "gr_passwd", "gr_gid", "gr_mem")

    def __new__(cls, values):
        values = tuple(values)
        if len(values) != 4:
            raise TypeError("grp.struct_group() takes a 4-sequence")
        return tuple.__new__(cls, values)

    def __repr__(self):
        return f"grp.struct_group({', '.join(f'{n}={v!r}' for n, v in zip(self.__match_args__, self))})"

    def __reduce__(self):
        return struct_group, (tuple(self),)


for _i, _name in enumerate(struct_group.__match_args__):
    setattr(struct_group, _name, property(lambda self, i=_i: self[i]))

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
