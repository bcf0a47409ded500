"""What is said of the machine, where wasi-libc has another name for it, another unit of time, or locales it lacks."""

import locale
import os
import posix
import time
from socket import gethostname


def times():
    """Return a collection containing process timing information."""
    spent = time.process_time()
    return posix.times_result((spent, 0.0, 0.0, 0.0, time.monotonic()))


def uname():
    """Return an object identifying the current operating system."""
    system, _, *rest = known()
    return posix.uname_result((system, gethostname(), *rest))


def setlocale(category, name=None, /):
    """Activates/queries locale processing."""
    # wasi-libc takes any name, and goes on with the rules of C.
    if name is not None and not all(part.rpartition("=")[2] in LOCALES for part in name.split(";")):
        raise locale.Error("unsupported locale setting")
    return set_locale(category, name)


LOCALES = {"", "C", "POSIX", "C.UTF-8", "C.utf8"}

known = os.uname
set_locale = locale._setlocale


def install():
    os.times, os.uname = times, uname
    locale._setlocale = setlocale
    # What Python starts with elsewhere: C encodes other letters by it, as pandas does in formats of dates.
    set_locale(locale.LC_CTYPE, "C.UTF-8")
