"""Cell magics that the rest of the program runs in: context managers."""

import sys
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from io import StringIO
from time import perf_counter

from _wasmbox_magics_timing import duration
from _wasmbox_processor_time import process_time

main = sys.modules["__main__"].__dict__


class Timing:
    """%%time"""

    def __init__(self, text=""):
        pass

    def __enter__(self):
        self.began = perf_counter(), process_time()

    def __exit__(self, *raised):
        wall, cpu = self.began
        print(f"CPU times: total: {duration(process_time() - cpu)}")
        print(f"Wall time: {duration(perf_counter() - wall)}")


class Captured:
    """What was printed under %%capture."""

    def __init__(self, stdout, stderr):
        self._texts = stdout, stderr

    stdout = property(lambda self: self._texts[0].getvalue())
    stderr = property(lambda self: self._texts[1].getvalue())

    def __str__(self):
        return self.stdout

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)

    __call__ = show


class Capture:
    """%%capture: keeps what is printed, and the result, out of the reply."""

    hides_result = True

    def __init__(self, text=""):
        words = text.split()
        kept = [] if "--no-stdout" in words else ["stdout"]
        self.kept = kept if "--no-stderr" in words else [*kept, "stderr"]
        self.name = next((word for word in words if not word.startswith("-")), None)

    def __enter__(self):
        texts = {"stdout": StringIO(), "stderr": StringIO()}
        self.stack = ExitStack()
        for name, redirect in (("stdout", redirect_stdout), ("stderr", redirect_stderr)):
            if name in self.kept:
                self.stack.enter_context(redirect(texts[name]))
        captured = Captured(**texts)
        if self.name is not None:
            main[self.name] = captured
        return captured

    def __exit__(self, *raised):
        self.stack.close()


SCOPES = {"time": Timing, "capture": Capture}
