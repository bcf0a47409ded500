"""`getpass` without a terminal: a secret is a line of standard input, where there is one."""

import os
import sys

from _wasmbox_interactive import NO_INPUT

__all__ = ["GetPassWarning", "getpass", "getuser"]


class GetPassWarning(UserWarning):
    pass


def getpass(prompt="Password: ", stream=None):
    stream = stream or sys.stderr
    stream.write(prompt)
    stream.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError(NO_INPUT)
    return line.removesuffix("\n")


def getuser():
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        user = os.environ.get(name)
        if user:
            return user
    try:
        import pwd

        return pwd.getpwuid(os.getuid())[0]
    except (ImportError, KeyError) as error:
        raise OSError("No username set in the environment") from error
