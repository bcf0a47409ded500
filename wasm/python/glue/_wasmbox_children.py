"""Processes that this program has started: commands of the session's shell, which run beside it while it waits. Their pipes are
descriptors of this Python's own, as sockets are, whose far ends go to the host and come from there."""

import errno
import json
import os

import _wasmbox_outside as outside
from _wasmbox import host_call
from _wasmbox_ends import End, add_descriptor, close_descriptor, ends
from _wasmbox_names import AF_UNIX, LINUX

# What a pipe holds that nobody has read.
PIPE_BYTES = 64 * 1024
KILLED, BROKEN_PIPE = 9, 13
NONE_HERE = "Resource temporarily unavailable: no process can run beside this program here"

# Those that run, or whose pipes are open, by their ids.
running = {}


class NoShell(OSError):
    """There is nothing that processes could run in."""


def ask(operation, data=b"", **request):
    answer, content = host_call(f"processes.{operation}", json.dumps(request).encode(), data)
    return json.loads(answer), content


class Source:
    """What a process reads: of an End by a descriptor, or of a file by its number, either of which is its own."""

    def __init__(self, number):
        self.number = number
        self.end = ends.get(number)

    def read(self):
        """None: nothing yet. No bytes: the end."""
        if self.end is None:
            return os.read(self.number, PIPE_BYTES)
        incoming = self.end.incoming
        if incoming:
            piece = bytes(incoming[:PIPE_BYTES])
            del incoming[:PIPE_BYTES]
            return piece
        return b"" if self.end.ended else None

    def close(self):
        close_number(self.number)


class Target:
    """Where something goes that a process prints: an End or a file, by a number that is its own."""

    def __init__(self, number):
        self.number = number
        self.end = ends.get(number)

    def write(self, content):
        if self.end is not None:
            if self.end.peer is not None:
                self.end.peer.incoming += content
            return
        while content:
            content = content[os.write(self.number, content):]

    def close(self):
        close_number(self.number)


def close_number(number):
    if number in ends:
        close_descriptor(number)
    else:
        os.close(number)


class Child:
    """One process."""

    def __init__(self, request, source, pipes):
        """`source`: a Source, or None. `pipes`: what becomes of "stdout" and "stderr" where this program reads them: a Target, or
        None where that is an End of its own, in `ends`."""
        # How it has ended: by an exit code, or a signal's number below zero.
        self.code = None
        self.source = source
        self.pending = b""
        self.pipes = pipes
        self.ends = {name: End(AF_UNIX, LINUX["SOCK_STREAM"]) for name, target in pipes.items() if target is None}
        self.on_end = []
        # Whether somebody was told of its end.
        self.reaped = False
        self.pid = self.begin(request)
        running[self.pid] = self
        outside.also(pump)

    def begin(self, request):
        """Its id. Raises NoShell, or BlockingIOError where it can't run beside this program."""
        targets = {name: "pipe" for name in self.pipes}
        try:
            answer, _ = ask("begin", **request, stdin="null" if self.source is None else "pipe", **targets)
        except OSError as error:
            raise NoShell from error
        if answer is None:
            raise NoShell
        if answer["pid"] is None:
            raise BlockingIOError(errno.EAGAIN, NONE_HERE)
        return answer["pid"]

    def pump(self):
        """Whether anything moved."""
        moved = self.give() if self.source is not None else False
        for name in list(self.pipes):
            moved |= self.read(name)
        if self.code is None:
            moved |= self.look()
        if self.code is not None:
            self.end_source()
        if self.code is not None and not self.pipes:
            running.pop(self.pid, None)
            ask("forget", pid=self.pid)
        return moved

    def give(self):
        moved = False
        while self.source is not None:
            if not self.pending:
                self.pending = self.source.read()
            if self.pending is None:
                self.pending = b""
                break
            if not self.pending:
                self.end_source()
                ask("close", pid=self.pid, stream="stdin")
                return True
            taken = ask("give", self.pending, pid=self.pid)[0]["taken"]
            if taken is None:
                # Nobody reads it: who writes is told.
                self.end_source()
                return True
            if not taken:
                break
            self.pending = self.pending[taken:]
            moved = True
        return moved

    def end_source(self):
        source, self.source, self.pending = self.source, None, b""
        if source is not None:
            source.close()

    def read(self, name):
        target, end = self.pipes[name], self.ends.get(name)
        if target is None and not end.descriptors:
            # This program has closed it.
            self.close(name)
            return True
        moved = False
        while target is not None or len(end.incoming) < PIPE_BYTES:
            answer, content = ask("read", pid=self.pid, stream=name, most=PIPE_BYTES)
            if answer["state"] == "nothing_yet":
                break
            moved = True
            try:
                if target is None:
                    end.incoming += content
                else:
                    target.write(content)
            except OSError:
                # Who writes more is told.
                self.close(name)
                break
            if answer["state"] == "end":
                self.close(name)
                break
        return moved

    def close(self, name):
        target = self.pipes.pop(name)
        if target is None:
            self.ends[name].ended = True
        else:
            target.close()
        self.tell_closed(name)

    def tell_closed(self, name):
        ask("close", pid=self.pid, stream=name)

    def when_ended(self, told):
        if self.code is None:
            self.on_end.append(told)
        else:
            told()

    def look(self):
        """Whether it has ended."""
        answer, _ = ask("state", pid=self.pid)
        if answer["state"] == "running":
            return False
        # One that is not known was lost: the session went on without it.
        self.ended(answer["code"] if answer["state"] == "ended" else -answer.get("signal", KILLED))
        return True

    def ended(self, code):
        self.code = code
        for told in self.on_end:
            told()
        self.on_end.clear()

    def signal(self, number):
        ask("signal", pid=self.pid, signal=number)


def ended_child(pid, code):
    """One that ended where the program was before."""
    child = Child.__new__(Child)
    child.pid, child.code, child.source, child.pending = pid, code, None, b""
    child.pipes, child.ends, child.on_end, child.reaped = {}, {}, [], True
    return child


def input_pipe():
    """The End that a program writes to, and the Source of the process."""
    near, far = End(AF_UNIX, LINUX["SOCK_STREAM"]), End(AF_UNIX, LINUX["SOCK_STREAM"])
    near.peer, far.peer = far, near
    far.most = PIPE_BYTES
    return near, Source(add_descriptor(far))


is_pumping = False


def pump():
    """Hands on what is to go and what has come. Whether there was any, and whether more may come."""
    global is_pumping
    moved = False
    # Another thread may have its turn in the middle of that.
    if not is_pumping:
        is_pumping = True
        try:
            for child in list(running.values()):
                moved |= child.pump()
        finally:
            is_pumping = False
    return moved, bool(running)


def flush():
    """At the end of a program: what it has written is read by its processes."""
    until = outside.scheduler.monotonic() + outside.PATIENCE
    while outside.scheduler.monotonic() < until:
        if not any(child.source is not None and has_more(child) for child in running.values()):
            break
        if not pump()[0]:
            outside.scheduler.rest(outside.scheduler.NAP)


def has_more(child):
    end = child.source.end
    return bool(child.pending) or end is not None and bool(end.incoming)
