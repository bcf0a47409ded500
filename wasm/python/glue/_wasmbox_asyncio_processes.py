"""asyncio's processes: the library's own, on those of `_wasmbox_popen`, whose pipes an event loop waits for by their descriptors."""

import asyncio
import errno
import os
import subprocess
from asyncio import base_subprocess, futures

import _wasmbox_scheduler as scheduler
from _wasmbox_process_pipes import Input, Output

# Bytes that a process has yet to read, above which its writer is to wait, and seconds after which it is asked again whether it has to.
HIGH_WATER = 64 * 1024
MOMENT = 0.005


class Pipe:
    """What both kinds of transports are."""

    def __init__(self, loop, pipe, protocol, waiter, extra):
        super().__init__({**(extra or {}), "pipe": pipe})
        self._loop, self._pipe, self._protocol = loop, pipe, protocol
        self._closing = False
        loop.call_soon(protocol.connection_made, self)
        loop.call_soon(self._begin)
        if waiter is not None:
            loop.call_soon(futures._set_result_unless_cancelled, waiter, None)

    def _begin(self):
        pass

    def set_protocol(self, protocol):
        self._protocol = protocol

    def get_protocol(self):
        return self._protocol

    def is_closing(self):
        return self._closing

    def close(self, error=None):
        if self._closing:
            return
        self._closing = True
        self._loop._selector and self._loop.remove_reader(self._pipe.fileno())
        self._pipe.close()
        self._loop.call_soon(self._protocol.connection_lost, error)


class ReadPipe(Pipe, asyncio.ReadTransport):
    _paused = False

    def _begin(self):
        if not self._closing and not self._paused:
            self._loop.add_reader(self._pipe.fileno(), self._read)

    def _read(self):
        data = self._pipe.read(HIGH_WATER)
        if data:
            self._protocol.data_received(data)
            return
        self._protocol.eof_received()
        self.close()

    def is_reading(self):
        return not self._paused and not self._closing

    def pause_reading(self):
        if self.is_reading():
            self._paused = True
            self._loop.remove_reader(self._pipe.fileno())

    def resume_reading(self):
        if self._paused and not self._closing:
            self._paused = False
            self._begin()


class WritePipe(Pipe, asyncio.WriteTransport):
    _waits = False

    def write(self, data):
        far = self._pipe._end.peer
        if self._closing or not data:
            return
        if not far.descriptors:
            self.close(BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)))
            return
        far.incoming += data
        if scheduler.outside is not None:
            scheduler.outside()
        if len(far.incoming) > HIGH_WATER and not self._waits:
            self._waits = True
            self._protocol.pause_writing()
            self._loop.call_later(MOMENT, self._look)

    def _look(self):
        far = self._pipe._end.peer
        if far.descriptors and len(far.incoming) > HIGH_WATER:
            self._loop.call_later(MOMENT, self._look)
            return
        self._waits = False
        self._protocol.resume_writing()

    def get_write_buffer_size(self):
        return len(self._pipe._end.peer.incoming)

    def get_write_buffer_limits(self):
        return 0, HIGH_WATER

    def set_write_buffer_limits(self, high=None, low=None):
        pass

    def can_write_eof(self):
        return True

    def write_eof(self):
        self.close()

    def abort(self):
        self.close()


class Process(base_subprocess.BaseSubprocessTransport):
    def _start(self, args, shell, stdin, stdout, stderr, bufsize, **options):
        self._proc = subprocess.Popen(
            args, shell=shell, stdin=stdin, stdout=stdout, stderr=stderr, universal_newlines=False, bufsize=bufsize, **options
        )


class Processes:
    """What an event loop has for them."""

    def _make_read_pipe_transport(self, pipe, protocol, waiter=None, extra=None):
        if not isinstance(pipe, Output):
            return super()._make_read_pipe_transport(pipe, protocol, waiter, extra)
        return ReadPipe(self, pipe, protocol, waiter, extra)

    def _make_write_pipe_transport(self, pipe, protocol, waiter=None, extra=None):
        if not isinstance(pipe, Input):
            return super()._make_write_pipe_transport(pipe, protocol, waiter, extra)
        return WritePipe(self, pipe, protocol, waiter, extra)

    def _tell_end(self, transport):
        if self.is_closed():
            return
        stdin = transport.get_pipe_transport(0)
        if stdin is not None:
            self.call_soon(stdin.close)
        self.call_soon_threadsafe(transport._process_exited, transport._proc._end())

    async def _make_subprocess_transport(
        self, protocol, args, shell, stdin, stdout, stderr, bufsize, extra=None, **options
    ):
        waiter = self.create_future()
        transport = Process(
            self, protocol, args, shell, stdin, stdout, stderr, bufsize, waiter=waiter, extra=extra, **options
        )
        transport._proc._child.when_ended(lambda: self._tell_end(transport))
        try:
            await waiter
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:
            transport.close()
            await transport._wait()
            raise
        return transport
