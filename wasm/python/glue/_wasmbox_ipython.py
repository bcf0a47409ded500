"""What `get_ipython()` gives: the session, as far as libraries and notebooks ask for it."""

import sys

import _wasmbox_magics
from _wasmbox_commands import NO_SUSPENSION
from _wasmbox_formatters import display_formatter


class InteractiveShell:
    """Neither a notebook's nor a terminal's, as its name tells those who look."""

    config = {}
    execution_count = 1
    colors = "NoColor"
    display_formatter = display_formatter

    def __init__(self):
        self.user_ns = sys.modules["__main__"].__dict__
        self.events = Events()

    def run_line_magic(self, name, text="", _stack_depth=1):
        if name not in _wasmbox_magics.LINES:
            raise ValueError(f"there is no %{name} here; %lsmagic lists what there is")
        return _wasmbox_magics.line(name, text, self.user_ns)

    def run_cell_magic(self, name, text, body):
        if name in _wasmbox_magics.SCOPES:
            with _wasmbox_magics.SCOPES[name](text):
                return self.run_cell(body)
        if name not in _wasmbox_magics.CELLS:
            raise ValueError(f"there is no %%{name} here; %lsmagic lists what there is")
        return _wasmbox_magics.cell(name, text, body, self.user_ns)

    def magic(self, text):
        name, _, rest = text.lstrip("%").partition(" ")
        return self.run_line_magic(name, rest)

    def run_cell(self, source, *more, **options):
        exec(compile(source, "<cell>", "exec", dont_inherit=True), self.user_ns)

    ex = run_cell

    def ev(self, source):
        return eval(source, self.user_ns)

    def push(self, variables, interactive=True):
        names = variables.split() if isinstance(variables, str) else variables
        if not isinstance(names, dict):
            caller = sys._getframe(1)
            names = {name: eval(name, caller.f_globals, caller.f_locals) for name in names}
        self.user_ns.update(names)

    def system(self, text):
        raise RuntimeError(NO_SUSPENSION)

    getoutput = getoutput_raw = system_raw = system

    def enable_matplotlib(self, gui=None):
        pass

    enable_gui = enable_matplotlib


class Events:
    """Nothing that a library registers here would ever happen."""

    def register(self, event, function):
        pass

    unregister = register


shell = None


def get_ipython():
    """The session; the same object each time."""
    global shell
    if shell is None:
        shell = InteractiveShell()
    return shell


def change_plotly(renderers):
    """It shows nothing without nbformat, of which it uses nothing but the version."""
    if getattr(renderers, "nbformat", True) is None:
        from types import SimpleNamespace

        renderers.nbformat = SimpleNamespace(__version__="5.10.4")
