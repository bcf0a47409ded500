"""Where processes print to, as `subprocess` is told."""

import os
import shlex
from subprocess import DEVNULL, PIPE, STDOUT

from _wasmbox_children import Target
from _wasmbox_ends import add_descriptor, ends


class Targets:
    """Where a process prints to: pipes, what the program itself prints to, or files of the program's."""

    def __init__(self, stdout, stderr):
        merged = stderr == STDOUT or is_same(stdout, stderr)
        # What becomes of them, what the shell does for that, and of those that come to this program where they go then.
        self.streams, self.lines, self.pipes = {}, [], {}
        # Files that are written at their ends.
        self.files = []
        # Of the program's own standard streams, those that the process has, too.
        self.inherited = {number for number, each in ((1, stdout), (2, stderr)) if each is None or is_own(each, number)}
        try:
            self._take("stdout", 1, stdout)
            if merged:
                self.streams["stderr"] = "null"
                self.lines.append("exec 2>&1")
            else:
                self._take("stderr", 2, stderr)
        except BaseException:
            self.close()
            raise

    def _take(self, name, number, target):
        self.streams[name] = "null" if target == DEVNULL else "inherit"
        if target == PIPE:
            self._pipe(name, None)
        elif target is not None and target != DEVNULL:
            self._file(name, number, number_of(target), getattr(target, "name", None))

    def _pipe(self, name, target):
        self.pipes[name] = target
        del self.streams[name]

    def _file(self, name, number, descriptor, path):
        """What can be written at its end is opened for that by the process; all else is a pipe."""
        if descriptor == number:
            return
        if descriptor in self.inherited:
            self.lines.append(f"exec {number}>&{descriptor}")
        elif isinstance(path, (str, bytes)) and is_at_end(descriptor, path):
            path = os.path.abspath(os.fsdecode(path))
            self.lines.append(f"exec {number}>>{shlex.quote(path)}")
            self.files.append(os.dup(descriptor))
        else:
            self._pipe(name, Target(copy_of(descriptor)))

    def take(self, child):
        """They are its own."""
        files, self.files = self.files, []
        if files:
            child.when_ended(lambda: [advance(each) for each in files])

    def close(self):
        while self.files:
            os.close(self.files.pop())
        for target in self.pipes.values():
            if target is not None:
                target.close()


def copy_of(number):
    return add_descriptor(ends[number]) if number in ends else os.dup(number)


def is_same(stdout, stderr):
    return is_file(stdout) and is_file(stderr) and number_of(stdout) == number_of(stderr)


def is_file(target):
    return target is not None and target not in (PIPE, STDOUT, DEVNULL)


def number_of(file):
    return file if isinstance(file, int) else file.fileno()


def is_own(target, number):
    return is_file(target) and number_of(target) == number


def is_at_end(descriptor, path):
    """Whether it is of the file of this name, and at its end."""
    if descriptor in ends or descriptor == 0:
        return False
    try:
        state = os.fstat(descriptor)
        return os.path.samestat(os.stat(path), state) and os.lseek(descriptor, 0, os.SEEK_CUR) == state.st_size
    except OSError:
        return False


def advance(descriptor):
    """What the program writes next comes after what the process has written."""
    try:
        os.lseek(descriptor, 0, os.SEEK_END)
    finally:
        os.close(descriptor)
