"""Puts sockets without a network in place of those that WASI lacks. Before `socket` and `selectors` are imported."""

import _socket
import select
import sys

import _wasmbox_ends as ends
import _wasmbox_names as names
import _wasmbox_sockets as sockets


def install():
    for name, value in names.LINUX.items():
        setattr(_socket, name, value)
    for function in (
        names.getaddrinfo, names.gethostbyaddr, names.gethostbyname, names.gethostbyname_ex, names.getnameinfo,
        names.getprotobyname, names.getservbyname, names.getservbyport, names.inet_ntoa, names.inet_ntop,
        names.inet_pton, sockets.dup, sockets.setdefaulttimeout, sockets.socketpair,
    ):
        setattr(_socket, function.__name__, function)
    _socket.getdefaulttimeout = lambda: sockets.default_timeout
    _socket.close = ends.close_descriptor
    sockets.Socket.__module__, sockets.Socket.__name__ = "_socket", "socket"
    _socket.socket = _socket.SocketType = sockets.Socket
    select.select = ends.Select(select.select)
    # It knows real descriptors only.
    del select.poll


assert "socket" not in sys.modules and "selectors" not in sys.modules
