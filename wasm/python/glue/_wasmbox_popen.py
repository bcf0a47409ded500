"""subprocess.Popen of commands of the session's shell. One is run as a whole, when somebody waits for it or reads of it,
else as a thread that runs when somebody waits for anything; standard input and output pass through files."""

import errno
import functools
import io
import math
import os
import shlex
import subprocess
import sys
import weakref

import _wasmbox_scheduler as scheduler
from _wasmbox_conversations import Conversation
from _wasmbox_endless import CUT_OFF, PATIENCE, is_to_be_ended
from _wasmbox_shell import NO_DIRECTORY, check, environment, in_shell, script_for

PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL
# What shells say of a program that is not there.
NOT_FOUND = 127
ENDED = (
    "the process has run already: it runs as a whole, with all that it was given before its output was read; one that changes "
    "files, or is another one each time, can't be run again for more"
)
# Signals that end nobody: 0, CHLD, CONT, URG and WINCH, and those that stop and leave it to others to go on.
HARMLESS = {0, 17, 18, 19, 20, 21, 22, 23, 28}
# Seconds within which a process has ended in time.
MOMENT = 0.05
# Seconds after which one has gone on for long.
LONG = 1

# Ids are none of the program's own processes.
FIRST_ID = 1000
count = 0
# Those that the program knows, by their ids.
known = weakref.WeakValueDictionary()
# How long the process may take that is about to be made, in seconds: one that nobody reads of is run at once.
limit = None


class Output(io.RawIOBase):
    """What a process prints; it is run when that is first read."""

    def __init__(self, process):
        self.process = process
        self.content = None

    def readable(self):
        return True

    def readinto(self, buffer):
        if self.content is None:
            self.process._run_for_reader()
        talks = self.process._talks()
        if talks:
            self.process.stdin.flush()
        if self.process._stale:
            self.process._run_again(PATIENCE)
        piece = self.content.readline(len(buffer)) if talks else self.content.read(len(buffer))
        if not piece:
            self.process._pass_errors_on()
            self.process._await_end()
            self.process._late = False
        buffer[: len(piece)] = piece
        return len(piece)

    def readall(self):
        """Where no other thread could end it meanwhile, who reads to the end waits for that."""
        if self.content is None and len(scheduler.stack) == 1 and scheduler.waiting in ([], [self.process._thread]):
            self.process._run()
        return super().readall()

    def rest(self):
        """What another process is given of it."""
        if self.content is None:
            self.process._run()
        return self.content.read()


class Input(io.RawIOBase):
    """What a process is given; it begins when that is closed."""

    def __init__(self, process):
        self.process = process
        self.content = io.BytesIO()

    def writable(self):
        return True

    def write(self, data):
        if self.process._begun and not self.process._talks():
            raise BrokenPipeError(errno.EPIPE, ENDED)
        self.process._stale = self.process._begun
        return self.content.write(data)


class Popen(Conversation):
    """A command of the session's shell, as a process."""

    # Whether one has that nobody waited for.
    _failed = False

    def __init__(
        self, args, bufsize=-1, executable=None, stdin=None, stdout=None, stderr=None, preexec_fn=None, close_fds=True,
        shell=False, cwd=None, env=None, universal_newlines=None, startupinfo=None, creationflags=0,
        restore_signals=True, start_new_session=False, pass_fds=(), *, user=None, group=None, extra_groups=None,
        encoding=None, errors=None, text=None, umask=-1, pipesize=-1, process_group=None,
    ):
        global count
        if stdout == STDOUT:
            raise ValueError("STDOUT can only be used for stderr")
        count += 1
        self.args = args
        self.pid = FIRST_ID + count
        known[self.pid] = self
        # What it ended with, and what the program knows of that.
        self._code = self.returncode = None
        # Whether it ended later than the program would have looked again, and whether that has been said.
        self._late = self._late_told = False
        # Whether it had not ended when it was no longer waited for, and whether the program was told of a time-out.
        self._cut_off = self._expired = False
        self._polls = 0
        self.text_mode = encoding or errors or text or universal_newlines
        self.encoding, self.errors = encoding or "utf-8", errors or "strict"
        self._limit = limit
        self._to_be_ended = is_to_be_ended(sys._getframe(1))
        self._script = script_for(args, executable, shell)
        self._cwd = os.path.abspath(os.fsdecode(cwd)) if cwd is not None else os.getcwd()
        if not os.path.isdir(self._cwd):
            kind = NotADirectoryError if os.path.exists(self._cwd) else FileNotFoundError
            number = errno.ENOTDIR if kind is NotADirectoryError else errno.ENOENT
            raise kind(number, os.strerror(number), self._cwd)
        self._environment = environment(env)
        self._targets = {"stdout": stdout, "stderr": stderr}
        if not shell:
            check(self._script, self._cwd, self._environment, args)
        self._given = given(stdin)
        self._begun = False
        self._merged = stderr == STDOUT or is_same(stdout, stderr)
        # The program may close its files before the process runs.
        self._copies = {name: os.dup(number_of(each)) for name, each in self._targets.items() if is_file(each)}
        self.stdin = self._pipe(Input(self)) if stdin == PIPE else None
        self._out, self._err = (Output(self) if self._targets[name] == PIPE else None for name in ("stdout", "stderr"))
        self.stdout, self.stderr = (each and self._pipe(each) for each in (self._out, self._err))
        self._thread = scheduler.spawn(self._run_in_turn, False, None)
        if self.stdin:
            self._thread.ready = lambda: self.stdin.closed

    def _run_in_turn(self):
        due = min((each.deadline for each in scheduler.stack if each.deadline is not None), default=math.inf)
        try:
            self._run(max(due - scheduler.monotonic(), 0) + PATIENCE)
        except OSError as error:
            self._code = NOT_FOUND
            print(error, file=sys.stderr)
        self._late = self._cut_off or scheduler.monotonic() > due + MOMENT
        Popen._failed |= self._code != 0

    def _run_for_reader(self):
        """Who has not read to the end of it takes one that went on for long for one that still runs."""
        began = scheduler.monotonic()
        before = self._begin_asking()
        self._run(PATIENCE)
        self._end_asking(before)
        self._late = self._cut_off or scheduler.monotonic() > began + LONG

    def _pipe(self, raw):
        buffered = io.BufferedWriter(raw) if raw.writable() else io.BufferedReader(raw)
        if not self.text_mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding=self.encoding, errors=self.errors, write_through=True)

    def _begin(self):
        """Whether it has yet to run."""
        if self._begun:
            return False
        if self.stdin and not self.stdin.closed:
            self.stdin.flush()
        self._begun = True
        if self._thread in scheduler.waiting:
            scheduler.waiting.remove(self._thread)
        return True

    def _await_end(self):
        """Nothing more comes of one that was cut off but its end, by another thread."""
        if self._cut_off and self._code is None:
            if len(scheduler.stack) == 1:
                raise RuntimeError(CUT_OFF)
            scheduler.wait_until(lambda: self._code is not None)

    def _run(self, patience=math.inf, patient=True):
        """Runs it, if it has not been. `patience`: for how long, in seconds, if the program is to end it, or it is not
        `patient`."""
        if not self._begin():
            if self._stale:
                self._run_again(patience)
            return
        limit = self._limit
        if limit is None and (self._to_be_ended or not patient) and patience < math.inf:
            limit = patience
        raw = self.stdin and (self.stdin.buffer.raw if self.text_mode else self.stdin.raw)
        base = f"/tmp/.process-{os.urandom(8).hex()}"
        names = {"stdin": base + ".in", "stdout": base + ".out", "stderr": base + ".err"}
        lines = [f"cd {shlex.quote(self._cwd)} || exit {NO_DIRECTORY}", *self._environment]
        files = {}
        for name, number in (("stdout", 1), ("stderr", 2)):
            target = self._targets[name]
            if target == DEVNULL:
                lines.append(f"exec {number}>/dev/null")
            elif target is not None and not (name == "stderr" and self._merged) or name == "stderr" and self._holds_errors():
                files[name] = names[name]
        if self._merged:
            lines.append("exec 2>&1")  # within: what is redirected from outside comes one after the other
        script = "(\n" + "\n".join([*lines, self._script]) + f"\n) <{names['stdin']}"
        try:
            with open(names["stdin"], "wb") as file:
                file.write(raw.content.getvalue() if raw else self._given())
            for path in files.values():
                open(path, "wb").close()
            code = in_shell(script, self.args, files, limit)
            self._hand_over(files)
        except BaseException:
            self._code = -9
            raise
        finally:
            self._close_copies()
            for path in names.values():
                try:
                    os.unlink(path)
                except FileNotFoundError:
                    pass
            for each in (self._out, self._err):
                if each is not None and each.content is None:
                    each.content = io.BytesIO()
        if code is None:
            self._cut_off = self._late = True
            if self._limit is None:
                return
            self._expired = True
            printed = [each and each.content.getvalue() or None for each in (self._out, self._err)]
            raise subprocess.TimeoutExpired(self.args, self._limit, *printed)
        # That a signal ended it, shells tell by a number above 128.
        self._code = 128 - code if 128 < code < 160 else code

    def _hand_over(self, files):
        for name, path in files.items():
            with open(path, "rb") as file:
                content = file.read()
            pipe = self._out if name == "stdout" else self._err
            if pipe is not None:
                pipe.content = io.BytesIO(content)
            elif name not in self._copies:
                self._errors = content
            while content and name in self._copies:
                content = content[os.write(self._copies[name], content):]

    def _close_copies(self):
        while self._copies:
            os.close(self._copies.popitem()[1])

    def communicate(self, input=None, timeout=None):
        if self.stdin and not self.stdin.closed and (not self._begun or self._talks()):
            if input:
                self.stdin.write(input)
            if self._begun:
                self.stdin.close()
        self.wait(timeout)
        if self.stdin:
            self.stdin.close()
        return tuple(each.read() if each and not each.closed else None for each in (self.stdout, self.stderr))

    def poll(self):
        if self.returncode is not None or self.stdin and not self.stdin.closed:
            return self.returncode
        if self._late and not self._late_told:
            self._late_told = True
            return None
        self._await_end()
        # It has yet to begin. Who asks again and again, and waits for nothing, waits for it.
        self._polls += 1
        if self._code is None and not self._begun and self._polls <= scheduler.LOOKS:
            return None
        return self.wait()

    def wait(self, timeout=None):
        if not self._begun and timeout is not None:
            self._run_within(timeout)
        self._run()
        if self._cut_off and self._code is None and timeout is not None and not self._expired:
            self._expired = True
            raise subprocess.TimeoutExpired(self.args, timeout)
        self._pass_errors_on()
        self._await_end()
        self.returncode = self._code
        return self.returncode

    def _run_within(self, timeout):
        """Whose program would not end it, but wait once more, it may go on for longer."""
        if self._to_be_ended:
            self._limit = timeout
            self._run()
            return
        due = scheduler.monotonic() + timeout
        self._run(timeout + PATIENCE, patient=False)
        if not self._cut_off and scheduler.monotonic() > due:
            self._late = True
            raise subprocess.TimeoutExpired(self.args, timeout)

    def send_signal(self, sig):
        if self.returncode is not None or sig in HARMLESS:
            return
        if self._code is not None and not self._late and not self._talks():
            self.returncode = self._code
            return
        if self._begin():
            for each in (self._out, self._err):
                if each is not None:
                    each.content = io.BytesIO()
            self._close_copies()
        self._code = -int(sig)

    def terminate(self):
        self.send_signal(15)

    def kill(self):
        self.send_signal(9)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if self.stdin and not self.stdin.closed:
            self.stdin.flush()
        if kind is None:
            self.wait()
        for each in (self.stdout, self.stderr, self.stdin):
            if each:
                each.close()

    def __repr__(self):
        return f"<{type(self).__name__}: returncode: {self.returncode} args: {self.args!r}>"

    def __class_getitem__(cls, item):
        import types

        return types.GenericAlias(cls, item)


Popen.__module__ = "subprocess"
Popen.__qualname__ = "Popen"


def is_file(target):
    """Whether it is a file of the program's to which a process prints."""
    return target is not None and target not in (PIPE, STDOUT, DEVNULL)


def number_of(file):
    return file if isinstance(file, int) else file.fileno()


def is_same(stdout, stderr):
    return is_file(stdout) and is_file(stderr) and number_of(stdout) == number_of(stderr)


def given(stdin):
    """A function of what a process is given that nobody writes to."""
    if stdin is None or stdin in (PIPE, DEVNULL):
        return bytes
    raw = getattr(getattr(stdin, "buffer", stdin), "raw", None)
    if isinstance(raw, Output):
        return raw.rest
    pieces = []
    while piece := os.read(number_of(stdin), 1 << 20):
        pieces.append(piece)
    return lambda: b"".join(pieces)


def unreachable():
    """Whether there are processes that somebody may want to connect to: those that have yet to run, and that have failed."""
    return Popen._failed or any(process._code != 0 for process in known.values())


def limited(function):
    """One of subprocess's functions that take a time-out and make the process themselves."""

    @functools.wraps(function)
    def call(*args, timeout=None, **options):
        global limit
        limit = timeout
        try:
            return function(*args, timeout=timeout, **options)
        finally:
            limit = None

    return call
