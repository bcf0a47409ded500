"""What socket.makefile() gives to read from: in Python, so that a thread that waits in it can be paused, also in a `for`."""

import io
import socket

CHUNK = io.DEFAULT_BUFFER_SIZE


class Reader(io.BufferedIOBase):
    def __init__(self, raw):
        self.raw = raw
        self._held = b""

    def _read_ahead(self):
        """Whether there was something: at the end, and where nobody waits, there is nothing."""
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        chunk = bytearray(CHUNK)
        count = self.raw.readinto(chunk)
        if count:
            self._held += chunk[:count]
        return bool(count)

    def _take(self, count):
        taken, self._held = self._held[:count], self._held[count:]
        return bytes(taken)

    def read(self, size=-1, /):
        if size is None or size < 0:
            while self._read_ahead():
                pass
            return self._take(len(self._held))
        while len(self._held) < size and self._read_ahead():
            pass
        return self._take(size)

    def read1(self, size=-1, /):
        if not self._held:
            self._read_ahead()
        return self._take(len(self._held) if size < 0 else size)

    def peek(self, size=0, /):
        if not self._held:
            self._read_ahead()
        return bytes(self._held)

    def readline(self, size=-1, /):
        searched = 0
        while True:
            end = self._held.find(b"\n", searched) + 1
            if end or size is not None and 0 <= size <= len(self._held):
                break
            searched = len(self._held)
            if not self._read_ahead():
                end = len(self._held)
                break
        end = end or len(self._held)
        return self._take(end if size is None or size < 0 else min(end, size))

    def readinto(self, buffer, /):
        return self._put(buffer, self.read(memoryview(buffer).nbytes))

    def readinto1(self, buffer, /):
        return self._put(buffer, self.read1(memoryview(buffer).nbytes))

    def _put(self, buffer, data):
        memoryview(buffer).cast("B")[: len(data)] = data
        return len(data)

    def __iter__(self):
        while line := self.readline():
            yield line

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint=-1, /):
        lines, size = [], 0
        for line in self:
            lines.append(line)
            size += len(line)
            if hint is not None and 0 < hint <= size:
                break
        return lines

    def readable(self):
        return self.raw.readable()

    def fileno(self):
        return self.raw.fileno()

    @property
    def name(self):
        return self.raw.name

    @property
    def mode(self):
        return self.raw.mode

    @property
    def closed(self):
        return self.raw.closed

    def close(self):
        self.raw.close()

    def detach(self):
        raw, self.raw = self.raw, None
        return raw


class ReaderWriter(Reader):
    def __init__(self, raw, size):
        super().__init__(raw)
        self._writer = io.BufferedWriter(raw, size)

    def write(self, data, /):
        return self._writer.write(data)

    def flush(self):
        self._writer.flush()

    def writable(self):
        return True

    def close(self):
        self._writer.close()


def makefile(self, mode="r", buffering=None, *, encoding=None, errors=None, newline=None):
    if not set(mode) <= {"r", "w", "b"} or buffering == 0 or "w" in mode and "r" not in mode:
        return real_makefile(self, mode, buffering, encoding=encoding, errors=errors, newline=newline)
    raw = real_makefile(self, f"{mode.replace('b', '')}b", 0)
    size = CHUNK if buffering is None or buffering < 0 else buffering
    buffer = ReaderWriter(raw, size) if "w" in mode else Reader(raw)
    if "b" in mode:
        return buffer
    from _wasmbox_text import TextIOWrapper

    text = TextIOWrapper(buffer, io.text_encoding(encoding), errors, newline)
    text.mode = mode
    return text


real_makefile = socket.socket.makefile
makefile.__doc__ = real_makefile.__doc__


def install():
    socket.socket.makefile = makefile
