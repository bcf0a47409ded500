"""The builtins that programs expect from the `site` module, which is not imported."""

import builtins
from _sitebuiltins import _Helper


class Quitter:
    """`exit` and `quit`. Unlike site's, it leaves stdin open: the session goes on."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() to end the run"

    def __call__(self, code=None):
        raise SystemExit(code)


def install():
    builtins.exit = Quitter("exit")
    builtins.quit = Quitter("quit")
    builtins.help = _Helper()
