"""What the descriptors of `_wasmbox_sockets` are of, and select.select on them."""

import errno
import os
from collections import deque

import _wasmbox_scheduler as scheduler
from _wasmbox_names import AF_INET, AF_INET6, AF_UNIX, LINUX

SOCK_STREAM = LINUX["SOCK_STREAM"]
FIRST_DESCRIPTOR = 1 << 20

# Descriptor: what it is of.
ends = {}
# (type, address) of those that listen, and of datagram sockets.
bound = {}


class End:
    """What a descriptor is of, and its copies."""

    def __init__(self, family, kind):
        self.family = family
        self.kind = kind
        self.descriptors = 0
        self.peer = None
        self.address = ("0.0.0.0", 0) if family == AF_INET else ("::", 0, 0, 0) if family == AF_INET6 else ""
        self.key = None
        self.waiting = None
        self.incoming = bytearray()
        self.datagrams = deque()
        self.ended = False
        self.shut = False
        # Bytes that may wait to be handed on; None: any.
        self.most = None
        # Whether os.read() and os.write() wait.
        self.blocks = True

    def readable(self):
        return bool(self.incoming or self.datagrams or self.waiting or self.ended)

    def writable(self):
        return self.waiting is None and (self.peer is None or self.peer.has_room())

    def has_room(self):
        return self.most is None or len(self.incoming) < self.most or self.ended

    def close(self):
        self.shut_down()
        if bound.get(self.key) is self:
            del bound[self.key]

    def shut_down(self):
        self.shut = True
        if self.peer is not None and self.kind == SOCK_STREAM:
            self.peer.ended = True


def add_descriptor(end):
    number = FIRST_DESCRIPTOR
    while number in ends:
        number += 1
    ends[number] = end
    end.descriptors += 1
    return number


def close_descriptor(number):
    end = ends.pop(number, None)
    if end is None:
        raise OSError(errno.EBADF, "Bad file descriptor")
    end.descriptors -= 1
    if not end.descriptors:
        end.close()
        if scheduler.outside is not None:
            scheduler.outside()


def pair(family, kind, left=None):
    left = left or End(family, kind)
    right = End(family, kind)
    left.peer, right.peer = right, left
    return left, right


def key_of(end, address):
    return end.kind, address if end.family == AF_UNIX else address[1]


def number_of(file):
    if isinstance(file, int):
        number = file
    elif hasattr(file, "fileno"):
        number = file.fileno()
    else:
        raise TypeError("argument must be an int, or have a fileno() method.")
    if number < 0:
        raise ValueError(f"file descriptor cannot be a negative integer ({number})")
    return number


def ready_files(readers, writers):
    return (
        [each for each in readers if number_of(each) in ends and ends[number_of(each)].readable()],
        [each for each in writers if number_of(each) in ends and ends[number_of(each)].writable()],
    )


class Select:
    """select.select is a method of this: a function would become one where a class takes it for its own."""

    def __init__(self, real):
        self.real = real

    def select(self, readers, writers, errors, timeout=None, /):
        readers, writers, errors = list(readers), list(writers), list(errors)
        files = readers + writers + errors
        if timeout is not None and timeout < 0:
            raise ValueError("timeout must be non-negative")
        for number in map(number_of, files):
            if number not in ends:
                os.fstat(number)
        if files and not any(number_of(each) in ends for each in files):
            return self.real(readers, writers, errors, timeout)
        scheduler.wait_until(lambda: any(ready_files(readers, writers)), timeout)
        return *ready_files(readers, writers), []
