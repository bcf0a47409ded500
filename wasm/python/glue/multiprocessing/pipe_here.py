"""multiprocessing.Pipe. What is sent is pickled, so that what is received is a copy, as elsewhere."""

import errno
import pickle
import weakref
from collections import deque
from contextlib import contextmanager

import _wasmbox_scheduler as scheduler


# What a process that begins just now has of its own; None: no process begins.
handed = None


@contextmanager
def handing_over():
    """Within it copies of connections are further handles, as a process that begins has them. Gives a list of those."""
    global handed
    before, handed = handed, []
    try:
        yield handed
    finally:
        handed = before


class End:
    """What handles are of: what has come, and how many there are."""

    def __init__(self):
        self.incoming = deque()
        self.handles = 0
        self.other = None


class Connection:
    def __init__(self, end, readable=True, writable=True):
        self._end = end
        self.readable, self.writable = readable, writable
        self.closed = False
        end.handles += 1

    def __reduce_ex__(self, protocol):
        if handed is None:
            raise TypeError("connections can only be given to a process that is about to start")
        return again, (self._end, self.readable, self.writable, self.closed)

    def _check(self, able, what):
        if self.closed:
            raise OSError("handle is closed")
        if not able:
            raise OSError(f"connection is {what}-only")

    def send(self, obj):
        self.send_bytes(pickle.dumps(obj))

    def send_bytes(self, buf, offset=0, size=None):
        self._check(self.writable, "read")
        if not self._end.other.handles:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        data = bytes(memoryview(buf).cast("B")[offset:])
        self._end.other.incoming.append(data if size is None else data[:size])

    def recv(self):
        return pickle.loads(self._next())

    def recv_bytes(self, maxlength=None):
        return self._next()

    def _next(self):
        self._check(self.readable, "write")
        scheduler.wait_until(self._ready)
        if not self._end.incoming:
            raise EOFError
        return self._end.incoming.popleft()

    def _ready(self):
        return self._end.incoming or not self._end.other.handles

    def poll(self, timeout=0.0):
        self._check(self.readable, "write")
        return bool(self._ready() or scheduler.wait_until(self._ready, timeout))

    def close(self):
        self._end.handles -= not self.closed
        self.closed = True

    __del__ = close

    def fileno(self):
        raise OSError("connections of this Python have no descriptors")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.close()


def again(end, readable, writable, closed):
    connection = Connection(end, readable, writable)
    if closed:
        connection.close()
    handed.append(weakref.ref(connection))
    return connection


def Pipe(duplex=True):
    left, right = End(), End()
    left.other, right.other = right, left
    return Connection(left, writable=duplex), Connection(right, readable=duplex)
