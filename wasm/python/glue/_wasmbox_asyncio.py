"""An event loop for a platform without sockets and threads: nothing but timers and what is ready can wake it."""

import asyncio
import asyncio.unix_events
import selectors

import _wasmbox_scheduler as scheduler

DEADLOCK = "deadlock: every task waits for something that nothing can bring about"


class TimerSelector(selectors._BaseSelectorImpl):
    """Waits, and lets threads run meanwhile; there are no files to wait for."""

    def __init__(self):
        super().__init__()
        self.woken = False

    def select(self, timeout=None):
        if timeout is None and not self.woken and not scheduler.waiting and len(scheduler.stack) == 1:
            raise RuntimeError(DEADLOCK)
        scheduler.wait_until(self.is_woken, timeout)
        self.woken = False
        return []

    def is_woken(self):
        return self.woken


class TimerEventLoop(asyncio.SelectorEventLoop):
    def __init__(self, selector=None):
        super().__init__(TimerSelector())

    # The self-pipe is how other threads and signals wake a loop.

    def _make_self_pipe(self):
        pass

    def _close_self_pipe(self):
        pass

    def _write_to_self(self):
        self._selector.woken = True


def install():
    asyncio.SelectorEventLoop = asyncio.unix_events.SelectorEventLoop = TimerEventLoop
    asyncio.EventLoop = asyncio.unix_events.EventLoop = TimerEventLoop
    asyncio.DefaultEventLoopPolicy._loop_factory = TimerEventLoop
