"""Conversations with a process that answers line by line: it is run again, with all that it was given so far, whenever more of
it is read after more was written. Only one that changes no files, and that nothing says to be another one each time."""

import errno
import os
import re

from _wasmbox_endless import PATIENCE

MAX_FILES = 5_000
MAX_BYTES = 1 << 20
CHANCE = re.compile(rb"random|secrets|uuid|mktemp|tempfile|shuf\b", re.IGNORECASE)
OTHERWISE = "the process was run again for what it was given since, as it runs as a whole, and answered otherwise than before"


class Conversation:
    """What a Popen knows of its own."""

    # Whether it was run for what it had been given by then; whether it was given more since; whether it can be run again.
    _asked = _stale = _repeatable = False
    # What it printed to the program's standard error, and how much of that was passed on.
    _errors, _told = b"", 0

    def _is_open(self):
        return self.stdin is not None and not self.stdin.closed

    def _begin_asking(self):
        """Before it is run for a reader: what is to be compared afterwards."""
        # With files of the program's own it can't print anything twice.
        self._asked = self._is_open() and self._out is not None and not self._copies
        return self._asked and files_of(self._cwd)

    def _end_asking(self, before):
        self._repeatable = bool(
            self._asked and before and not self._cut_off and files_of(self._cwd) == before and not by_chance(self.args, self._cwd)
        )

    def _holds_errors(self):
        """Whether those that only tell of the end of what it was given are not passed on before that ends."""
        return self._asked and self._targets["stderr"] is None and not self._merged

    def _pass_errors_on(self):
        told, self._told = self._told, len(self._errors)
        while told < self._told:
            told += os.write(2, self._errors[told:])

    def _talks(self):
        return self._repeatable and self._is_open()

    def _answers(self):
        """Has it make what it makes of what it was given so far. Whether it may be given more."""
        if not self._begun:
            self._run_for_reader()
        if self._talks():
            self.stdin.flush()
            if self._stale:
                self._run_again(PATIENCE)
        return self._talks()

    def _run_again(self, patience):
        """With all that it was given; what was read of it before has to be the same."""
        self._stale = False
        streams = [each for each in (self._out, self._err) if each is not None]
        before = [(each.content.getvalue(), each.content.tell()) for each in streams]
        for each in streams:
            each.content = None
        self._begun = False
        self._run(patience)
        for each, (content, position) in zip(streams, before):
            if each.content.getvalue()[:position] != content[:position]:
                self._repeatable = False
                raise BrokenPipeError(errno.EPIPE, OTHERWISE)
            each.content.seek(position)


def files_of(directory):
    """What there is below a directory, and for temporary files; None: too much."""
    found = set()
    for top in (directory, "/tmp"):
        for path, directories, names in os.walk(top):
            directories[:] = [each for each in directories if each != "__pycache__"]
            for name in names:
                if name.startswith(".process-"):
                    continue
                try:
                    state = os.lstat(os.path.join(path, name))
                except OSError:
                    continue
                found.add((path, name, state.st_size, state.st_mtime_ns))
            if len(found) > MAX_FILES:
                return None
    return found or {None}


def by_chance(args, directory):
    words = [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args)
    for word in map(os.fsencode, words):
        if CHANCE.search(word):
            return True
        try:
            with open(os.path.join(os.fsencode(directory), word), "rb") as file:
                if CHANCE.search(file.read(MAX_BYTES)):
                    return True
        except (OSError, ValueError):
            pass
    return False
