"""asyncio's processes: those of `_wasmbox_popen`. One runs as a whole, and nothing else meanwhile, as soon as it has
all of its input."""

import asyncio
import functools
import subprocess

import _wasmbox_scheduler as scheduler
from _wasmbox_shell import in_shell

MOMENT = 0.01


class Pipe(asyncio.Transport):
    """The parent's end of a process's input or output."""

    def __init__(self, process, stream):
        super().__init__()
        self._process, self._stream = process, stream
        self._closing = False

    def write(self, data):
        self._stream.write(data)
        self._stream.flush()
        self._process.written()

    def can_write_eof(self):
        return True

    def write_eof(self):
        self.close()

    def is_closing(self):
        return self._closing

    def close(self):
        if not self._closing:
            self._closing = True
            self._process.close_pipe(self._stream)

    abort = close

    def get_write_buffer_size(self):
        return 0

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


class Process(asyncio.SubprocessTransport):
    def __init__(self, loop, protocol, command, options):
        super().__init__({"subprocess": self})
        self._loop, self._protocol = loop, protocol
        self._process = subprocess.Popen(command, **options)
        # It runs when this says so.
        scheduler.waiting.remove(self._process._thread)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._pipes = {number: Pipe(self, stream) for number, stream in enumerate(streams) if stream}
        self._waiters, self._limits = [], []
        self._ended = self._expiring = False
        # That wait for it.
        self._tasks = {asyncio.current_task(loop)}
        protocol.connection_made(self)
        readers = {1: getattr(protocol, "stdout", None), 2: getattr(protocol, "stderr", None)}
        self._readers = {number: each for number, each in readers.items() if each is not None}
        for number, reader in self._readers.items():
            reader._wait_for_data = functools.partial(self._run_for, number, reader._wait_for_data)
        if 0 not in self._pipes:
            loop.call_soon(self._run)

    async def _run_for(self, number, wait, name):
        """Who reads of it before its input is closed gets what it makes of what there is."""
        self._loop.call_soon(self._run, number)
        await wait(name)

    def written(self):
        """Those who wait for an answer may get one now."""
        for number, reader in self._readers.items():
            if reader._waiter:
                self._loop.call_soon(self._run, number)

    def _run(self, number=None):
        """Runs it, if it has not been. `number`: of the stream that somebody waits for."""
        if self._ended or self._expiring:
            return
        self._process._limit = self._time_left()
        try:
            if number and self._process._is_open() and self._process._answers():
                self._tell_answer(number)
                return
            self._process._run()
        except subprocess.TimeoutExpired:
            # They hear of that by their time-out. It ends for who kills it or waits then.
            self._expiring = True
            self._loop.call_later(MOMENT, self._expire, 100)
        except BaseException:
            self._end()
            raise
        else:
            self._end()

    def _tell_answer(self, number):
        """The next line of it: what it prints at the end of its input is there already, and is not due."""
        stream = self._process._out if number == 1 else self._process._err
        line = stream.content.readline() if self._readers[number]._waiter else b""
        if line:
            self._protocol.pipe_data_received(number, line)

    def _expire(self, moments):
        if moments and any(each._state.value in ("active", "expiring") for each in self._limits):
            self._loop.call_later(MOMENT, self._expire, moments - 1)
            return
        self._expiring = False
        if any(reader._waiter for reader in self._readers.values()) or not all(waiter.done() for waiter in self._waiters):
            self._end()

    def _time_left(self):
        """Seconds until the first one's time is over that waits for it; None if they wait for ever."""
        limits = [getattr(each._callback, "__self__", None) for each in self._loop._scheduled if not each._cancelled]
        limits = [each for each in limits if isinstance(each, asyncio.Timeout) and each._task in self._tasks]
        if not limits:
            return None
        first = min(each.when() for each in limits)
        self._limits = [each for each in limits if each.when() == first]
        return max(first - self._loop.time(), MOMENT)

    def _end(self):
        if self._ended:
            return
        self._ended = True
        for number in (1, 2):
            if number in self._pipes:
                content = self._process.stdout.read() if number == 1 else self._process.stderr.read()
                if content:
                    self._protocol.pipe_data_received(number, content)
                self._protocol.pipe_connection_lost(number, None)
        self._protocol.process_exited()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(self._process._code)
        self._loop.call_soon(self._protocol.connection_lost, None)

    def close_pipe(self, stream):
        if stream is self._process.stdin:
            stream.close()
            self._loop.call_soon(self._protocol.pipe_connection_lost, 0, None)
            self._loop.call_soon(self._run)

    async def _wait(self):
        if not self._ended:
            self._tasks.add(asyncio.current_task(self._loop))
            self._loop.call_soon(self._run)
            waiter = self._loop.create_future()
            self._waiters.append(waiter)
            return await waiter
        return self._process._code

    def get_pid(self):
        return self._process.pid

    def get_returncode(self):
        return self._process._code if self._ended else None

    def get_pipe_transport(self, fd):
        return self._pipes.get(fd)

    def send_signal(self, signal):
        if self._ended:
            raise ProcessLookupError
        self._process.send_signal(signal)
        self._loop.call_soon(self._end)

    def terminate(self):
        self.send_signal(15)

    def kill(self):
        self.send_signal(9)

    def is_closing(self):
        return self._ended

    def close(self):
        if not self._ended:
            self.kill()


def start(loop, protocol_factory, command, stdin, stdout, stderr, options):
    if options.pop("universal_newlines", False) or options.pop("text", False) or options.pop("encoding", None):
        raise ValueError("text must be False")
    options.pop("bufsize", None), options.pop("errors", None)
    protocol = protocol_factory()
    options = {**options, "stdin": stdin, "stdout": stdout, "stderr": stderr}
    return Process(loop, protocol, command, options), protocol


async def subprocess_exec(self, protocol_factory, program, *args, stdin=-1, stdout=-1, stderr=-1, shell=False, **options):
    if shell:
        raise ValueError("shell must be False")
    return start(self, protocol_factory, [program, *args], stdin, stdout, stderr, options)


async def subprocess_shell(self, protocol_factory, cmd, *, stdin=-1, stdout=-1, stderr=-1, shell=True, **options):
    if not shell:
        raise ValueError("shell must be True")
    if not isinstance(cmd, (bytes, str)):
        raise ValueError("cmd must be a string")
    # Who asks where there is no shell hears of it now.
    in_shell(":", cmd)
    return start(self, protocol_factory, cmd, stdin, stdout, stderr, {**options, "shell": True})
