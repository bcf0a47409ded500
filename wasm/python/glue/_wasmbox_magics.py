"""What the magics of notebooks do. `_wasmbox_notebook` writes the calls of `line` and `cell`."""

import os
import shlex
import sys

import _wasmbox_magics_timing as timing
from _wasmbox_commands import NO_SUSPENSION, expand
from _wasmbox_magics_inspect import list_names, pinfo, pinfo2, table_of_names, visible
from _wasmbox_magics_scopes import SCOPES, Timing

# Lines that are commands of the shell.
COMMANDS = {"cat", "cp", "ls", "mkdir", "mv", "pip", "rm", "rmdir"}
NO_EFFECT = {"autoreload", "colors", "config", "load_ext", "matplotlib", "precision", "reload_ext", "unload_ext", "xmode"}

main = sys.modules["__main__"].__dict__


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
    print("Lines:", ", ".join(sorted("%" + name for name in LINES if not name.startswith("pinfo"))))
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


LINES = {
    **dict.fromkeys(NO_EFFECT),
    **dict.fromkeys([*COMMANDS, "sx", "system"], need_suspension),
    "cd": change_directory,
    "env": environment,
    "lsmagic": list_magics,
    "pinfo": pinfo,
    "pinfo2": pinfo2,
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
