"""What is said of the machine, where wasi-libc has another name for it, another unit of time, or locales it lacks."""

import errno
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
    # As the session's shell says it. sys.platform stays "wasi": libraries decide by it what they can import.
    return posix.uname_result(("Linux", gethostname(), "5.15.0-sandbox", "#1 SMP PREEMPT sandbox", known().machine))


def getloadavg():
    """Return average recent system load information."""
    return 0.0, 0.0, 0.0


def sched_getaffinity(pid, /):
    """Return the affinity of the process identified by pid (or the current process if zero)."""
    return set(range(os.cpu_count() or 1))


def getrandom(size, flags=0):
    """Obtain a series of random bytes."""
    return os.urandom(size)


def getgroups():
    """Return list of supplemental group IDs for the process."""
    return [os.getgid()]


def getlogin():
    """Return the actual login name."""
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


niceness = 0


def nice(increment, /):
    """Add increment to the priority of process and return the new priority."""
    global niceness
    if niceness + increment < niceness:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
    niceness = min(niceness + increment, 19)
    return niceness


def posix_fallocate(fd, offset, length, /):
    """Ensure a file has allocated at least a particular number of bytes on disk."""
    if offset < 0 or length <= 0:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    if os.fstat(fd).st_size < offset + length:
        os.ftruncate(fd, offset + length)


def setlocale(category, name=None, /):
    """Activates/queries locale processing."""
    # wasi-libc takes any name, and goes on with the rules of C.
    if name is not None and not all(part.rpartition("=")[2] in LOCALES for part in name.split(";")):
        raise locale.Error("unsupported locale setting")
    return set_locale(category, name)


LOCALES = {"", "C", "POSIX", "C.UTF-8", "C.utf8"}

known = os.uname
set_locale = locale._setlocale


def chdir(path):
    """Change the current working directory to the specified path."""
    change_directory(path)
    # By its own name, as the system knows it: those that led there may go.
    change_directory(os.path.realpath(os.getcwd()))


change_directory = os.chdir


def install():
    os.times, os.uname, os.chdir = times, uname, chdir
    for function in (getloadavg, sched_getaffinity, getrandom, getgroups, getlogin, nice, posix_fallocate):
        setattr(os, function.__name__, function)
        os.__all__.append(function.__name__)
    os.GRND_NONBLOCK, os.GRND_RANDOM = 1, 2
    locale._setlocale = setlocale
    # What Python starts with elsewhere: C encodes other letters by it, as pandas does in formats of dates.
    set_locale(locale.LC_CTYPE, "C.UTF-8")
