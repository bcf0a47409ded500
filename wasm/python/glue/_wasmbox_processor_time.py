"""The processor's time: what a program takes without what it sleeps, which the clock below does not tell apart."""

import time
from time import monotonic_ns

slept = 0


def sleep(seconds):
    global slept
    begun = monotonic_ns()
    try:
        real_sleep(seconds)
    finally:
        slept += monotonic_ns() - begun


def process_time():
    """Process time for profiling: sum of the kernel and user-space CPU time."""
    return process_time_ns() / 1e9


def process_time_ns():
    """Process time for profiling as nanoseconds: sum of the kernel and user-space CPU time."""
    return real_process_time_ns() - slept


def thread_time():
    """Thread time for profiling: sum of the kernel and user-space CPU time."""
    return process_time()


def thread_time_ns():
    """Thread time for profiling as nanoseconds: sum of the kernel and user-space CPU time."""
    return process_time_ns()


def get_clock_info(name, /):
    """Get information of the specified clock."""
    return real_get_clock_info("process_time" if name == "thread_time" else name)


real_sleep = time.sleep
real_process_time_ns = time.process_time_ns
real_get_clock_info = time.get_clock_info


def install():
    for function in (process_time, process_time_ns, thread_time, thread_time_ns, get_clock_info):
        function.__module__ = "time"
        setattr(time, function.__name__, function)
