"""What is said of things that no program can have here, beside the interpreter's own message."""

import errno
import os
import signal
import sys

SCREEN = "there is no screen here: draw pictures and show them with display(), or write them to files"
TERMINAL = "there is no terminal here: print lines of text"
MODULES = {
    "_curses": TERMINAL,
    "_tkinter": SCREEN,
    "curses": TERMINAL,
    "pty": TERMINAL,
    "readline": TERMINAL,
    "termios": TERMINAL,
    "tkinter": SCREEN,
    "tty": TERMINAL,
    "turtle": SCREEN,
}
DEBUGGER = "there is no debugger here, since nobody could type its commands: print what you want to know"
AVIF = "there is no AVIF here: use .webp, .png or .jpg"
ALARM = "signal.pause() waits for those that have a handler"
SIGNALS = {"sigwait", "sigwaitinfo", "sigtimedwait"}


def explain(error):
    """Adds a sentence to an exception that ends a program, where there is one to say."""
    kind = type(error)
    if kind is ModuleNotFoundError and type(error.name) is str:
        reason = MODULES.get(error.name.partition(".")[0])
        if reason is not None and reason not in str(error):
            error.msg = f"{error.msg}: {reason}"
            error.args = (error.msg,)
    elif kind is ValueError and error.args == ("unknown file extension: .avif",):
        error.args = (f"{error.args[0]}: {AVIF}",)
    elif kind.__name__ == "BdbQuit" and kind.__module__ == "bdb" and not error.args:
        error.args = (DEBUGGER,)


def breakpointhook(*arguments, **options):
    if os.environ.get("PYTHONBREAKPOINT") == "0":
        return
    raise RuntimeError(f"breakpoint(): {DEBUGGER}")


def missing_signal(name):
    reason = f": {ALARM}" if name in SIGNALS else ""
    raise AttributeError(f"module 'signal' has no attribute {name!r}{reason}", name=name, obj=signal)


def get_terminal_size(fd=1, /):
    """Of a descriptor that is no terminal, as all are here."""
    os.fstat(fd)
    raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))


def install():
    os.get_terminal_size = get_terminal_size
    sys.breakpointhook = sys.__breakpointhook__ = breakpointhook
    signal.__getattr__ = missing_signal
