"""The threads of a program, one after another on one stack: a thread runs when another one waits, or has computed for
some milliseconds.

A thread that waits leaves the stack, frames and all (stacks.c). Where C code of somebody else's lies between them it
can't, and others run on top of it. All of this is state in memory: it goes on after a checkpoint, and in the next call.
"""

import contextvars
import sys
import weakref
from _thread import get_ident as main_ident
from time import monotonic

import _wasmbox_depths
from _wasmbox import Stack, check_alarm, find_depths_by, leave, share_turns, turn_soon
from _wasmbox_processor_time import sleep

ONE_AFTER_ANOTHER = "the threads of this Python take turns: one runs when another one waits, or has computed for a while"
NOBODY = f"deadlock: nothing can end this wait; {ONE_AFTER_ANOTHER}"
STUCK = (
    "deadlock: thread %r waits for what another thread has yet to do, and can't be paused here; "
    f"{ONE_AFTER_ANOTHER}. It can't be paused in a function that C code has called, as key functions of sorted() are"
)

find_depths_by(_wasmbox_depths.depth_at)


class Lost(BaseException):
    """Ends a daemon that can't go on where it waits."""


class GreenThread:
    """One thread. `apart` is what of it is off the stack, or begins with `body`."""

    def __init__(self, ident, body, daemon):
        self.ident = ident
        self.apart = body and Stack(body, contextvars.Context())
        self.daemon = daemon
        self.name = "thread"
        self.born = monotonic()
        self.ready = None
        self.deadline = None
        # Whether it was interrupted while it computed.
        self.computes = False
        self.done = False
        self.on_end = None
        # asyncio's, that runs in it.
        self.loop = None
        # Which process it is of; None: the program itself.
        self.space = stack[-1].space if body else None
        # Of the program's threading.local objects.
        self.locals = {}

    def can_go_on(self, now):
        return self.ready is None or self.ready() or self.deadline is not None and now >= self.deadline


main = GreenThread(main_ident(), None, False)
main.name = "MainThread"
# Those on the stack, the running one last.
stack = [main]
# Those off the stack, in the order in which they came.
waiting = []
# Daemons that could not come back to where they waited: their names, and what they waited for.
lost = []
# The program's threading.local objects, by a number of each: they need not be hashable. Weakly, with their arguments.
locals_ = {}
last_local = 0
last_ident = main.ident
# asyncio's, which is imported later than this.
get_running_loop = set_running_loop = None
# Set when the first process is made.
enter_space = None
# Whether the program has ended, and its threads are waited for.
finishing = False
# Those of signal.alarm, by the address spaces of their processes, and the thread for which one has rung that has yet to
# go on.
timers = {}
rung = None
# Hands on what goes to other processes and comes from there, where there are connections with any.
outside = None
# Seconds after which that is done again: at first, and where nothing has come for a while.
NAP, LONG_NAP = 0.002, 0.01
SOON = 0.1
# Whether others may send this program signals that it handles, which end a wait. Seconds after which who waits for one looks again.
awaits_signals = False
SIGNAL_NAP = 60
# Counts the alarms and signals that were answered.
answers = 0
# How often threads looked for something in vain since the last one that did so was made to wait.
looks = 0
LOOKS = 20


def get_ident():
    return stack[-1].ident


def spawn(body, daemon, on_end):
    """A new thread, which runs when somebody waits."""
    global last_ident
    last_ident += 8
    thread = GreenThread(last_ident, body, daemon)
    thread.on_end = on_end
    waiting.append(thread)
    return thread


def take_runnable(now):
    """The first one that can go on, and would not only compute. Of those whose time has come, the one whose time came
    first."""
    found = computing = None
    for thread in waiting:
        if thread.computes:
            computing = computing or thread
            continue
        if thread is rung or thread.ready is None or thread.ready():
            found = thread
            break
        due = thread.deadline is not None and now >= thread.deadline
        if due and (found is None or thread.deadline < found.deadline):
            found = thread
    found = found or computing
    if found is not None:
        waiting.remove(found)
    return found


def run(thread):
    """Runs a thread on the caller's stack until it ends or leaves."""
    thread.ready = thread.deadline = None
    thread.computes = False
    below = stack[-1]
    loop = get_running_loop()
    set_running_loop(thread.loop)
    stack.append(thread)
    ended = True
    try:
        switch_locals(below, thread)
        switch_spaces(below, thread)
        ended = thread.apart.run()
    except Lost:
        pass
    finally:
        stack.pop()
        switch_spaces(thread, below)
        switch_locals(thread, below)
        thread.loop = get_running_loop()
        set_running_loop(loop)
        if ended:
            end(thread)


def end(thread):
    thread.done = True
    thread.apart = thread.loop = None
    thread.locals = {}
    if thread.on_end is not None:
        thread.on_end()


def switch_spaces(leaving, entering):
    if leaving.space is not entering.space:
        enter_space(entering.space)


def switch_locals(leaving, entering):
    for number, (reference, arguments) in list(locals_.items()):
        each = reference()
        if each is None:
            continue
        leaving.locals[number] = object.__getattribute__(each, "__dict__")
        mine = entering.locals.get(number)
        object.__setattr__(each, "__dict__", {} if mine is None else mine)
        if mine is None and type(each).__init__ is not object.__init__:
            each.__init__(*arguments[0], **arguments[1])


def remember_local(local, arguments):
    """Lets a threading.local be another one in each thread."""
    global last_local
    last_local += 1
    number = last_local

    def forget(_, forgotten=locals_.pop):
        forgotten(number, None)
        for thread in (*stack, *waiting):
            if thread.locals is not None:
                thread.locals.pop(number, None)

    locals_[number] = weakref.ref(local, forget), arguments


def leave_stack():
    return leave()


def wait_until(ready, timeout=None, alone=False):
    """Waits, and lets other threads run meanwhile. False: the time is over. `alone`: where this thread can't leave the
    stack no other runs on top of it."""
    if ready():
        return True
    thread = stack[-1]
    deadline = None if timeout is None else monotonic() + timeout
    while thread is not main:
        thread.ready, thread.deadline = ready, deadline
        waiting.append(thread)
        if not leave_stack():
            waiting.remove(thread)
            thread.ready = thread.deadline = None
            break
        if rung is thread:
            answer_alarm()
        if ready():
            return True
        if deadline is not None and monotonic() >= deadline:
            return False
    try:
        return wait_on_stack(thread, ready, deadline, alone and len(stack) > 1)
    finally:
        thread.ready = thread.deadline = None


def never():
    return False


def doze(seconds):
    """A wait in the middle of C, of one that will look again: it does not give up for those that it stands on."""
    thread = stack[-1]
    try:
        wait_on_stack(thread, never, monotonic() + seconds, alone=False, patient=True)
    finally:
        thread.ready = thread.deadline = None


def rest(seconds):
    """Sleeps, at most until something rings (signal.alarm, or a signal of others)."""
    end = monotonic() + seconds
    rings = answer_alarm()
    if rung is None:
        sleep(max((min(rings, end) if rings else end) - monotonic(), 0))
        answer_alarm()


def answer_alarm():
    """Where what its handler raises leaves nothing half done. Returns when the next one rings; 0: never."""
    return check_alarm()


# What is half done in one of these must not be seen by another thread.
WHOLE = ("_wasmbox", "threading", "queue")


def give_way():
    """A program has computed for a while: others get a turn. Called where a loop begins anew, or by what comes before."""
    if _wasmbox_depths.reading or sys._getframe(1).f_globals.get("__name__", "").startswith(WHOLE):
        return
    thread = stack[-1]
    now = monotonic()
    if thread is main:
        other = take_runnable(now)
        if other is not None:
            run(other)
    elif rung not in (None, thread) or any(each.can_go_on(now) for each in waiting + stack[:-1]):
        thread.computes = True
        waiting.append(thread)
        if not leave_stack():
            waiting.remove(thread)
            thread.computes = False
            turn_soon()


share_turns(give_way, waiting, stack)


def looked_in_vain():
    """Who looks again and again, and finds nothing, waits: others have to run meanwhile. Not so `threading` itself, in
    the middle of something: a thread that is about to start, a condition that asks whether its lock is held."""
    global looks
    if sys._getframe(2).f_globals.get("__name__") == "threading":
        return
    looks += 1
    if looks > LOOKS and (waiting or len(stack) > 1):
        looks = 0
        wait_until(never, 0, alone=True)


def wait_on_stack(thread, ready, deadline, alone, patient=False):
    thread.ready, thread.deadline = ready, deadline
    # One turn for another even if no time is given: who asks again and again gets somewhere.
    turns = 0
    began = monotonic()
    while not ready():
        if outside is not None and outside():
            began = monotonic()
            if ready():
                break
        if rung is thread:
            answer_alarm()
        now = monotonic()
        over = deadline is not None and now >= deadline
        other = None if alone or over and turns else take_runnable(now)
        turns += 1
        if other is not None:
            run(other)
            continue
        if over:
            return False
        if not patient and any(below.can_go_on(now) for below in stack[:-1]):
            if not alone:
                give_up(thread)
            elif finishing and thread.daemon:
                lose(thread)
        times = [deadline] if alone else [each.deadline for each in waiting + ([thread] if patient else stack)]
        times = [each for each in times if each is not None]
        if outside is not None:
            times.append(now + (NAP if now - began < SOON else LONG_NAP))
        if not times and awaits_signals:
            times.append(now + SIGNAL_NAP)
        if not times:
            if thread is not main and thread.daemon:
                lose(thread)
            raise RuntimeError(next((STUCK % name for name in missed()), NOBODY))
        (sleep if alone else rest)(max(min(times) - now, 0))
    return True


def give_up(thread):
    """A thread can't go on before one that it stands on."""
    if thread.daemon:
        lose(thread)
    raise RuntimeError(STUCK % thread.name)


def lose(thread):
    lost.append((thread.name, thread.ready))
    raise Lost


def missed():
    """The names of those that were lost, and would go on now."""
    return [name for name, ready in lost if ready()]


def begin_call():
    """Whatever an interrupt left behind."""
    global finishing, rung
    finishing, rung = False, None
    timers.clear()
    del stack[1:]
    main.ready = main.deadline = main.space = None
    if enter_space is not None:
        enter_space(None)


def finish_call():
    """Threads run before the reply: to their end, but for daemons, and for those that only a later call can wake."""
    global finishing
    finishing = True
    try:
        wait_on_stack(main, lambda: not any(needs_time(each) for each in waiting), None, False)
        now = monotonic()
        for thread in [each for each in waiting if each.can_go_on(now)]:
            if thread in waiting:
                waiting.remove(thread)
                run(thread)
    finally:
        finishing = False
        main.ready = None
    for name in missed():
        print(STUCK % name, file=sys.stderr)
    lost.clear()


def needs_time(thread):
    return not thread.daemon and (thread.deadline is not None or thread.can_go_on(0))


def drop_threads(before):
    """A stopped program's threads don't go on in the next call."""
    for thread in waiting[:]:
        if thread.ident > before:
            waiting.remove(thread)
            end(thread)
