"""anyio, of which Starlette's TestClient is made: its threads are left where no thread can be that waits here.

A loop that is called from other threads (a portal) is served by a thread that leaves the stack while there is nothing to
do; functions for worker threads are called by the task that waits for them."""

import asyncio
import contextvars
import sys
import threading
from asyncio.base_events import _run_until_complete_cb
from concurrent.futures import Future
from contextlib import contextmanager


def change_from_thread(module):
    real = module.start_blocking_portal

    @contextmanager
    def start_blocking_portal(backend="asyncio", backend_options=None, *, name=None):
        if backend != "asyncio":
            with real(backend, backend_options, name=name) as portal:
                yield portal
            return
        loop = asyncio.new_event_loop()
        started = Future()
        task = loop.create_task(serve(module.BlockingPortal, started))
        # By which anyio knows a loop's main task, too.
        task.add_done_callback(_run_until_complete_cb)
        thread = threading.Thread(target=loop.run_forever, daemon=True, name=name)
        thread.start()
        cancel_remaining_tasks = False
        try:
            portal = started.result()
            try:
                yield portal
            except BaseException:
                cancel_remaining_tasks = True
                raise
            finally:
                try:
                    portal.call(portal.stop, cancel_remaining_tasks)
                except RuntimeError:
                    pass
        finally:
            thread.join()
            asyncio.runners._cancel_all_tasks(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    module.start_blocking_portal = start_blocking_portal


async def serve(kind, started):
    try:
        async with kind() as portal:
            started.set_result(portal)
            await portal.sleep_until_stopped()
    except BaseException as error:
        if not started.done():
            started.set_exception(error)
        raise


def change_to_thread(module):
    async def run_sync(func, *args, abandon_on_cancel=False, cancellable=None, limiter=None):
        await sys.modules["anyio"].lowlevel.checkpoint()
        loop = asyncio._get_running_loop()
        # It may run one of its own, as in a thread.
        asyncio._set_running_loop(None)
        try:
            return contextvars.copy_context().run(func, *args)
        finally:
            asyncio._set_running_loop(loop)

    module.run_sync = run_sync
