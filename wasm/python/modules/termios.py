"""Terminals: there is none, so that every call fails as it does on a file."""

import errno as _errno
import os as _os


class error(Exception):
    pass


TCSANOW, TCSADRAIN, TCSAFLUSH = range(3)
TCIFLUSH, TCOFLUSH, TCIOFLUSH = range(3)
TCOOFF, TCOON, TCIOFF, TCION = range(4)
(VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSWTC, VSTART, VSTOP, VSUSP, VEOL, VREPRINT, VDISCARD, VWERASE,
 VLNEXT, VEOL2) = range(17)
NCCS = 32
IGNBRK, BRKINT, IGNPAR, PARMRK, INPCK, ISTRIP, INLCR, IGNCR, ICRNL = (1 << n for n in range(9))
IXON, IXANY, IXOFF = 0x400, 0x800, 0x1000
OPOST, ONLCR = 1, 4
CSIZE, CS5, CS6, CS7, CS8 = 0x30, 0, 0x10, 0x20, 0x30
CSTOPB, CREAD, PARENB, PARODD, HUPCL, CLOCAL = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
ISIG, ICANON, ECHO, ECHOE, ECHOK, ECHONL, NOFLSH, TOSTOP, IEXTEN = 1, 2, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x8000
B0, B9600, B19200, B38400, B57600, B115200 = 0, 13, 14, 15, 0x1001, 0x1002
FIONREAD, TIOCGWINSZ, TIOCSWINSZ = 0x541B, 0x5413, 0x5414


def _refuse(fd, *rest):
    fd = fd if isinstance(fd, int) else fd.fileno()
    try:
        _os.fstat(fd)
    except OSError as problem:
        raise error(problem.errno, problem.strerror) from None
    raise error(_errno.ENOTTY, _os.strerror(_errno.ENOTTY))


def tcgetattr(fd, /):
    _refuse(fd)


def tcsetattr(fd, when, attributes, /):
    _refuse(fd)


def tcsendbreak(fd, duration, /):
    _refuse(fd)


def tcdrain(fd, /):
    _refuse(fd)


def tcflush(fd, queue, /):
    _refuse(fd)


def tcflow(fd, action, /):
    _refuse(fd)


def tcgetwinsize(fd, /):
    _refuse(fd)


def tcsetwinsize(fd, winsize, /):
    _refuse(fd)
