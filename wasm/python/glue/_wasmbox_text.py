"""The text files of socket.makefile(), in Python as the ones of bytes (_wasmbox_streams)."""

import _pyio


class TextIOWrapper(_pyio.TextIOWrapper):
    def __iter__(self):
        while line := self.readline():
            yield line
