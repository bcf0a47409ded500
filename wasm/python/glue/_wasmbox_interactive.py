"""The builtins that programs expect from the `site` module, which is not imported, and those of the sandbox's own."""

import builtins
from _sitebuiltins import _Helper

from _wasmbox_signals import WAITING


class Quitter:
    """`exit` and `quit`. Unlike site's, it leaves stdin open: the session goes on."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() to end the run"

    def __call__(self, code=None):
        raise SystemExit(code)


NO_INPUT = "no input: nobody types while a program runs; pass values in the code or in a file"

read_line = builtins.input


def input(prompt="", /):
    """Read a string from standard input. There is none in a session, which EOFError says."""
    try:
        return read_line(prompt)
    except EOFError:
        pass
    raise EOFError(NO_INPUT)


# What these stand on is imported when one of them is first called: most programs call none.


def display(*objects, mime_type=None, raw=False):
    """Show objects in the reply, beside what is printed.

    Shown as pictures: objects with _repr_png_, _repr_jpeg_ or _repr_svg_ (charts of pygal), bytes of PNG or JPEG, and
    str of SVG. As tables: data frames and lists of dicts. As text: objects with _repr_markdown_, _repr_html_ or
    _repr_json_; of all others the repr. An object may offer several by _repr_mimebundle_.

    mime_type: the objects are bytes or str of this type. raw: they are dicts of data by MIME type.

        import pygal
        chart = pygal.Bar(title="Fruit")
        chart.add("apples", [3, 5])
        display(chart)
    """
    import _wasmbox_display

    _wasmbox_display.display(objects, mime_type, raw)


def share(name, value):
    """Hand a value to the other languages of the session, and to later executions: shared(name) gives it back.

    None, bool, int, float, str, bytes, and lists and dicts of them. In JavaScript bytes are Uint8Array, and an int beyond
    2**53 is a BigInt. It is kept as the file /shared/NAME.
    """
    import _wasmbox_share

    _wasmbox_share.share(name, value)


def shared(name):
    """The value that was last shared under this name, in whatever language. KeyError if there is none."""
    import _wasmbox_share

    return _wasmbox_share.shared(name)


def shared_names():
    """The names under which values are shared, sorted."""
    import _wasmbox_share

    return _wasmbox_share.shared_names()


def get_ipython():
    """The session, as notebooks' code asks for it."""
    import _wasmbox_ipython

    return _wasmbox_ipython.get_ipython()


def install():
    WAITING.add(input.__code__)
    builtins.exit = Quitter("exit")
    builtins.quit = Quitter("quit")
    builtins.help = _Helper()
    for function in (display, get_ipython, input, share, shared, shared_names):
        function.__module__ = "builtins"
        setattr(builtins, function.__name__, function)
