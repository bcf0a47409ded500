"""Pipes of processes, as files: in Python, so that a thread that waits in one of them can be paused."""

import _pyio
import io

from _wasmbox_descriptors import read, write
from _wasmbox_ends import add_descriptor, close_descriptor, ends
from _wasmbox_streams import Reader


class Pipe(io.RawIOBase):
    """The program's end of one, by a descriptor."""

    def __init__(self, end):
        self._end = end
        self._number = add_descriptor(end)

    def fileno(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return self._number

    def close(self):
        if not self.closed:
            super().close()
            if self._number in ends:
                close_descriptor(self._number)


class Output(Pipe):
    """What a process prints."""

    def readable(self):
        return True

    def readinto(self, buffer):
        try:
            piece = read(self._number, len(buffer))
        except BlockingIOError:
            return None
        buffer[: len(piece)] = piece
        return len(piece)

    def read(self, size=-1, /):
        if size is None or size < 0:
            return self.readall()
        try:
            return read(self._number, size)
        except BlockingIOError:
            return None

    def readall(self):
        pieces = []
        while piece := self.read(io.DEFAULT_BUFFER_SIZE):
            pieces.append(piece)
        return b"".join(pieces)

    def readline(self, size=-1, /):
        line = bytearray()
        while not line.endswith(b"\n") and len(line) != size and (byte := self.read(1)):
            line += byte
        return bytes(line)

    def __iter__(self):
        while line := self.readline():
            yield line


class Input(Pipe):
    """What a process is given."""

    def writable(self):
        return True

    def write(self, data):
        try:
            return write(self._number, data)
        except BlockingIOError:
            return None


class Writer(_pyio.BufferedWriter):
    """What is written to it is buffered."""

    def __del__(self):
        try:
            self.close()
        except (OSError, ValueError):
            pass


def raw_of(stream):
    while not isinstance(stream, Pipe):
        stream = getattr(stream, "buffer", None) or stream.raw
    return stream


def held_of(stream):
    """What was read ahead of a pipe."""
    if isinstance(stream, Output):
        return b""
    if isinstance(stream, Reader):
        return stream._take(len(stream._held))
    text = stream._get_decoded_chars() if hasattr(stream, "_get_decoded_chars") else ""
    return text.encode(stream.encoding, stream.errors) + held_of(stream.buffer)
