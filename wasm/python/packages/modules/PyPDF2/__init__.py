"""PyPDF2 became pypdf. This is pypdf under its old name, for programs that were written before."""

import sys

import pypdf
from pypdf import *  # noqa: F403
from pypdf import PdfWriter, __version__

# Gone from pypdf, whose PdfWriter does the same since.
PdfMerger = PdfWriter

__all__ = [*pypdf.__all__, "PdfMerger", "__version__"]

for _name, _module in list(sys.modules.items()):
    if _name.startswith("pypdf."):
        sys.modules["PyPDF2" + _name[len("pypdf"):]] = _module
        if _name.count(".") == 1:
            globals().setdefault(_name.partition(".")[2], _module)
del _name, _module
