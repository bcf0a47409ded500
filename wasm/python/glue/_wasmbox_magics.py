"""What the magics of notebooks do. `_wasmbox_notebook` writes the calls of `line`, `cell` and `command`."""

import asyncio
import os
import re
import shlex
import sys
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from io import StringIO
from string import Formatter
from time import perf_counter, process_time

import _wasmbox_magics_timing as timing
from _wasmbox_magics_inspect import list_names, pinfo, table_of_names, visible

NAME_IN_BRACES = re.compile(r"(?<![$\w]){([A-Za-z_][\w.]*)}")
# Lines that are commands of the shell.
COMMANDS = {"cat", "cp", "ls", "mkdir", "mv", "pip", "rm", "rmdir"}
NO_EFFECT = {"autoreload", "colors", "config", "load_ext", "matplotlib", "precision", "reload_ext", "unload_ext", "xmode"}
NO_SUSPENSION = (
    "a shell command can only run as a statement of its own (!command) among a program's own statements; "
    'execute_code with language="shell" runs scripts'
)

# Characters of a command, together with what is exported to it.
MAX_COMMAND = 900_000

main = sys.modules["__main__"].__dict__
# The environment as the session gave it, which its shell has too.
initial_environment = {}


def line(name, text, scope):
    """Runs a line magic. `scope`: the variables that it is to see."""
    if name in NO_EFFECT:
        return None
    return LINES[name](text, scope)


def cell(name, text, body, scope):
    """Runs a cell magic."""
    return CELLS[name](text, body, scope)


def command_of(name, text):
    """The command of the shell that a line magic is; None if it is none."""
    if name in ("sx", "system"):
        return text
    return f"{name} {text}".strip() if name in COMMANDS else None


def shell_of(name, text):
    """Whether the body of a cell is for the shell (True), for another program (False), or for neither (None)."""
    if name == "script":
        return text.split()[:1] in (["bash"], ["sh"], ["/bin/bash"], ["/bin/sh"])
    return True if name in ("bash", "sh", "shell") else None


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


async def command(text, capture, scope):
    """Runs a command in the session's shell. What it prints is printed, or returned as Lines."""
    if asyncio._get_running_loop() is not None:
        raise RuntimeError(NO_SUSPENSION)
    if scope is not None:
        text = expand(text, scope)
    if not text.strip():
        return None
    sys.stdout.flush()
    sys.stderr.flush()
    diverted = not capture and sys.stdout is not streams["stdout"]
    changed = {name: value for name, value in os.environ.items() if initial_environment.get(name) != value}
    if len(text) + sum(len(name) + len(value) for name, value in changed.items()) > MAX_COMMAND:
        raise ValueError(f"a shell command may have at most {MAX_COMMAND} characters, with the environment that was set")
    exit_code, output = await Command(text, capture or diverted, changed)
    main["_exit_code"] = exit_code
    if diverted:
        sys.stdout.write(output)
    return Lines(output.splitlines()) if capture else None


def expand(text, scope):
    """Puts in values for `{expression}` and `$name`; what is none of the program's stays for the shell."""
    variables = main if scope is main else {**main, **scope}
    try:
        pieces = []
        for literal, field, form, conversion in Formatter().parse(text):
            pieces.append(dollars(literal, variables))
            if field is not None:
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
        return str(variables[name]) if visible(name, variables) else found[0]

    return re.sub(r"\$(?:\$(?=\w)|([A-Za-z_]\w*))", value, text)


def change_directory(text, scope):
    global previous_directory
    text = text.strip().strip("'\"")
    target = previous_directory if text == "-" else os.path.expanduser(text or "~")
    before = os.getcwd()
    os.chdir(target)
    previous_directory = before
    print(os.getcwd())


previous_directory = "/app"


def environment(text, scope):
    name, separator, value = text.partition("=")
    if not separator:
        name, separator, value = text.partition(" ")
    name, value = name.strip(), value.strip()
    if not name:
        return dict(os.environ)
    if not separator:
        return os.environ[name]
    os.environ[name] = expand(value, scope)
    print(f"env: {name}={os.environ[name]}")


def run_file(text, scope):
    """Runs a file as a program, and takes over its variables."""
    words = shlex.split(text)
    shares = bool(words) and words[0] == "-i"
    if shares:
        del words[0]
    if not words or words[0].startswith("-"):
        raise ValueError("%run needs a file of Python, and before it at most -i")
    path = words[0]
    if not os.path.exists(path) and not path.endswith(".py"):
        path += ".py"
    with open(path, encoding="utf-8-sig") as file:
        source = file.read()
    variables = main if shares else {"__name__": "__main__", "__file__": os.path.abspath(path)}
    argv, sys.argv = sys.argv, words
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        exec(compile(source, path, "exec", dont_inherit=True), variables)
    except SystemExit as ending:
        if ending.code not in (None, 0):
            raise
    finally:
        sys.argv = argv
        del sys.path[0]
        if not shares:
            main.update((name, value) for name, value in variables.items() if not name.startswith("__"))


def reset(text, scope):
    for name in [name for name in main if not name.startswith("_")]:
        del main[name]


def list_magics(text, scope):
    print("Lines:", ", ".join(sorted("%" + name for name in LINES if name != "pinfo")))
    print("Cells:", ", ".join(sorted("%%" + name for name in CELLS)))


def need_suspension(text, *more):
    raise RuntimeError(NO_SUSPENSION)


def write_file(text, body, scope):
    words = shlex.split(text)
    appends = words[:1] == ["-a"]
    if appends:
        del words[0]
    if len(words) != 1:
        raise ValueError("%%writefile needs the name of one file, and before it at most -a")
    path = os.path.expanduser(words[0])
    verb = "Appending to" if appends else "Overwriting" if os.path.exists(path) else "Writing"
    with open(path, "a" if appends else "w", encoding="utf-8") as file:
        file.write(body)
    print(verb, path)


def show_as(mime_type):
    def show(text, body, scope):
        import _wasmbox_display

        _wasmbox_display.display([body], mime_type, False)

    return show


def run_javascript(text, body, scope):
    raise RuntimeError('%%javascript: there is no browser here; execute_code with language="javascript" runs JavaScript')


class Timing:
    """%%time"""

    def __init__(self, text=""):
        pass

    def __enter__(self):
        self.began = perf_counter(), process_time()

    def __exit__(self, *raised):
        wall, cpu = self.began
        print(f"CPU times: total: {timing.duration(process_time() - cpu)}")
        print(f"Wall time: {timing.duration(perf_counter() - wall)}")


class Captured:
    """What was printed under %%capture."""

    def __init__(self, stdout, stderr):
        self._texts = stdout, stderr

    stdout = property(lambda self: self._texts[0].getvalue())
    stderr = property(lambda self: self._texts[1].getvalue())

    def __str__(self):
        return self.stdout

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)

    __call__ = show


class Capture:
    """%%capture: keeps what is printed, and the result, out of the reply."""

    hides_result = True

    def __init__(self, text=""):
        words = text.split()
        kept = [] if "--no-stdout" in words else ["stdout"]
        self.kept = kept if "--no-stderr" in words else [*kept, "stderr"]
        self.name = next((word for word in words if not word.startswith("-")), None)

    def __enter__(self):
        texts = {"stdout": StringIO(), "stderr": StringIO()}
        self.stack = ExitStack()
        for name, redirect in (("stdout", redirect_stdout), ("stderr", redirect_stderr)):
            if name in self.kept:
                self.stack.enter_context(redirect(texts[name]))
        captured = Captured(**texts)
        if self.name is not None:
            main[self.name] = captured
        return captured

    def __exit__(self, *raised):
        self.stack.close()


streams = {"stdout": sys.stdout}
SCOPES = {"time": Timing, "capture": Capture}
LINES = {
    **dict.fromkeys(NO_EFFECT),
    **dict.fromkeys([*COMMANDS, "sx", "system"], need_suspension),
    "cd": change_directory,
    "env": environment,
    "lsmagic": list_magics,
    "pinfo": pinfo,
    "pwd": lambda text, scope: os.getcwd(),
    "reset": reset,
    "run": run_file,
    "set_env": environment,
    "time": lambda text, scope: timing.time_line(text, scope, main, Timing()),
    "timeit": lambda text, scope: timing.timeit(text, "", scope, main),
    "who": lambda text, scope: list_names(main),
    "who_ls": lambda text, scope: sorted(name for name in main if visible(name, main)),
    "whos": lambda text, scope: table_of_names(main),
}
CELLS = {
    **dict.fromkeys(["bash", "script", "sh", "shell"], need_suspension),
    **dict.fromkeys(SCOPES),
    "file": write_file,
    "html": show_as("text/html"),
    "HTML": show_as("text/html"),
    "javascript": run_javascript,
    "js": run_javascript,
    "latex": show_as("text/markdown"),
    "markdown": show_as("text/markdown"),
    "svg": show_as("image/svg+xml"),
    "SVG": show_as("image/svg+xml"),
    "timeit": lambda text, body, scope: timing.timeit(text, body, scope, main),
    "writefile": write_file,
}
