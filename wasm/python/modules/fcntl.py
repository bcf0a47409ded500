"""Descriptors' flags and locks: flock's are of whole files, which have who opened them; fcntl's are a process's, of ranges."""

import errno as _errno
import os as _os
import struct as _struct
from operator import index as _index

import _wasmbox
import _wasmbox_scheduler as _scheduler

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW = range(8)
F_DUPFD_CLOEXEC = 1030
FD_CLOEXEC = 1
F_RDLCK, F_WRLCK, F_UNLCK = 0, 1, 2
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8
_MODES = {LOCK_SH: F_RDLCK, LOCK_EX: F_WRLCK, LOCK_UN: F_UNLCK}
# Only asks what keeps one from a lock.
_PROBE = 16
# Seconds until one that somebody has is tried again: at first, and at most.
_NAP, _NAP_MAX = 0.001, 0.02
# struct flock of Linux on 64 bits.
_FLOCK = "hhqqi4x"


# Functions here keep what they are given: a file that nobody else has would be closed in the middle of them.


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
    number, cmd = _descriptor(fd), _index(cmd)
    _os.fstat(number)
    if cmd in (F_DUPFD, F_DUPFD_CLOEXEC):
        return _os.dup(number)
    if cmd == F_GETFD:
        return 0 if _os.get_inheritable(number) else FD_CLOEXEC
    if cmd == F_SETFD:
        _os.set_inheritable(number, not arg & FD_CLOEXEC)
        return 0
    if cmd == F_GETFL:
        return _wasmbox.descriptor_flags(number)
    if cmd == F_SETFL:
        return _wasmbox.descriptor_flags(number, arg)
    if cmd in (F_GETLK, F_SETLK, F_SETLKW):
        return _record(number, cmd, arg)
    raise OSError(_errno.EINVAL, f"fcntl command {cmd} is not there: this Python runs in WebAssembly")


def _lock(fd, whole, mode, start, length, waits):
    """Takes a lock or gives it back; who waits for one lets others run, of whom one may have it."""
    space = _scheduler.stack[-1].space
    part = 0 if whole or space is None else id(space) & 0x7FFFFFFF
    nap = _NAP
    while _wasmbox.lock(fd, whole, part, mode, start, length) != F_UNLCK:
        if not waits:
            raise BlockingIOError(_errno.EAGAIN, _os.strerror(_errno.EAGAIN))
        _scheduler.wait_until(_scheduler.never, nap)
        nap = min(nap * 2, _NAP_MAX)


def _from_start(fd, start, whence):
    if whence == _os.SEEK_CUR:
        return start + _os.lseek(fd, 0, _os.SEEK_CUR)
    return start + _os.fstat(fd).st_size if whence == _os.SEEK_END else start


def _record(fd, cmd, arg):
    """The lock that a struct flock is about."""
    try:
        mode, whence, start, length, _ = _struct.unpack(_FLOCK, arg)
    except (TypeError, _struct.error):
        raise OSError(_errno.EINVAL, f"a lock is a struct flock: struct.pack({_FLOCK!r}, type, whence, start, len, 0)") from None
    start = _from_start(fd, start, whence)
    if cmd != F_GETLK:
        _lock(fd, 0, mode, start, length, cmd == F_SETLKW)
        return arg
    other = _wasmbox.lock(fd, 0, 0, mode | _PROBE, start, length)
    return _struct.pack(_FLOCK, other, whence, start, length, 0)


def flock(fd, operation, /):
    number, operation = _descriptor(fd), _index(operation)
    _os.fstat(number)
    if operation & ~LOCK_NB not in _MODES:
        raise OSError(_errno.EINVAL, _os.strerror(_errno.EINVAL))
    _lock(number, 1, _MODES[operation & ~LOCK_NB], 0, 0, not operation & LOCK_NB)


def lockf(fd, cmd, len=0, start=0, whence=0, /):
    number, cmd = _descriptor(fd), _index(cmd)
    _os.fstat(number)
    if cmd & ~LOCK_NB not in _MODES:
        raise ValueError("unrecognized lockf argument")
    _lock(number, 0, _MODES[cmd & ~LOCK_NB], _from_start(number, start, whence), len, not cmd & LOCK_NB)


def ioctl(fd, request, arg=0, mutate_flag=True, /):
    """There are no devices: nothing has controls."""
    _os.fstat(_descriptor(fd))
    raise OSError(_errno.ENOTTY, _os.strerror(_errno.ENOTTY))
