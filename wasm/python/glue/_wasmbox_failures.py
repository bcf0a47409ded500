"""What becomes of a program that ended with an exception: what is said of it, and what it leaves."""

import builtins

# The program may replace what it finds in the real ones. Functions defined from here on look into this copy.
__builtins__ = dict(vars(builtins))

import sys
from _json import encode_basestring_ascii as quote

import _wasmbox_results
from _wasmbox import call_interruptible
from _wasmbox_traceback import describe, type_name

# A MemoryError that has nothing to do with memory.
PARSER_OVERFLOW = ("Parser stack overflowed - Python source too complex to parse",)
# What an exception holds on to, whatever its class says of attributes.
REFERENCES = [vars(BaseException)[name] for name in ("__traceback__", "__context__", "__cause__")]
# Interrupts come again only after a while.
LET_GO_ATTEMPTS = 3

namespace = sys.modules["__main__"].__dict__
own_hook = sys.__excepthook__


def ending(error, filename, compiled):
    """The answer for a program that ended with an exception. `compiled`: whether it came to run."""
    try:
        answer = ending_of(error, filename, compiled)
    finally:
        let_go(error)
    return answer


def ending_of(error, filename, compiled):
    hooked = False
    try:
        if isinstance(error, SystemExit):
            return '{"status":"exited","exitCode":%d}' % call_interruptible(exit_code, error.code)
        description = call_interruptible(describe, error, filename)
        hooked = compiled and type(error) is not KeyboardInterrupt and call_interruptible(tell_hook, error)
    except SystemExit as end:
        # Of the hook.
        return '{"status":"exited","exitCode":%d}' % call_interruptible(exit_code, end.code)
    except BaseException:
        # Interrupted, out of memory, or an exception that defends itself.
        description = type_name(error), "", type_name(error) + "\n"
    exhausted = isinstance(error, MemoryError) and error.args != PARSER_OVERFLOW
    if exhausted:
        forget_results()
    status = '"out_of_memory","compiled":' + ("true" if compiled else "false") if exhausted else '"failed"'
    told = ',"isTold":true' if hooked else ""
    return '{"status":%s,"error":{"type":%s,"message":%s,"traceback":%s%s}}' % (status, *map(quote, description), told)


def tell_hook(error):
    """Calls the program's sys.excepthook. Whether it has one, and that could tell of the error."""
    hook = getattr(sys, "excepthook", own_hook)
    if hook is own_hook or hook is sys.__excepthook__:
        return False
    try:
        hook(type(error), error, error.__traceback__)
        return True
    except SystemExit:
        raise
    except Exception as failed:
        failed.__context__ = None
        failed.__traceback__ = failed.__traceback__ and failed.__traceback__.tb_next
        print("Error in sys.excepthook:", file=sys.stderr)
        own_hook(type(failed), failed, failed.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        return False


def forget_figures():
    """Of a program that has failed: the next one would draw into them."""
    if "matplotlib.pyplot" in sys.modules:
        try:
            import _wasmbox_figures

            call_interruptible(_wasmbox_figures.forget)
        except BaseException:
            # Interrupted, or out of memory.
            pass


def forget_results():
    try:
        call_interruptible(_wasmbox_results.forget, namespace)
    except BaseException:
        # Interrupted in a destructor.
        pass


def let_go(error):
    """The variables of an exception's frames end while destructors of the program can still be interrupted."""
    for _ in range(LET_GO_ATTEMPTS):
        try:
            return call_interruptible(break_up, error)
        except KeyboardInterrupt:
            # Perhaps before it began.
            pass
        except BaseException:
            return


def break_up(error):
    for field in REFERENCES:
        field.__set__(error, None)


def exit_code(code):
    """As the interpreter ends itself on SystemExit, and as a parent process sees it."""
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF if -(2**31) <= code < 2**31 else 0xFF
    print(code, file=sys.stderr)
    return 1
