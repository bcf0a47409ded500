"""IPython.lib.pretty, without its line breaks."""

from _wasmbox_formatters import PlainPrinter as RepresentationPrinter, plain_text


def pretty(value, *layout, **options):
    text = plain_text(value)
    return repr(value) if text is None else text


def pprint(value, *layout, **options):
    print(pretty(value))


__all__ = ["RepresentationPrinter", "pprint", "pretty"]
