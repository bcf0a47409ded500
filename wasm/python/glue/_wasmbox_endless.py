"""Processes that run on until the program that started them ends them: by the looks of it, and for how long they do here."""

from types import CodeType

# What a program calls by which it ends one.
ENDINGS = {"terminate", "kill", "killpg", "send_signal"}
# Seconds for which one runs that its program is about to end, beyond those for which that would have looked away.
PATIENCE = 10
LIBRARIES = ("/usr/lib/", "/opt/python/", "<frozen")
CUT_OFF = (
    "this process did not end in time, and was ended: it runs as a whole, by itself, while the program waits. "
    "Call terminate() before anything waits for it, or give run(), wait() or communicate() a longer timeout"
)


def is_to_be_ended(frame):
    """Whether the program that makes a process here, by its text, ends it, too."""
    codes = set()
    while frame is not None:
        if not frame.f_code.co_filename.startswith(LIBRARIES):
            codes.add(frame.f_code)
        frame = frame.f_back
    return any(map(mentions, codes))


def mentions(code):
    return not ENDINGS.isdisjoint(code.co_names) or any(mentions(each) for each in code.co_consts if type(each) is CodeType)
