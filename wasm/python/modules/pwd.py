"""The password database: the sandbox has one user, and root, whose the system's files are."""

import os as _os
from operator import index as _index


class struct_passwd(tuple):
    """pwd.struct_passwd: Results from getpw*() routines."""

    __slots__ = ()
    n_fields = n_sequence_fields = 7
    n_unnamed_fields = 0
    __match_args__ = ("pw_name", "pw_passwd", "pw_uid", "pw_gid", "pw_gecos", "pw_dir", "pw_shell")

    def __new__(cls, values):
        values = tuple(values)
        if len(values) != 7:
            raise TypeError("pwd.struct_passwd() takes a 7-sequence")
        return tuple.__new__(cls, values)

    def __repr__(self):
        return f"pwd.struct_passwd({', '.join(f'{n}={v!r}' for n, v in zip(self.__match_args__, self))})"

    def __reduce__(self):
        return struct_passwd, (tuple(self),)


for _i, _name in enumerate(struct_passwd.__match_args__):
    setattr(struct_passwd, _name, property(lambda self, i=_i: self[i]))

_ENTRIES = (
    struct_passwd(("root", "x", 0, 0, "root", "/root", "/bin/bash")),
    struct_passwd(("user", "x", 1000, 1000, "user", "/app", "/bin/bash")),
)


def getpwuid(uid, /):
    """Return the password database entry for the given numeric user ID."""
    if isinstance(uid, float):
        raise TypeError("integer argument expected, got float")
    uid = _index(uid)
    for entry in _ENTRIES:
        if entry.pw_uid == uid:
            return entry
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def getpwnam(name, /):
    """Return the password database entry for the given user name."""
    if not isinstance(name, str):
        raise TypeError(f"getpwnam() argument must be str, not {type(name).__name__}")
    if "\0" in name:
        raise ValueError("embedded null byte")
    for entry in _ENTRIES:
        if entry.pw_name == name:
            return entry
    raise KeyError(f"getpwnam(): name not found: {name!r}")


def getpwall():
    """Return a list of all available password database entries, in arbitrary order."""
    return list(_ENTRIES)
