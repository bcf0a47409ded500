"""Descriptors' flags and locks. There is one process: every lock is granted at once, and none outlives its file."""

import errno as _errno
import os as _os
from operator import index as _index

import _wasmbox

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW = range(8)
F_DUPFD_CLOEXEC = 1030
FD_CLOEXEC = 1
F_RDLCK, F_WRLCK, F_UNLCK = 0, 1, 2
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8


def _descriptor(fd):
    if not isinstance(fd, int):
        if not hasattr(fd, "fileno"):
            raise TypeError("argument must be an int, or have a fileno() method.")
        fd = fd.fileno()
        if not isinstance(fd, int):
            raise TypeError("fileno() returned a non-integer")
    if fd < 0:
        raise ValueError(f"file descriptor cannot be a negative integer ({fd})")
    return fd


def fcntl(fd, cmd, arg=0, /):
    """The commands about flags and locks; others are refused."""
    fd, cmd = _descriptor(fd), _index(cmd)
    _os.fstat(fd)
    if cmd in (F_DUPFD, F_DUPFD_CLOEXEC):
        return _os.dup(fd)
    if cmd == F_GETFD:
        return 0 if _os.get_inheritable(fd) else FD_CLOEXEC
    if cmd == F_SETFD:
        _os.set_inheritable(fd, not arg & FD_CLOEXEC)
        return 0
    if cmd == F_GETFL:
        return _wasmbox.descriptor_flags(fd)
    if cmd == F_SETFL:
        return _wasmbox.descriptor_flags(fd, arg)
    if cmd in (F_GETLK, F_SETLK, F_SETLKW):
        return arg
    raise OSError(_errno.EINVAL, f"fcntl command {cmd} is not there: this Python runs in WebAssembly")


def flock(fd, operation, /):
    _os.fstat(_descriptor(fd))
    if _index(operation) & ~LOCK_NB not in (LOCK_SH, LOCK_EX, LOCK_UN):
        raise OSError(_errno.EINVAL, _os.strerror(_errno.EINVAL))


def lockf(fd, cmd, len=0, start=0, whence=0, /):
    _os.fstat(_descriptor(fd))
    if _index(cmd) & ~LOCK_NB not in (LOCK_SH, LOCK_EX, LOCK_UN):
        raise ValueError("unrecognized lockf argument")


def ioctl(fd, request, arg=0, mutate_flag=True, /):
    """There are no devices: nothing has controls."""
    _os.fstat(_descriptor(fd))
    raise OSError(_errno.ENOTTY, _os.strerror(_errno.ENOTTY))
