"""The password database: the sandbox has one user, and root, whose the system's files are."""

from operator import index as _index

from _wasmbox_structseq import structseq as _structseq

struct_passwd = _structseq("pwd.struct_passwd", ("pw_name", "pw_passwd", "pw_uid", "pw_gid", "pw_gecos", "pw_dir", "pw_shell"))

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
