"""What an interpreter does at its end. Those of sessions have none: this is for processes of the shell."""

import atexit
import gc
import io
import sys


def end_process():
    atexit._run_exitfuncs()
    main = sys.modules["__main__"].__dict__
    for name in [name for name in main if name != "__builtins__"]:
        main[name] = None
    gc.collect()
    # Those of modules, and of what cycles keep.
    for each in gc.get_objects():
        if isinstance(each, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            flush(each)


def flush(stream):
    try:
        stream.flush()
    except (OSError, ValueError):
        # It is closed, or can't be written to.
        pass
