"""Sockets without a network: they reach other sockets of this Python, by localhost, and nothing else."""

import errno
import os
from collections import deque

from _socket import gaierror

import _wasmbox_outside as outside
import _wasmbox_scheduler as scheduler
from _wasmbox_ends import End, add_descriptor, bound, close_descriptor, ends, key_of, pair
from _wasmbox_names import AF_INET, AF_INET6, AF_UNIX, LINUX, NO_NETWORK, is_local, numeric_family

FIRST_PORT = 49152

default_timeout = None
next_port = FIRST_PORT


class Socket:
    """What `_socket.socket` is elsewhere."""

    __slots__ = ("family", "type", "proto", "timeout", "_fd")

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        self._fd = -1
        self.timeout = default_timeout
        if fileno is None:
            family = AF_INET if family == -1 else family
            type = LINUX["SOCK_STREAM"] if type == -1 else type
            if type & LINUX["SOCK_NONBLOCK"]:
                self.timeout = 0.0
            type &= ~(LINUX["SOCK_NONBLOCK"] | LINUX["SOCK_CLOEXEC"])
            if family not in (AF_INET, AF_INET6, AF_UNIX):
                raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
            if type not in (LINUX["SOCK_STREAM"], LINUX["SOCK_DGRAM"]):
                raise PermissionError(errno.EPERM, "Operation not permitted")
            fileno = add_descriptor(End(int(family), int(type)))
        elif fileno not in ends:
            raise OSError(errno.EBADF, "Bad file descriptor")
        self._fd = fileno
        # socket.socket has properties of these names.
        Socket.family.__set__(self, ends[fileno].family)
        Socket.type.__set__(self, ends[fileno].kind)
        self.proto = 0 if proto == -1 else proto

    @property
    def _end(self):
        end = ends.get(self._fd)
        if end is None:
            raise OSError(errno.EBADF, "Bad file descriptor")
        return end

    def _wait(self, ready):
        if ready():
            return
        if scheduler.outside is not None and scheduler.outside() and ready():
            return
        if self.timeout == 0:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        if not scheduler.wait_until(ready, self.timeout):
            raise TimeoutError("timed out")

    def bind(self, address, /):
        global next_port
        end = self._end
        if end.family != AF_UNIX:
            host, port, *rest = address
            if not 0 <= port <= 65535:
                raise OverflowError("bind(): port must be 0-65535.")
            if host and not is_local(host):
                raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
            if not port:
                port = outside.free_port() or next_port
                next_port += 1
            address = (numeric(host, end.family), port, *(rest or ((0, 0) if end.family == AF_INET6 else ())))
        key = key_of(end, address)
        if key in bound or end.family == AF_UNIX and address and os.path.lexists(address):
            raise OSError(errno.EADDRINUSE, "Address already in use")
        end.address, end.key = address, key
        bound[key] = end

    def listen(self, backlog=128, /):
        end = self._end
        check_int(backlog)
        if end.key is None:
            self.bind(("", 0))
        if end.waiting is None:
            end.waiting = deque()
            if end.family != AF_UNIX:
                outside.listen(end, end.address[1])

    def _accept(self):
        end = self._end
        if end.waiting is None:
            raise OSError(errno.EINVAL, "Invalid argument")
        self._wait(lambda: end.waiting)
        accepted = end.waiting.popleft()
        return add_descriptor(accepted), accepted.peer.address

    def connect(self, address, /):
        global next_port
        end = self._end
        if end.family != AF_UNIX:
            if not is_local(address[0]):
                if numeric_family(address[0]) is None:
                    raise gaierror(LINUX["EAI_AGAIN"], f"{NO_NETWORK}; {address[0]!r} can't be looked up")
                raise OSError(errno.ENETUNREACH, NO_NETWORK)
            if end.key is None and end.kind == LINUX["SOCK_DGRAM"]:
                # Where the answers go.
                self.bind(("127.0.0.1" if end.family == AF_INET else "::1", 0))
            elif end.key is None:
                end.address = (numeric("127.0.0.1", end.family), next_port, *end.address[2:])
                next_port += 1
        if end.peer is not None and end.kind == LINUX["SOCK_STREAM"]:
            raise OSError(errno.EISCONN, "Transport endpoint is already connected")
        target = bound.get(key_of(end, address))
        if end.kind == LINUX["SOCK_DGRAM"]:
            end.peer = target
            return
        if target is None and end.family != AF_UNIX and outside.connect(end, address[1]):
            return
        if target is None or target.waiting is None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        _, accepted = pair(end.family, end.kind, end)
        accepted.address = target.address
        target.waiting.append(accepted)

    def connect_ex(self, address, /):
        try:
            self.connect(address)
        except OSError as error:
            if error.errno is None:
                raise
            return error.errno
        return 0

    def send(self, data, flags=0, /):
        end = self._end
        data = bytes(memoryview(data))
        if end.peer is None:
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")
        if end.shut or not end.peer.descriptors and end.peer.ended and end.kind == LINUX["SOCK_STREAM"]:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        if end.kind == LINUX["SOCK_DGRAM"]:
            end.peer.datagrams.append((data, end.address))
        else:
            self._wait(end.peer.has_room)
            end.peer.incoming += data
            if scheduler.outside is not None:
                scheduler.outside()
        return len(data)

    def sendall(self, data, flags=0, /):
        self.send(data, flags)

    def sendto(self, data, *rest):
        end = self._end
        address = rest[-1]
        if end.family != AF_UNIX and not is_local(address[0]):
            raise OSError(errno.ENETUNREACH, NO_NETWORK)
        if end.key is None and end.family != AF_UNIX:
            self.bind(("127.0.0.1" if end.family == AF_INET else "::1", 0))
        target = bound.get(key_of(end, address))
        if target is not None:
            target.datagrams.append((bytes(memoryview(data)), end.address))
        return memoryview(data).nbytes

    def recvfrom(self, size, flags=0, /):
        end = self._end
        if size < 0:
            raise ValueError("negative buffersize in recv")
        if end.kind == LINUX["SOCK_STREAM"] and end.peer is None:
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")
        self._wait(end.readable)
        peek = flags & LINUX["MSG_PEEK"]
        if end.kind == LINUX["SOCK_DGRAM"]:
            if not end.datagrams:
                return b"", None
            data, sender = end.datagrams[0] if peek else end.datagrams.popleft()
            return data[:size], sender
        data = bytes(end.incoming[:size])
        if not peek:
            del end.incoming[:size]
        return data, None

    def recv(self, size, flags=0, /):
        return self.recvfrom(size, flags)[0]

    def recvfrom_into(self, buffer, size=0, flags=0):
        view = memoryview(buffer).cast("B")
        data, sender = self.recvfrom(size or len(view), flags)
        view[: len(data)] = data
        return len(data), sender

    def recv_into(self, buffer, size=0, flags=0):
        return self.recvfrom_into(buffer, size, flags)[0]

    def shutdown(self, how, /):
        end = self._end
        check_int(how)
        if end.peer is None:
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")
        if how != LINUX["SHUT_RD"]:
            end.shut_down()
        if how != LINUX["SHUT_WR"]:
            end.ended = True

    def getsockname(self):
        return self._end.address

    def getpeername(self):
        peer = self._end.peer
        if peer is None:
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")
        return peer.address

    def getsockopt(self, level, option, size=None, /):
        if size:
            return bytes(size)
        return int(self.type) if (level, option) == (LINUX["SOL_SOCKET"], LINUX["SO_TYPE"]) else 0

    def setsockopt(self, level, option, value, length=None, /):
        self._end

    def settimeout(self, seconds, /):
        self._end
        self.timeout = timeout_of(seconds)

    def gettimeout(self):
        return self.timeout

    def setblocking(self, blocking, /):
        self._end
        self.timeout = None if blocking else 0.0

    def getblocking(self):
        return self.timeout != 0

    def fileno(self):
        return self._fd

    def detach(self):
        number, self._fd = self._fd, -1
        return number

    def close(self):
        number = self.detach()
        if number in ends:
            close_descriptor(number)

    def __del__(self):
        if getattr(self, "_fd", -1) != -1:
            Socket.close(self)


def check_int(number):
    if not -(2**31) <= number < 2**31:
        raise OverflowError("Python int too large to convert to C int")


def timeout_of(seconds):
    if seconds is not None and seconds < 0:
        raise ValueError("Timeout value out of range")
    return None if seconds is None else float(seconds)


def numeric(host, family):
    if family == AF_INET6:
        return "::" if host in ("", "::") else "::1"
    return "0.0.0.0" if host in ("", "0.0.0.0") else "127.0.0.1"


def socketpair(family=AF_UNIX, type=LINUX["SOCK_STREAM"], proto=0):
    both = pair(int(family), int(type) & 15)
    return tuple(Socket(fileno=add_descriptor(end)) for end in both)


def dup(number, /):
    if number not in ends:
        raise OSError(errno.EBADF, "Bad file descriptor")
    return add_descriptor(ends[number])


def setdefaulttimeout(seconds, /):
    global default_timeout
    default_timeout = timeout_of(seconds)
