"""Commands of the shell in programs for notebooks: `_wasmbox_notebook` writes the calls of `command`."""

import asyncio
import os
import re
import sys
from string import Formatter

NAME_IN_BRACES = re.compile(r"\$?{([A-Za-z_][\w.]*)}")
NO_SUSPENSION = (
    "a shell command can only run as a statement of its own (!command) among a program's own statements; "
    'execute_code with language="shell" runs scripts'
)
# Characters of a command, together with what is exported to it.
MAX_COMMAND = 900_000

main = sys.modules["__main__"].__dict__
stdout = sys.stdout
# The environment as the session gave it, which its shell has too.
initial_environment = {}


class Command:
    """A command for the host to run. Awaited, it suspends the program until that has ended."""

    def __init__(self, text, capture, environ):
        self.text = text
        self.capture = capture
        self.environ = environ

    def __await__(self):
        return (yield self)


class Lines(list):
    """The lines that a command printed: `.n` and `.s` are them as one text, `.p` as paths."""

    @property
    def l(self):
        return list(self)

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)

    @property
    def p(self):
        from pathlib import Path

        return [Path(line) for line in self]


async def command(text, capture, scope, must_succeed=False):
    """Runs a command in the session's shell. What it prints is printed, or returned as Lines."""
    if asyncio._get_running_loop() is not None:
        raise RuntimeError(NO_SUSPENSION)
    if scope is not None:
        text = expand(text, scope)
    if not text.strip():
        return None
    sys.stdout.flush()
    sys.stderr.flush()
    diverted = not capture and sys.stdout is not stdout
    changed = {name: value for name, value in os.environ.items() if initial_environment.get(name) != value}
    if len(text) + sum(len(name) + len(value) for name, value in changed.items()) > MAX_COMMAND:
        raise ValueError(f"a shell command may have at most {MAX_COMMAND} characters, with the environment that was set")
    exit_code, output = await Command(text, capture or diverted, changed)
    main["_exit_code"] = exit_code
    if diverted:
        sys.stdout.write(output)
    if must_succeed and exit_code != 0:
        raise SystemExit(exit_code)
    return Lines(output.splitlines()) if capture else None


def expand(text, scope):
    """Puts in values for `{expression}` and `$name`; what is none of the program's stays for the shell."""
    variables = main if scope is main else {**main, **scope}
    try:
        pieces = []
        for literal, field, form, conversion in Formatter().parse(text):
            pieces.append(dollars(literal, variables))
            if field is not None:
                # ${name}
                pieces[-1] = pieces[-1].removesuffix("$")
                value = eval(field, variables)
                value = {None: value, "r": repr(value), "s": str(value), "a": ascii(value)}[conversion]
                pieces.append(format(value, form))
        return "".join(pieces)
    except Exception:
        # Some braces are the shell's, as in awk '{print $1}'.
        return dollars(NAME_IN_BRACES.sub(lambda found: named(found, variables), text), variables)


def named(found, variables):
    try:
        return str(eval(found[1], variables))
    except Exception:
        return found[0]


def dollars(text, variables):
    def value(found):
        if found[1] is None:
            return "$"
        name = found[1]
        return str(variables[name]) if name in variables else found[0]

    return re.sub(r"\$(?:\$(?=\w)|([A-Za-z]\w*))", value, text)
