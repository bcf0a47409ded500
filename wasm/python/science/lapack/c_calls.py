"""Makes of f2c's C what callers in C expect: `c_calls.py FILES…`, in place.

Subroutines return nothing, and no lengths of strings are handed on: the functions that need one are written by hand.
"""

import pathlib
import re
import sys

# A function of LAPACK or BLAS; those of libf2c have no such ending.
CALL = re.compile(r"\b([a-z]\w*_)\(")


def closing(text, start):
    """Where the parenthesis ends that is opened at `start`."""
    depth, quoted = 0, False
    for at in range(start, len(text)):
        character = text[at]
        if quoted:
            quoted = not (character == '"' and text[at - 1] != "\\")
        elif character == '"':
            quoted = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return at
    raise ValueError("no end of a call")


def without_lengths(text):
    at = 0
    while found := CALL.search(text, at):
        open_at = found.end() - 1
        at = found.end()
        end = closing(text, open_at)
        inner = text[open_at + 1 : end]
        short = inner
        while True:
            shorter = re.sub(r",\s*(?:ftnlen(?:\s+\w+)?|\(\s*ftnlen\s*\)\s*\w+|\w+_len)\s*$", "", short)
            if shorter == short:
                break
            short = shorter
        text = text[: open_at + 1] + short + text[end:]
    return text


def convert(text):
    text = re.sub(r"/\*(?! Subroutine \*/).*?\*/", "", text, flags=re.S)
    text = without_lengths(text)
    subroutine = re.search(r"^/\* Subroutine \*/ int\s+\w+_\(", text, re.M)
    text = re.sub(r"/\* Subroutine \*/ int(?=\s+\w+_\()", "void", text)
    if subroutine:
        text = re.sub(r"\breturn 0;", "return;", text)
    text = re.sub(r"\bname_len\b", "(ftnlen)__builtin_strlen(name__)", text)
    return re.sub(r"\n\s*\n+", "\n", text)


for path in map(pathlib.Path, sys.argv[1:]):
    path.write_text(convert(path.read_text()))
