"""What `signal` lacks on this platform, and can have: timers, and signals of others for programs of the shell's."""

import errno
import json
import os
import signal
import sys

import _wasmbox_depths
import _wasmbox_scheduler as scheduler
from _wasmbox import host_call, set_alarm
from _wasmbox_ends import ends

set_real_wakeup = signal.set_wakeup_fd
wakeup = -1
# Seconds until an alarm is tried again that came at a wrong moment.
SOON = 1e-6
timers = scheduler.timers
# Of others, that have yet to be answered; None: nobody sends any.
arrived = None
# Functions of the glue that wait, and leave nothing half done where a handler raises.
WAITING = {scheduler.answer_alarm.__code__}


class Timer:
    """A process's. It rings in its main thread."""

    def __init__(self, thread, due, interval):
        self.thread, self.due, self.interval = thread, due, interval


def valid_signals():
    """The signals that are known here."""
    return set(signal.Signals)


def siginterrupt(signalnum, flag, /):
    """Nothing to change: no system call is interrupted here."""


def set_wakeup_fd(fd, /, *, warn_on_full_buffer=True):
    """Sets the fd to be written to (with the signal number) when a signal comes in."""
    # Who waits is woken by handlers themselves, which run before anything else does.
    global wakeup
    if fd not in ends:
        set_real_wakeup(fd, warn_on_full_buffer=warn_on_full_buffer)
    before, wakeup = wakeup, fd
    return before


def ring():
    """Calls a handler, in the thread that it is for, and where what it raises leaves nothing half done."""
    frame = sys._getframe(1)
    waits = frame.f_code in WAITING
    thread = scheduler.stack[-1]
    take()
    if arrived:
        # As if a timer had come to its end.
        if not may_ring(scheduler.main, frame, waits):
            return
        try:
            while arrived:
                answer(arrived.pop(0), frame)
        finally:
            arm()
        return
    due = [each for each in timers.values() if each.due <= scheduler.monotonic() and not each.thread.done]
    timer = next((each for each in due if each.thread is thread), due[0] if due else None)
    if timer is None:
        arm()
        return
    if not may_ring(timer.thread, frame, waits):
        return
    start(timer, timer.interval and max(timer.due + timer.interval - scheduler.monotonic(), SOON))
    answer(signal.SIGALRM, frame)


def may_ring(whose, frame, waits):
    """Whether a thread's handler may be called here; if not, that is tried again soon."""
    thread = scheduler.stack[-1]
    # Who waits and can't leave the stack would keep one below from it.
    here = whose is thread or waits and whose in scheduler.stack
    if here and (waits or not (_wasmbox_depths.reading or is_glue(frame))):
        scheduler.rung = None
        return True
    scheduler.rung = None if here else whose
    set_alarm(SOON, 0, ring)
    return False


def answer(number, frame):
    scheduler.answers += 1
    while is_glue(frame):
        frame = frame.f_back
    handler = signal.getsignal(number)
    if callable(handler):
        handler(number, frame)
    elif handler == signal.SIG_DFL and number == signal.SIGALRM:
        # As a shell tells who is ended by it.
        sys.exit("Alarm clock")


def is_glue(frame):
    return frame is not None and frame.f_globals.get("__name__", "").startswith("_wasmbox")


def start(timer, seconds):
    timer.due = scheduler.monotonic() + seconds
    if seconds > 0:
        timers[timer.thread.space] = timer
    else:
        timers.pop(timer.thread.space, None)
    arm()


def arm():
    """For the first one."""
    if arrived:
        set_alarm(SOON, 0, ring)
        return
    due = [each.due for each in timers.values() if not each.thread.done]
    set_alarm(max(min(due) - scheduler.monotonic(), SOON) if due else 0, 0, ring)


def left():
    """Of the running process's timer: until it rings, and its interval."""
    timer = timers.get(scheduler.stack[-1].space)
    return (max(timer.due - scheduler.monotonic(), 0.0), timer.interval) if timer else (0.0, 0.0)


def set_timer(seconds, interval):
    before, thread = left(), scheduler.stack[-1]
    scheduler.rung = None
    start(Timer(scheduler.main if thread.space is None else thread, 0, interval), seconds)
    return before


def alarm(seconds, /):
    """Arrange for SIGALRM to arrive after the given number of seconds."""
    before, _ = set_timer(seconds, 0)
    return max(round(before), 1) if before else 0


def real(which):
    if which != signal.ITIMER_REAL:
        raise signal.ItimerError(22, "only ITIMER_REAL is there: no program's own time is counted")


def setitimer(which, seconds, interval=0.0, /):
    """Sets given itimer (one of ITIMER_REAL, ITIMER_VIRTUAL or ITIMER_PROF)."""
    real(which)
    if seconds < 0 or interval < 0:
        raise signal.ItimerError(22, "Invalid argument")
    return set_timer(seconds, interval)


def getitimer(which, /):
    """Returns current value of given itimer."""
    real(which)
    return left()


def ask(operation, request=None):
    return json.loads(host_call(f"signals.{operation}", json.dumps(request).encode())[0])


def take():
    """Signals that others have sent."""
    while arrived is not None and (number := ask("take")):
        arrived.append(number)


def heed():
    """Tells which signals are not to end this program."""
    handlers = {number: signal.getsignal(number) for number in signal.Signals}
    handled = [number for number, each in handlers.items() if each not in (signal.SIG_DFL, None)]
    some_come = ask("heed", {"signals": sum(1 << number for number in handled)})
    own = [number for number in handled if handlers[number] not in (signal.SIG_IGN, signal.default_int_handler)]
    scheduler.awaits_signals = some_come and bool(own)


def set_handler(signalnum, handler):
    before = real_signal(signalnum, handler)
    heed()
    return before


real_signal = signal.signal


def listen():
    """This is a program of the shell's, which others may send signals to."""
    global arrived
    arrived = []
    set_handler.__doc__ = real_signal.__doc__
    set_handler.__name__ = set_handler.__qualname__ = "signal"
    signal.signal = set_handler
    arm()
    heed()


def pause():
    """Wait until a signal arrives."""
    before = scheduler.answers
    while scheduler.answers == before:
        scheduler.wait_until(lambda: scheduler.answers != before, scheduler.SIGNAL_NAP if timers else None)


def pthread_kill(thread_id, signalnum, /):
    """Send a signal to a thread. Handlers run in the main one, as elsewhere."""
    if all(each.ident != thread_id for each in (*scheduler.stack, *scheduler.waiting)):
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    os.kill(os.getpid(), signalnum)


def install():
    signal.alarm = alarm
    signal.setitimer = setitimer
    signal.getitimer = getitimer
    signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF = 0, 1, 2
    signal.ItimerError = signal.itimer_error = OSError
    signal.pause = pause
    signal.pthread_kill = pthread_kill
    signal.set_wakeup_fd = set_wakeup_fd
    signal.valid_signals = valid_signals
    signal.siginterrupt = siginterrupt
