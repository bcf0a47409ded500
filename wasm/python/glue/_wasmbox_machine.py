"""What `os` says of the machine, where wasi-libc has another name for it or another unit of time."""

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


known = os.uname


def install():
    os.times, os.uname = times, uname
