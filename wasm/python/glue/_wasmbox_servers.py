"""Loops that serve in a thread: they are left while there is nothing to serve, and called again when there is."""

import socket
import socketserver

import _wasmbox_scheduler as scheduler
from _wasmbox_asyncio import LocalEventLoop
from _wasmbox_ends import ends, number_of
from _wasmbox_outside import is_reached


NOBODY_CALLS = (
    "nobody can call this server: nothing outside of this program reaches it, and the program itself waits for it. "
    "Serve in a thread, threading.Thread(target=server.serve_forever, daemon=True), and call it from the program; "
    "or have a script of the shell start it in the background, python3 server.py &, which later calls reach, in whatever language; "
    "or use the framework's test client"
)


def serve_forever(self, poll_interval=0.5):
    alone = len(scheduler.stack) == 1 and not scheduler.waiting
    if alone and not (is_closed(self) or has_request(self) or is_reached(ends[number_of(self)])):
        raise RuntimeError(NOBODY_CALLS)
    self._BaseServer__is_shut_down.clear()
    try:
        while True:
            scheduler.wait_until(lambda: self._BaseServer__shutdown_request or is_closed(self) or has_request(self))
            if self._BaseServer__shutdown_request or is_closed(self):
                break
            self._handle_request_noblock()
            self.service_actions()
    except BaseException:
        end_serving(self)
        raise
    end_serving(self)


def is_closed(server):
    """Which nobody is to learn from an error where another thread waits."""
    return server.fileno() == -1


def has_request(server):
    """Whoever has sent something comes first; others may want to be greeted."""
    end = ends[number_of(server)]
    if end.waiting is None:
        return end.readable()
    sender = next((each for each in end.waiting if each.readable()), None)
    if sender is not None:
        end.waiting.remove(sender)
        end.waiting.appendleft(sender)
    return bool(end.waiting)


def finish_request(self, request, client_address):
    """Without the call of a class, which is C code: a handler that waits can be paused."""
    kind = self.RequestHandlerClass
    if type(kind) is type and kind.__new__ is object.__new__:
        handler = object.__new__(kind)
        handler.__init__(request, client_address, self)
    else:
        kind(request, client_address, self)


def change_http(module):
    """A connection that is kept open waits for its next request where it can be paused, and not in reading a line."""
    real = module.BaseHTTPRequestHandler.handle_one_request

    def handle_one_request(self):
        if isinstance(self.connection, socket.socket) and not has_line(self):
            end = ends[number_of(self.connection)]
            scheduler.wait_until(end.readable, self.connection.gettimeout())
        real(self)

    module.BaseHTTPRequestHandler.handle_one_request = handle_one_request


def has_line(handler):
    """Whether something was read ahead, or can be read now."""
    connection = handler.connection
    if ends[number_of(connection)].readable():
        return True
    timeout = connection.gettimeout()
    connection.settimeout(0)
    try:
        return bool(handler.rfile.peek(1))
    finally:
        connection.settimeout(timeout)


def end_serving(server):
    server._BaseServer__shutdown_request = False
    server._BaseServer__is_shut_down.set()


def run_forever(self):
    if len(scheduler.stack) == 1:
        return real_run_forever(self)
    self._check_closed()
    self._check_running()
    stopping = False
    while not stopping:
        seconds = max(self._scheduled[0].when() - self.time(), 0) if self._scheduled else None
        scheduler.wait_until(lambda: has_work(self), seconds)
        self._run_forever_setup()
        try:
            self._run_once()
            stopping = self._stopping
        finally:
            self._run_forever_cleanup()


def has_work(loop):
    # One that is closed has no selector.
    return loop._ready or loop._stopping or loop._selector is not None and loop._selector.is_ready()


real_run_forever = LocalEventLoop.run_forever


def install():
    socketserver.BaseServer.serve_forever = serve_forever
    socketserver.BaseServer.finish_request = finish_request
    LocalEventLoop.run_forever = run_forever
