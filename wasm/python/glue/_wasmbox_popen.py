"""subprocess.Popen of commands of the session's shell: processes that run beside this program while it waits for anything."""

import errno
import os
import shlex
import subprocess
import sys
import weakref

import _wasmbox_scheduler as scheduler
from _wasmbox_children import BROKEN_PIPE, PIPE_BYTES, Child, NoShell, Source, input_pipe
from _wasmbox_process_pipes import Input, Output, Writer, held_of, raw_of
from _wasmbox_process_targets import Targets, copy_of, number_of
from _wasmbox_shell import check, environment, refusal, script_for
from _wasmbox_streams import Reader
from _wasmbox_text import TextIOWrapper
from _wasmbox_whole import begin_whole

PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL
# Signals that end nobody: 0, CHLD, CONT, URG and WINCH, and those that stop and leave it to others to go on.
HARMLESS = {0, 17, 18, 19, 20, 21, 22, 23, 28}
# Options of a shell with which it reads what it is to do.
BARE = {"-s", "-l", "-i", "--login", "--norc", "--noprofile", "--posix"}
# Seconds for which who asks whether one has ended lets it run.
GLANCE = 0.001
# Bytes of an argument that are too many.
ARGUMENT_MAX = 128 * 1024
# Most bytes of the name under which a process is shown.
NAME_MAX = 200

# Those that the program knows, by their ids.
known = weakref.WeakValueDictionary()


class Popen:
    """A command of the session's shell, as a process."""

    def __init__(
        self, args, bufsize=-1, executable=None, stdin=None, stdout=None, stderr=None, preexec_fn=None, close_fds=True,
        shell=False, cwd=None, env=None, universal_newlines=None, startupinfo=None, creationflags=0,
        restore_signals=True, start_new_session=False, pass_fds=(), *, user=None, group=None, extra_groups=None,
        encoding=None, errors=None, text=None, umask=-1, pipesize=-1, process_group=None,
    ):
        self.returncode = None
        self.stdin = self.stdout = self.stderr = None
        if stdout == STDOUT:
            raise ValueError("STDOUT can only be used for stderr")
        if bufsize is None:
            bufsize = -1
        if not isinstance(bufsize, int):
            raise TypeError("bufsize must be an integer")
        self.args = args
        self.text_mode = encoding or errors or text or universal_newlines
        self.encoding, self.errors = encoding or "utf-8", errors or "strict"
        script = script_for(args, executable, shell)
        directory = os.path.abspath(os.fsdecode(cwd)) if cwd is not None else os.getcwd()
        if not os.path.isdir(directory):
            kind = NotADirectoryError if os.path.exists(directory) else FileNotFoundError
            number = errno.ENOTDIR if kind is NotADirectoryError else errno.ENOENT
            raise kind(number, os.strerror(number), directory)
        exports = environment(env)
        if not shell:
            check(script, directory, exports, args, (os.environ if env is None else env).get("PATH"))
        if not shell and any(len(os.fsencode(each)) >= ARGUMENT_MAX for each in listed(args)):
            raise OSError(errno.E2BIG, os.strerror(errno.E2BIG), os.fsdecode(listed(args)[0]))
        targets = Targets(stdout, stderr)
        source = None
        try:
            source, self.stdin = self._source(stdin, bufsize)
            name = script if shell else shlex.join(map(os.fsdecode, listed(args)))
            conversation = script if source is not None and is_bare_shell(script) else None
            # Its lines keep their numbers.
            unknown = [] if env is None else [name for name in ("PWD", "OLDPWD") if name not in env]
            hidden = [f"export -n {' '.join(unknown)}"] if unknown else []
            lines = [f"cd {shlex.quote(directory)}", *hidden, *exports, *targets.lines, *([script] if conversation is None else [])]
            script = "; ".join(lines)
            request = {"script": script, "conversation": conversation, "name": name[:NAME_MAX], **targets.streams}
            sys.stdout.flush()
            sys.stderr.flush()
            self._child = begin(request, source, targets.pipes)
        except BaseException as error:
            targets.close()
            if source is not None:
                source.close()
            if self.stdin is not None:
                self.stdin.close()
            if isinstance(error, NoShell):
                raise refusal(args) from None
            raise
        self._shell = shell
        self.pid = self._child.pid
        known[self.pid] = self
        targets.take(self._child)
        if stdout == PIPE:
            self.stdout = self._reader(self._child.ends["stdout"], bufsize)
        if stderr == PIPE:
            self.stderr = self._reader(self._child.ends["stderr"], bufsize)

    def _source(self, stdin, bufsize):
        """What the process reads, and what the program writes to."""
        if stdin is None or stdin == DEVNULL:
            return None, None
        if stdin == PIPE:
            near, source = input_pipe()
            return source, self._writer(Input(near), bufsize)
        # The program may close its own.
        return Source(copy_of(number_of(stdin))), None

    def _writer(self, raw, bufsize):
        stream = raw if bufsize == 0 else Writer(raw)
        if not self.text_mode:
            return stream
        stream = stream if bufsize else Writer(raw)
        return TextIOWrapper(
            stream, encoding=self.encoding, errors=self.errors, write_through=True, line_buffering=bufsize == 1,
        )

    def _reader(self, end, bufsize):
        raw = Output(end)
        if bufsize == 0 and not self.text_mode:
            return raw
        return TextIOWrapper(Reader(raw), encoding=self.encoding, errors=self.errors) if self.text_mode else Reader(raw)

    def _look(self):
        """Whether it has ended."""
        if self._child.code is None and scheduler.outside is not None:
            scheduler.outside()
        return self._child.code is not None

    def _end(self):
        code = self._child.code
        if self.returncode is None and code is not None:
            self._child.reaped = True
            # Of a shell that is nothing but its command's.
            self.returncode = -BROKEN_PIPE if code == 128 + BROKEN_PIPE and not self._shell else code
        return self.returncode

    def poll(self):
        if self.returncode is None and not self._look():
            scheduler.wait_until(self._look, GLANCE)
        return self._end()

    def wait(self, timeout=None):
        if self.returncode is None and not scheduler.wait_until(self._look, timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self._end()

    def communicate(self, input=None, timeout=None):
        conversation = self.__dict__.setdefault("_conversation", None)
        if conversation is None:
            conversation = self._conversation = Conversation(self, input)
        elif input:
            raise ValueError("Cannot send input after starting communication")
        if not scheduler.wait_until(lambda: conversation.go_on() and self._look(), timeout):
            raise subprocess.TimeoutExpired(self.args, timeout, *conversation.printed())
        self._end()
        return conversation.results()

    def send_signal(self, sig):
        if self.returncode is None and sig not in HARMLESS and not self._look():
            self._child.signal(int(sig))

    def terminate(self):
        self.send_signal(15)

    def kill(self):
        self.send_signal(9)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        for each in (self.stdout, self.stderr):
            if each:
                each.close()
        try:
            if self.stdin:
                self.stdin.close()
        finally:
            if kind is not KeyboardInterrupt:
                self.wait()

    def __repr__(self):
        return f"<{type(self).__name__}: returncode: {self.returncode} args: {self.args!r}>"

    def __class_getitem__(cls, item):
        import types

        return types.GenericAlias(cls, item)


Popen.__module__ = "subprocess"
Popen.__qualname__ = "Popen"


def listed(args):
    return [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args)


def begin(request, source, pipes):
    try:
        return Child(request, source, pipes)
    except BlockingIOError:
        return begin_whole(request, source, pipes)


class Conversation:
    """All that a process is given and gives, of `communicate`."""

    def __init__(self, process, input):
        self.process = process
        self.left = None
        if process.stdin is not None and not process.stdin.closed:
            try:
                process.stdin.flush()
            except BrokenPipeError:
                pass
            if isinstance(input, str):
                input = input.replace("\n", os.linesep).encode(process.encoding, process.errors)
            self.left = memoryview(input or b"").cast("B")
        self.streams = [each for each in (process.stdout, process.stderr) if each is not None and not each.closed]
        # With what was read ahead before.
        self.taken = {each: [held_of(each)] for each in self.streams}
        self.open = set(self.streams)

    def go_on(self):
        """Whether all is said."""
        scheduler.outside and scheduler.outside()
        if self.left is not None:
            self.give()
        for stream in list(self.open):
            end = raw_of(stream)._end
            if end.incoming:
                self.taken[stream].append(bytes(end.incoming))
                end.incoming.clear()
            if end.ended:
                self.open.discard(stream)
        return not self.open and self.left is None

    def give(self):
        far = raw_of(self.process.stdin)._end.peer
        if self.left and far.descriptors and far.has_room():
            far.incoming += self.left[:PIPE_BYTES]
            self.left = self.left[PIPE_BYTES:]
        if not self.left or not far.descriptors:
            self.left = None
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass

    def printed(self):
        """So far, in bytes; None of what is no pipe."""
        process = self.process
        return [self.taken.get(each) and b"".join(self.taken[each]) or None for each in (process.stdout, process.stderr)]

    def results(self):
        process = self.process
        found = []
        for stream in (process.stdout, process.stderr):
            if stream not in self.taken:
                found.append(None)
                continue
            data = b"".join(self.taken[stream])
            stream.close()
            if process.text_mode:
                data = data.decode(process.encoding, process.errors).replace("\r\n", "\n").replace("\r", "\n")
            found.append(data)
        return tuple(found)


def is_bare_shell(script):
    """Whether it is a shell that reads what it is to do."""
    name, *options = script.split() or [""]
    return os.path.basename(name) in ("bash", "sh", "dash") and BARE.issuperset(options)
