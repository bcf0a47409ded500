"""What `os` does with descriptors, also with those that are this Python's own: of sockets, and of processes' pipes."""

import errno
import os

import _wasmbox_scheduler as scheduler
from _wasmbox_ends import add_descriptor, close_descriptor, ends
from _wasmbox_signals import WAITING

PIPE_BYTES = 64 * 1024


def move():
    """What has come is there, and what can go has gone."""
    if scheduler.outside is not None:
        scheduler.outside()


def wait_for(end, ready):
    move()
    if not end.blocks and not ready():
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    scheduler.wait_until(ready)


def read(fd, length, /):
    end = ends.get(fd)
    if end is None:
        return real["read"](fd, length)
    wait_for(end, end.readable)
    data = bytes(end.incoming[:length])
    del end.incoming[:length]
    return data


def write(fd, data, /):
    end = ends.get(fd)
    if end is None:
        return real["write"](fd, data)
    data, peer = bytes(data), end.peer
    if peer is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    at = 0
    while True:
        wait_for(end, lambda: peer.has_room() or not peer.descriptors)
        if not peer.descriptors:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        piece = data[at : at + PIPE_BYTES]
        peer.incoming += piece
        at += len(piece)
        move()
        if at >= len(data) or not end.blocks:
            return at


def close(fd):
    if fd in ends:
        close_descriptor(fd)
    else:
        real["close"](fd)


def dup(fd, /):
    return add_descriptor(ends[fd]) if fd in ends else real["dup"](fd)


def get_blocking(fd, /):
    return ends[fd].blocks if fd in ends else real["get_blocking"](fd)


def set_blocking(fd, blocking, /):
    if fd in ends:
        ends[fd].blocks = bool(blocking)
    else:
        real["set_blocking"](fd, blocking)


OURS = read, write, close, dup, get_blocking, set_blocking
real = {each.__name__: getattr(os, each.__name__) for each in OURS if hasattr(os, each.__name__)}


def install():
    WAITING.add(read.__code__)
    for each in OURS:
        if each.__name__ in real:
            each.__module__ = "posix"
            setattr(os, each.__name__, each)
