"""The standard streams of a session's programs, each of which finds them as the first one did."""

import builtins

# The program may replace what it finds in the real ones. Functions defined from here on look into this copy.
__builtins__ = dict(vars(builtins))

import io
import sys

# What becomes of what is no text, as elsewhere.
ERRORS = {"stdin": "backslashreplace", "stdout": "strict", "stderr": "backslashreplace"}

streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}


def flush():
    for stream in (sys.stdout, sys.stderr, streams["stdout"], streams["stderr"]):
        try:
            stream.flush()
        except Exception:
            # As at the end of a program: a stream that can't be flushed is the program's own, or closed.
            pass


def restore_streams():
    """Undoes what an earlier program did to the standard streams."""
    for name, stream in streams.items():
        try:
            usable = not stream.closed
        except ValueError:
            usable = False
        if not usable:
            stream = streams[name] = open_stream(name)
        setattr(sys, name, stream)


def open_stream(name):
    number = ("stdin", "stdout", "stderr").index(name)
    raw = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
    buffer = io.BufferedReader(raw) if number == 0 else io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, "utf-8", ERRORS[name], line_buffering=number != 0)
