"""Programs that wait for a command of the shell: the host runs it between two requests."""

import os
from _json import encode_basestring_ascii as quote

from _wasmbox import call_interruptible, hold_reserve

# The one that waits, if there is one: its file name, and what runs it.
suspended = []


class Suspended(BaseException):
    """A program waits for a command. `answer`: what the host is told."""

    def __init__(self, command):
        environ = ",".join(f"{quote(name)}:{quote(value)}" for name, value in command.environ.items())
        self.answer = '{"status":"waiting","command":%s,"capture":%s,"cwd":%s,"environ":{%s}}' % (
            quote(command.text), "true" if command.capture else "false", quote(os.getcwd()), environ,
        )


def begin(filename, steps):
    """Runs a program, given as a generator of its commands. Raises Suspended at each."""
    return advance(filename, steps, steps.send, None)


def advance(filename, steps, go, outcome):
    """Runs it up to its next command, or to its end. `go`: how it is told of the last one's outcome."""
    hold_reserve()
    try:
        command = go(outcome)
    except StopIteration as end:
        return end.value
    suspended.append((filename, steps))
    raise Suspended(command)


def after_command(output, exitCode=0, refused=False, interrupted=False):
    """File name, and what goes on with the program that waits. `refused`: `output` says why the command was not run."""
    filename, steps = suspended.pop()
    if interrupted:
        return filename, advance, filename, steps, steps.throw, KeyboardInterrupt()
    if refused:
        return filename, advance, filename, steps, steps.throw, OSError(output)
    return filename, advance, filename, steps, steps.send, (exitCode, output)


def abandon():
    """Ends a program whose command was the last that it came to."""
    while suspended:
        try:
            call_interruptible(suspended.pop()[1].close)
        except BaseException:
            # What its `finally` clauses make of that is nobody's.
            pass
