"""Resource usage and limits. The limits are those of the server's policy, and programs can't change them."""

import time as _time
from operator import index as _index

import _wasmbox
from _wasmbox_structseq import structseq as _structseq

error = OSError

RLIM_INFINITY = -1
RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE = range(8)
RLIMIT_MEMLOCK, RLIMIT_AS = 8, 9
RLIMIT_OFILE = RLIMIT_NOFILE
RUSAGE_SELF, RUSAGE_CHILDREN, RUSAGE_THREAD = 0, -1, 1

_LIMITS = {RLIMIT_CORE: (0, 0), RLIMIT_NPROC: (1, 1), RLIMIT_NOFILE: (1024, 1024)}
_NAMES = (
    "ru_utime", "ru_stime", "ru_maxrss", "ru_ixrss", "ru_idrss", "ru_isrss", "ru_minflt", "ru_majflt", "ru_nswap",
    "ru_inblock", "ru_oublock", "ru_msgsnd", "ru_msgrcv", "ru_nsignals", "ru_nvcsw", "ru_nivcsw",
)
struct_rusage = _structseq("resource.struct_rusage", _NAMES)


def getrusage(who, /):
    """Time that the program has computed, and its memory in KiB; the rest is not known here, and 0."""
    if who not in (RUSAGE_SELF, RUSAGE_CHILDREN, RUSAGE_THREAD):
        raise ValueError("invalid who parameter")
    mine = who != RUSAGE_CHILDREN
    seconds = _time.process_time() if mine else 0.0
    kib = _wasmbox.memory_bytes() // 1024 if mine else 0
    return struct_rusage((seconds, 0.0, kib) + (0,) * 13)


def _checked(resource):
    resource = _index(resource)
    if not 0 <= resource <= 15:
        raise ValueError("invalid resource specified")
    return resource


def getrlimit(resource, /):
    return _LIMITS.get(_checked(resource), (RLIM_INFINITY, RLIM_INFINITY))


def setrlimit(resource, limits, /):
    """What is in force may be set again; anything else is refused."""
    limits = tuple(limits)
    if len(limits) != 2:
        raise ValueError("expected a tuple of 2 integers")
    if limits != getrlimit(resource):
        raise PermissionError(
            1, "limits can't be set: memory, time and output of this sandbox are bounded by its server's policy"
        )


def getpagesize():
    return 65536
