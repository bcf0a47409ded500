"""The part of IPython that notebooks' code calls by name. The rest of it needs a kernel, or a terminal."""

import os

from _wasmbox_ipython import InteractiveShell, get_ipython

from IPython import display

__all__ = ["InteractiveShell", "display", "get_ipython", "version_info"]

# What libraries ask before they use a part of the real one.
version_info = (8, 30, 0, "")
__version__ = "8.30.0"

# plotly looks here before there: its figures are small pages then, which get its library from the network of whoever looks
# at them, and not 5 MB each.
os.environ.setdefault("PLOTLY_RENDERER", "notebook_connected")


def __getattr__(name):
    raise AttributeError(f"IPython has only display and get_ipython here, no {name}")
