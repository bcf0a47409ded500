"""An event loop for a platform without sockets and threads: nothing but timers and what is ready can wake it."""

import asyncio
import asyncio.unix_events
import selectors
import time


class TimerSelector(selectors._BaseSelectorImpl):
    """Waits; there are no files to wait for."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("deadlock: every task waits for something that nothing can bring about")
        if timeout > 0:
            time.sleep(timeout)
        return []


class TimerEventLoop(asyncio.SelectorEventLoop):
    def __init__(self, selector=None):
        super().__init__(TimerSelector())

    # The self-pipe is how other threads and signals wake a loop.

    def _make_self_pipe(self):
        pass

    def _close_self_pipe(self):
        pass

    def _write_to_self(self):
        pass


def install():
    asyncio.SelectorEventLoop = asyncio.unix_events.SelectorEventLoop = TimerEventLoop
    asyncio.EventLoop = asyncio.unix_events.EventLoop = TimerEventLoop
    asyncio.DefaultEventLoopPolicy._loop_factory = TimerEventLoop
