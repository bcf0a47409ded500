"""Turns what notebooks understand beside Python into Python: `%magic`, `%%cell`, `!command`, `name?`.

Called only for a program that does not compile, so that valid Python is never changed. Every line stays where it is.
"""

import re
from inspect import CO_COROUTINE
from io import StringIO

import _wasmbox_magics

MAGICS = '__import__("_wasmbox_magics")'
TOKEN = re.compile(r"#|[bBfFrRuU]{0,2}(\"\"\"|'''|\"|')|[()\[\]{}]|\\\n?$")
CLOSING = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in ('"', "'", '"""', "'''")}
ASSIGNMENT = re.compile(r"([A-Za-z_][\w.,\[\]'\" ]*?)\s*=\s*([!%])(.*)", re.DOTALL)
MAGIC = re.compile(r"(\w+)\s*(.*)", re.DOTALL)
HELP = re.compile(r"\?{1,2}\s*([A-Za-z_][\w.]*)|([A-Za-z_][\w.]*)\s*\?{1,2}")
COMMAND = 'await __import__("_wasmbox_commands").command('
MIXED = "a program can't both await at its top level and run shell commands: put these into calls of their own"
IN_FUNCTION = (
    "a shell command can't run inside a function or class, only among a program's own statements; "
    'execute_code with language="shell" runs scripts'
)


class Lines:
    """Tells, line by line, where a statement may begin: not in a string, in brackets or after a backslash."""

    def __init__(self):
        self.quote = ""
        self.depth = 0
        self.joined = False

    @property
    def at_start(self):
        return not (self.quote or self.depth or self.joined)

    def take(self, line):
        self.joined = False
        at = 0
        while at < len(line):
            if self.quote:
                end = CLOSING[self.quote].match(line, at)
                if end is None:
                    if len(self.quote) == 1 and not line.endswith("\\\n"):
                        self.quote = ""
                    return
                self.quote = ""
                at = end.end()
                continue
            found = TOKEN.search(line, at)
            if found is None or found[0] == "#":
                return
            at = found.end()
            if found[1]:
                self.quote = found[1]
            elif found[0] in "([{":
                self.depth += 1
            elif found[0] in ")]}":
                self.depth = max(0, self.depth - 1)
            else:
                self.joined = True


class Notebook:
    """A program in Python that does what `source` says. `scope`: what it has to run in, or None."""

    def __init__(self, source, filename):
        self.filename = filename
        # As Python takes line ends; str.splitlines knows more of them.
        self.lines = list(StringIO(source.replace("\r\n", "\n").replace("\r", "\n")))
        self.rewritten = {}
        self.scope = None
        self.has_commands = False
        self.is_other = False
        self.begin()

    @property
    def text(self):
        return "".join(self.rewritten.get(number, line) for number, line in enumerate(self.lines))

    def begin(self):
        first = next((number for number, line in enumerate(self.lines) if is_code(line)), None)
        if first is None:
            return
        if self.lines[first].startswith("%%"):
            self.is_other = True
            self.take_cell(first)
        if not self.is_other or self.scope is not None:
            self.rewrite_lines(first)

    def take_cell(self, first):
        name, rest = self.magic(first, self.lines[first][2:], _wasmbox_magics.CELLS, "%%")
        self.replace(first, 1, "")
        if name in _wasmbox_magics.SCOPES:
            self.scope = _wasmbox_magics.SCOPES[name](rest)
            return
        body = "".join(self.lines[first + 1 :])
        shell = _wasmbox_magics.shell_of(name, rest)
        if shell is None:
            statement = f"{MAGICS}.cell({name!r}, {rest!r}, {body!r}, locals())"
        elif shell:
            self.has_commands = True
            statement = f"{COMMAND}{body!r}, False, None, {'--no-raise-error' not in rest})"
        else:
            raise self.error(first, f"%%{name} {rest}: only bash and sh can run here")
        self.replace(first, len(self.lines) - first, statement)

    def rewrite_lines(self, first):
        state = Lines()
        number = first
        while number < len(self.lines):
            line = self.lines[number]
            if number in self.rewritten or not state.at_start or not self.rewrite(number):
                state.take(line)
                number += 1
                continue
            number += self.length(number)

    def rewrite(self, number):
        """Rewrites the statement that begins here, if it is none of Python's."""
        line = self.lines[number]
        text = line.lstrip()
        indent = line[: len(line) - len(text)]
        assignment = ASSIGNMENT.match(text)
        if assignment is not None:
            target, kind = f"{assignment[1]} = ", assignment[2]
        elif text[:1] in ("!", "%"):
            target, kind = "", text[0]
        else:
            return self.rewrite_help(number, indent, text)
        length = self.length(number)
        whole = "".join(self.lines[number : number + length])
        rest = whole[whole.index(kind, len(indent) + (assignment.start(2) if assignment else 0)) + 1 :].strip()
        if kind == "%" and rest.startswith("%"):
            raise self.error(number, "a cell magic (%%) must stand on the program's first line")
        self.replace(number, length, f"{indent}{target}{self.expression(number, kind, rest, target != '')}")
        return True

    def expression(self, number, kind, rest, capture):
        if kind == "!":
            if rest.startswith("!"):
                rest, capture = rest[1:], True
        else:
            name, rest = self.magic(number, rest, _wasmbox_magics.LINES, "%")
            command = _wasmbox_magics.command_of(name, rest)
            if command is None:
                return f"{MAGICS}.line({name!r}, {rest!r}, locals())"
            rest = command
            capture = capture or name in ("sx", "system")
        self.has_commands = True
        return f"{COMMAND}{rest!r}, {capture}, locals())"

    def rewrite_help(self, number, indent, text):
        found = HELP.fullmatch(text.strip())
        if found is None:
            return False
        name = "pinfo2" if "??" in text else "pinfo"
        self.replace(number, 1, f"{indent}{MAGICS}.line({name!r}, {found[1] or found[2]!r}, locals())")
        return True

    def length(self, number):
        """Lines of a statement that goes on after a backslash."""
        end = number
        while self.lines[end].endswith("\\\n") and end + 1 < len(self.lines):
            end += 1
        return end + 1 - number

    def magic(self, number, text, known, sign):
        found = MAGIC.match(text.strip())
        name, rest = found.groups() if found else (text.strip(), "")
        if name not in known:
            names = ", ".join(sorted(sign + name for name in known if not name.startswith("pinfo")))
            raise self.error(number, f"there is no {sign}{name} here. There are: {names}")
        return name, rest

    def replace(self, number, length, text):
        for offset in range(length):
            end = "\n" if self.lines[number + offset].endswith("\n") else ""
            self.rewritten[number + offset] = (text if offset == 0 else "") + end

    def error(self, number, message):
        line = self.lines[number]
        column = len(line) - len(line.lstrip()) + 1
        return SyntaxError(message, (self.filename, number + 1, column, line))

    def check(self, compile):
        """Raises SyntaxError if the program awaits anything but commands."""
        if not self.has_commands:
            return
        lines = (line.replace(COMMAND, COMMAND.removeprefix("await ")) for line in self.rewritten.values())
        without = dict(zip(self.rewritten, lines))
        text = "".join(without.get(number, line) for number, line in enumerate(self.lines))
        if compile(text).co_flags & CO_COROUTINE:
            raise self.error(next(number for number, line in self.rewritten.items() if COMMAND in line), MIXED)

    def explain(self, error):
        """Lets a SyntaxError of what was rewritten show the program's own line."""
        number = (error.lineno or 0) - 1
        if number not in self.rewritten:
            return error
        if "'await' outside" in error.msg:
            return self.error(number, IN_FUNCTION)
        error.text = self.lines[number]
        return error


def is_code(line):
    text = line.strip()
    return text != "" and not text.startswith("#")


def rewrite(source, filename):
    """A Notebook; None if there is nothing in the source that is none of Python's."""
    level = dedented(source)
    notebook = Notebook(level, filename)
    return notebook if notebook.rewritten or level != source else None


def dedented(source):
    """Without what its first line is indented by, as code is that was cut out of a block."""
    first = next(filter(is_code, source.splitlines()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return re.sub(f"^{indent}", "", source, flags=re.MULTILINE) if indent else source
