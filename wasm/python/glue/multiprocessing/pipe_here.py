"""multiprocessing.Pipe. What is sent is pickled, so that what is received is a copy, as elsewhere."""

import pickle
from collections import deque

import _wasmbox_scheduler as scheduler


class Connection:
    def __init__(self, incoming, readable=True, writable=True):
        self._incoming = incoming
        self._other = None
        self.readable, self.writable = readable, writable
        self.closed = False

    def _check(self, able, what):
        if self.closed:
            raise OSError("handle is closed")
        if not able:
            raise OSError(f"connection is {what}-only")

    def send(self, obj):
        self.send_bytes(pickle.dumps(obj))

    def send_bytes(self, buf, offset=0, size=None):
        self._check(self.writable, "read")
        if self._other.closed:
            raise BrokenPipeError("Broken pipe")
        data = bytes(memoryview(buf).cast("B")[offset:])
        self._other._incoming.append(data if size is None else data[:size])

    def recv(self):
        return pickle.loads(self._next())

    def recv_bytes(self, maxlength=None):
        return self._next()

    def _next(self):
        self._check(self.readable, "write")
        scheduler.wait_until(self._ready)
        if not self._incoming:
            raise EOFError
        return self._incoming.popleft()

    def _ready(self):
        return self._incoming or self._other.closed

    def poll(self, timeout=0.0):
        self._check(self.readable, "write")
        return bool(self._ready() or scheduler.wait_until(self._ready, timeout))

    def close(self):
        self.closed = True

    def fileno(self):
        raise OSError("connections of this Python have no descriptors")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.close()


def Pipe(duplex=True):
    left, right = Connection(deque(), writable=duplex), Connection(deque(), readable=duplex)
    left._other, right._other = right, left
    return left, right
