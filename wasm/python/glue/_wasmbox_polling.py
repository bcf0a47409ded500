"""select.poll and select.epoll, on the descriptors of `_wasmbox_sockets` as on others. After `selectors` has chosen."""

import errno
import os
import select

import _wasmbox_scheduler as scheduler
from _wasmbox_ends import End, add_descriptor, close_descriptor, ends, number_of
from _wasmbox_names import AF_UNIX

IN, PRI, OUT, ERR, HUP, NVAL, RDHUP = 1, 2, 4, 8, 16, 32, 0x2000
ONESHOT, EDGE = 1 << 30, 1 << 31
EPOLL = {
    "IN": IN, "PRI": PRI, "OUT": OUT, "ERR": ERR, "HUP": HUP, "RDHUP": RDHUP, "RDNORM": 64, "RDBAND": 128,
    "WRNORM": 256, "WRBAND": 512, "MSG": 1024, "EXCLUSIVE": 1 << 28, "WAKEUP": 1 << 29, "ONESHOT": ONESHOT, "ET": EDGE,
}
POLL = {**{name: EPOLL[name] for name in ("IN", "PRI", "OUT", "ERR", "HUP", "RDHUP")}, "NVAL": NVAL}

# Knows real descriptors only.
real_select = select.select.__self__.real


def happens(number, wanted):
    """What of the events that are waited for has happened."""
    end = ends.get(number)
    if end is None:
        try:
            readers, writers, _ = real_select([number], [number], [], 0)
        except OSError:
            return NVAL
        return ((IN if readers else 0) | (OUT if writers else 0)) & wanted
    found = (IN if end.readable() else 0) | (OUT if end.writable() else 0) | (RDHUP if end.ended else 0)
    is_over = end.ended and (end.shut or end.family == AF_UNIX and not end.peer.descriptors)
    return found & wanted | (HUP if is_over else 0)


class poll:
    """Returns a polling object."""

    def __init__(self):
        self._masks = {}

    def register(self, fd, eventmask=IN | PRI | OUT, /):
        self._masks[number_of(fd)] = eventmask

    def modify(self, fd, eventmask, /):
        number = number_of(fd)
        if number not in self._masks:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._masks[number] = eventmask

    def unregister(self, fd, /):
        del self._masks[number_of(fd)]

    def _ready(self):
        happened = ((number, happens(number, mask)) for number, mask in self._masks.items())
        return [(number, events) for number, events in happened if events]

    def poll(self, timeout=None, /):
        seconds = None if timeout is None or timeout < 0 else timeout / 1000
        scheduler.wait_until(self._ready, seconds)
        return self._ready()


class epoll(poll):
    """Returns an epolling object. What is edge-triggered elsewhere is refused."""

    def __init__(self, sizehint=-1, flags=0):
        super().__init__()
        self._fd = add_descriptor(End(AF_UNIX, 1))

    def _number(self, fd, is_known):
        if self.closed:
            raise ValueError("I/O operation on closed epoll object")
        number = number_of(fd)
        if number not in ends:
            os.fstat(number)
        if is_known != (number in self._masks):
            error = errno.ENOENT if is_known else errno.EEXIST
            raise OSError(error, os.strerror(error))
        return number

    def _set(self, number, eventmask):
        if eventmask & EDGE:
            raise OSError(errno.EINVAL, "no edge-triggered events here (EPOLLET): leave it out")
        self._masks[number] = eventmask

    def register(self, fd, eventmask=IN | PRI | OUT):
        # A number that was given back is another descriptor's now.
        self._forget_closed()
        self._set(self._number(fd, False), eventmask)

    def modify(self, fd, eventmask):
        self._set(self._number(fd, True), eventmask)

    def unregister(self, fd):
        del self._masks[self._number(fd, True)]

    def _forget_closed(self):
        for number in [number for number, mask in self._masks.items() if happens(number, mask) == NVAL]:
            del self._masks[number]

    def _ready(self):
        return [(number, events) for number, events in super()._ready() if self._masks[number] & ~ONESHOT and events != NVAL]

    def poll(self, timeout=None, maxevents=-1):
        if self.closed:
            raise ValueError("I/O operation on closed epoll object")
        if maxevents == 0 or maxevents < -1:
            raise ValueError(f"maxevents must be greater than 0, got {maxevents}")
        scheduler.wait_until(self._ready, None if timeout is None or timeout < 0 else timeout)
        found = self._ready()[: None if maxevents == -1 else maxevents]
        for number, _ in found:
            if self._masks[number] & ONESHOT:
                self._masks[number] = 0
        return found

    def fileno(self):
        if self.closed:
            raise ValueError("I/O operation on closed epoll object")
        return self._fd

    @property
    def closed(self):
        return self._fd not in ends

    def close(self):
        if not self.closed:
            close_descriptor(self._fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


poll.__module__ = epoll.__module__ = "select"


def install():
    for name, value in EPOLL.items():
        setattr(select, f"EPOLL{name}", value)
    for name, value in POLL.items():
        setattr(select, f"POLL{name}", value)
    select.EPOLL_CLOEXEC = 0x80000
    select.poll, select.epoll = poll, epoll
