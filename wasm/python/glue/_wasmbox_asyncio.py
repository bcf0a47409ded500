"""The event loop: of a platform whose sockets reach no further than itself and whose threads take turns."""

import asyncio
import asyncio.unix_events
import selectors
import weakref

import _wasmbox_scheduler as scheduler
from _wasmbox_asyncio_processes import Processes
from _wasmbox_ends import ends

DEADLOCK = "deadlock: every task waits for something that nothing can bring about"


class LocalSelector(selectors._BaseSelectorImpl):
    """Waits for timers, for the sockets of this Python, and for threads, which run meanwhile."""

    def __init__(self):
        super().__init__()
        self.woken = False

    def select(self, timeout=None):
        keys = list(self._fd_to_key.values())
        found = self.ready_keys(keys)
        if scheduler.outside is not None and scheduler.outside():
            found = self.ready_keys(keys)
        if found or timeout is not None and timeout <= 0 and not scheduler.waiting:
            self.woken = False
            return found
        alone = not scheduler.waiting and len(scheduler.stack) == 1 and scheduler.outside is None
        if timeout is None and alone and not (keys or self.woken or scheduler.awaits_signals):
            raise RuntimeError(DEADLOCK)
        scheduler.wait_until(lambda: self.woken or self.ready_keys(keys), timeout)
        self.woken = False
        return self.ready_keys(keys)

    def is_ready(self):
        return self.woken or bool(self.ready_keys(self._fd_to_key.values()))

    def ready_keys(self, keys):
        found = []
        for key in keys:
            end = ends.get(key.fd)
            events = (end is not None and end.readable() and selectors.EVENT_READ) | (
                end is not None and end.writable() and selectors.EVENT_WRITE
            )
            if events & key.events:
                found.append((key, events & key.events))
        return found


class NoPipe:
    """What signal.set_wakeup_fd() is given: none."""

    @staticmethod
    def fileno():
        return -1


class LocalEventLoop(Processes, asyncio.SelectorEventLoop):
    def __init__(self, selector=None):
        super().__init__(LocalSelector())
        loops.add(self)

    # The self-pipe is how other threads and signals wake a loop.

    def _make_self_pipe(self):
        self._csock = NoPipe

    def _close_self_pipe(self):
        pass

    def _write_to_self(self):
        self._selector.woken = True


loops = weakref.WeakSet()


def handle_signal(number, frame):
    """Of the loops' signals, which come by no pipe."""
    for loop in loops:
        if number in loop._signal_handlers:
            loop._handle_signal(number)


def run_once(self):
    """A loop that asks nobody to wait, as with a selector of its own, would never let a thread run."""
    real_run_once(self)
    if scheduler.waiting and not isinstance(self, LocalEventLoop):
        scheduler.wait_until(lambda: False, 0)


real_run_once = asyncio.BaseEventLoop._run_once

# The loop of the session: of what awaits at top level, in one call after another.
session_loop = None


def main_loop():
    global session_loop
    if session_loop is None or session_loop.is_closed():
        session_loop = LocalEventLoop()
    return session_loop


def run_top_level(coroutine):
    """Runs what awaits at top level. Tasks that it leaves go on in the next call that awaits."""
    global session_loop
    loop = main_loop()
    asyncio.set_event_loop(loop)
    task = loop.create_task(coroutine)
    try:
        return loop.run_until_complete(task)
    except RuntimeError:
        # Perhaps a deadlock: what waits here would wait in the next call too.
        task.cancel()
        raise
    except KeyboardInterrupt:
        session_loop = None
        asyncio.runners._cancel_all_tasks(loop)
        loop.close()
        raise


def get_event_loop(self):
    """The policy's: in the main thread there is a loop, until the program says otherwise."""
    local = self._local
    if local._loop is None and not local._set_called and asyncio.events.threading.current_thread() is asyncio.events.threading.main_thread():
        self.set_event_loop(main_loop())
    return real_get_event_loop(self)


real_get_event_loop = asyncio.DefaultEventLoopPolicy.get_event_loop


def close_runner(self):
    real_close_runner(self)
    forget_loop()


real_close_runner = asyncio.Runner.close


def forget_loop():
    """There will be a loop for who asks: that asyncio.run() leaves none is not what the program has said."""
    policy = asyncio.events._event_loop_policy
    if type(policy) is asyncio.DefaultEventLoopPolicy and policy._local._loop is None:
        policy._local._set_called = False


def install():
    scheduler.get_running_loop, scheduler.set_running_loop = asyncio._get_running_loop, asyncio._set_running_loop
    asyncio.SelectorEventLoop = asyncio.unix_events.SelectorEventLoop = LocalEventLoop
    asyncio.EventLoop = asyncio.unix_events.EventLoop = LocalEventLoop
    asyncio.unix_events._sighandler_noop = handle_signal
    asyncio.BaseEventLoop._run_once = run_once
    asyncio.Runner.close = close_runner
    asyncio.DefaultEventLoopPolicy._loop_factory = LocalEventLoop
    asyncio.events.BaseDefaultEventLoopPolicy.get_event_loop = get_event_loop
