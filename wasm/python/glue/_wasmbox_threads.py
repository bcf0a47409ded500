"""Starting a thread fails here; this makes it fail with the reason."""

import _thread
import threading


def refuse(*args, **kwargs):
    raise RuntimeError("can't start new thread: this Python runs in WebAssembly, without threads")


def install():
    _thread.start_new_thread = _thread.start_new = _thread.start_joinable_thread = refuse
    threading._start_joinable_thread = refuse
