"""The text of an exception as the interpreter prints it, without frames of the glue, and bounded."""

from traceback import BUILTIN_EXCEPTION_LIMIT, TracebackException

from _wasmbox_absent import explain
from _wasmbox_imports import advise

LIBRARY = "/usr/lib/python3.13/"
GLUE = LIBRARY + "_wasmbox"
MAX_TYPE = 200
MAX_MESSAGE = 8 * 1024
MAX_TRACEBACK = 64 * 1024
# Of a traceback longer than the two together, the frames in between are left out.
FIRST_FRAMES = 1000
LAST_FRAMES = 100
# Exceptions that an exception came from; more of them are left out.
MAX_CHAIN = 50


def describe(error, filename):
    """Type, message and traceback of what the program `filename` raised. Shortens the traceback of `error`."""
    strip(error, filename)
    trim_chain(error)
    try:
        explain(error)
        advise(error)
    except Exception:
        pass  # advice is no part of the error
    report = TracebackException.from_exception(error, limit=BUILTIN_EXCEPTION_LIMIT, compact=True)
    remove_glue(report, set())
    lines = report.format() if report.stack or is_chained(report) else report.format_exception_only()
    text = shorten("".join(lines), MAX_TRACEBACK)
    try:
        message = str(error)
    except Exception:
        message = "<exception str() failed>"
    return type_name(error)[:MAX_TYPE], shorten(message, MAX_MESSAGE), text


def type_name(error):
    """The name of an exception's class, with its module as tracebacks show it."""
    kind = type(error)
    name = type.__dict__["__qualname__"].__get__(kind)
    module = type.__dict__["__module__"].__get__(kind)
    return name if module in ("builtins", "__main__") or type(module) is not str else f"{module}.{name}"


def strip(error, filename):
    """Lets a traceback begin with the program's own frame: what is before it is the glue, and asyncio for `await`."""
    entry = error.__traceback__
    while entry is not None and entry.tb_frame.f_code.co_filename != filename:
        entry = entry.tb_next
    if entry is None:
        # Code of an earlier program, such as the __repr__ of a class.
        entry = error.__traceback__
        while entry is not None and entry.tb_frame.f_code.co_filename.startswith(LIBRARY):
            entry = entry.tb_next
    error.__traceback__ = entry


def trim_chain(error):
    """Bounds the number of exceptions and of frames that formatting will walk."""
    for _ in range(MAX_CHAIN):
        trim_frames(error.__traceback__)
        following = error.__cause__ or error.__context__
        if following is None:
            return
        error = following
    error.__cause__ = error.__context__ = None


def trim_frames(entry):
    frames = []
    while entry is not None:
        frames.append(entry)
        entry = entry.tb_next
    if len(frames) > FIRST_FRAMES + LAST_FRAMES:
        frames[FIRST_FRAMES - 1].tb_next = frames[-LAST_FRAMES]


def remove_glue(report, seen):
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    report.stack[:] = [frame for frame in report.stack if not frame.filename.startswith(GLUE)]
    for other in (report.__cause__, report.__context__, *(report.exceptions or ())):
        remove_glue(other, seen)


def is_chained(report):
    return report.__cause__ is not None or (report.__context__ is not None and not report.__suppress_context__)


def shorten(text, limit):
    """Keeps the beginning and, since that is where tracebacks say what happened, the end."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"
