"""Shows objects beside the output: pictures, tables, marked-up text. The host bounds what it takes."""

import json
import sys
from base64 import b64decode
from datetime import date
from itertools import islice

from _wasmbox import host_call
from _wasmbox_repr import bounded_repr

# Characters of a repr.
MAX_TEXT = 65_536
MAX_ROWS = 50
MAX_COLUMNS = 20
MAX_CELL = 80
# What pandas has by default, where nobody has set anything; and the most that is shown of what somebody asks for.
DEFAULTS = {"max_rows": (60,), "max_columns": (0, 20), "precision": 6}
MOST_ROWS = 1000
MOST_COLUMNS = 100
# Of a number with a fraction, beyond which it is rounded.
MAX_DIGITS = 12

SVG = "image/svg+xml"
PICTURES = {"image/png": "_repr_png_", "image/jpeg": "_repr_jpeg_", SVG: "_repr_svg_"}
TEXTS = {"text/markdown": "_repr_markdown_", "text/html": "_repr_html_", "application/json": "_repr_json_"}
# Best first, of what an object offers.
PREFERRED = (*PICTURES, *TEXTS, "text/plain")
MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF-": "application/pdf",
}


def display(objects, mime_type, raw):
    for value in objects:
        if raw:
            shown = from_bundle(value)
        elif mime_type is not None:
            shown = mime_type, value
        else:
            shown = representation(value)
        if shown is None:
            text = value if isinstance(value, str) else bounded_repr(value, MAX_TEXT)
            shown = "text/plain", text
        send(*shown, "display")


def show_result(value):
    """Shows the value of a last expression if there is a better way than its repr."""
    try:
        shown = representation(value)
        if shown is not None:
            send(*shown, "result")
    except Exception as error:
        report("the result", error)


def representation(value):
    """MIME type and data of the best that `value` has to show; None if that is its repr."""
    kind = type(value)
    if kind is str:
        return (SVG, value) if is_svg(value) else None
    if kind in (bytes, bytearray):
        return next(((mime, value) for magic, mime in MAGIC.items() if value.startswith(magic)), None)
    if isinstance(value, type):
        return None
    registered = from_formatters(value)
    if registered is not None:
        return registered
    if hasattr(kind, "_repr_mimebundle_"):
        bundle = call(value, "_repr_mimebundle_")
        shown = from_bundle(bundle[0] if isinstance(bundle, tuple) else bundle)
        if shown is not None:
            return shown
    return from_hooks(value, PICTURES) or table(value) or from_hooks(value, TEXTS)


def from_formatters(value):
    """What somebody has registered for objects of its type."""
    formatters = sys.modules.get("_wasmbox_formatters")
    for mime in PREFERRED[:-1] if formatters else ():
        data = formatters.shown_as(mime, value)
        if data is not None:
            return mime, data[0] if isinstance(data, tuple) else data
    return None


def from_hooks(value, hooks):
    for mime, hook in hooks.items():
        if hasattr(type(value), hook):
            data = call(value, hook)
            if data is not None:
                # Some come with metadata.
                return mime, data[0] if isinstance(data, tuple) else data
    return None


def from_bundle(bundle):
    if not isinstance(bundle, dict):
        return None
    mime = next((mime for mime in PREFERRED if bundle.get(mime) is not None), None)
    return mime and (mime, bundle[mime])


def call(value, hook):
    """What a hook of an object gives; None if it fails, which is not the program's failure."""
    try:
        return getattr(value, hook)()
    except (ImportError, NotImplementedError):
        # It has no such picture here.
        return None
    except Exception as error:
        report(f"{type(value).__name__}.{hook}", error)
        return None


def report(what, error):
    try:
        message = str(error)[:1000]
    except Exception:
        message = ""
    print(f"display: {what} raised {type(error).__name__}: {message}", file=sys.stderr)


def is_svg(text):
    start = text[:2000].lstrip("\ufeff \t\r\n")
    return start.startswith("<svg") or start.startswith(("<?xml", "<!DOCTYPE svg", "<!--")) and "<svg" in start


def send(mime, data, source):
    if mime == "application/json" and not isinstance(data, (str, bytes)):
        data = json.dumps(data)
    if isinstance(data, str):
        binary = mime.startswith("image/") and mime != SVG
        data = b64decode(data) if binary else data.encode("utf-8", "replace")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"what is displayed as {mime} must be bytes or str, not {type(data).__name__}")
    head = json.dumps({"mime": str(mime).lower(), "source": source})
    try:
        host_call("display", head.encode(), data)
    except OSError as error:
        raise ValueError(f"{mime!r} can't be displayed: {error}") from None


def table(value):
    """A data frame, or a list of dicts, in Markdown; None for anything else."""
    if type(value) in (list, tuple):
        rows = list(islice(value, MAX_ROWS))
        if not rows or not all(type(row) is dict for row in rows):
            return None
        columns = list(dict.fromkeys(key for row in rows for key in islice(row, MAX_COLUMNS + 1)))
        return markdown(columns, ([row.get(column, "") for column in columns] for row in rows), len(value))
    kind = type(value)
    walk = next((name for name in ("itertuples", "iter_rows") if callable(getattr(kind, name, None))), None)
    if walk is None or not hasattr(value, "columns"):
        return None
    try:
        if walk == "iter_rows":
            return markdown(list(value.columns), value.iter_rows(), len(value))
        style = style_of(kind)
        labels = index_names(value)
        rows = value.itertuples(index=bool(labels), name=None)
        if len(labels) > 1:
            rows = ((*label, *rest) for label, *rest in rows)
        return markdown([*labels, *value.columns], rows, len(value), style)
    except Exception as error:
        report(f"{kind.__name__}.{walk}", error)
        return None


def index_names(frame):
    """What the rows of a data frame are called by, if it is more than their numbers."""
    index = getattr(frame, "index", None)
    if not hasattr(index, "names"):
        return []
    if type(index).__name__ == "RangeIndex" and index.name is None and (index.start, index.step) == (0, 1):
        return []
    return ["" if name is None else name for name in index.names]


class Style:
    """How much of a table is shown, and how its numbers with a fraction are."""

    def __init__(self, rows=MAX_ROWS, columns=MAX_COLUMNS, number=None):
        self.rows, self.columns, self.number = rows, columns, number


def style_of(kind):
    """What the program has set for pandas, if the table is one of pandas'."""
    if kind.__module__.partition(".")[0] != "pandas":
        return Style()
    display = sys.modules["pandas"].options.display
    number = display.float_format
    if number is None and display.precision != DEFAULTS["precision"]:
        number = f"{{:.{display.precision}f}}".format
    return Style(
        chosen(display.max_rows, DEFAULTS["max_rows"], MAX_ROWS, MOST_ROWS),
        chosen(display.max_columns, DEFAULTS["max_columns"], MAX_COLUMNS, MOST_COLUMNS),
        number if callable(number) else number and number.format,
    )


def chosen(value, default, ours, most):
    """pandas' own default gives way to ours; None and 0 ask for everything."""
    return ours if value in default else min(value or most, most)


def markdown(columns, rows, count, style=Style()):
    shown = columns[:style.columns]
    lines = [line(map(cell, shown)), line("---" for _ in shown)]
    for row in islice(rows, style.rows):
        lines.append(line(cell(value, style.number) for value in islice(row, len(shown))))
    if count > style.rows:
        lines.append(f"\n({count - style.rows} more rows)")
    if len(columns) > style.columns:
        lines.append("\n(more columns)")
    return "text/markdown", "\n".join(lines)


def line(cells):
    return f"| {' | '.join(cells)} |"


def cell(value, number=None):
    if hasattr(type(value), "dtype") and hasattr(type(value), "item"):
        value = value.item()
    if type(value) is str:
        text = value[: MAX_CELL + 1]
    elif type(value) is float and number is not None and value == value:
        text = number(value)
    elif type(value) is float:
        text = repr(value) if len(repr(value)) <= MAX_DIGITS else f"{value:.8g}"
    elif isinstance(value, date):
        text = str(value)
    elif type(value) is tuple:
        text = ", ".join(map(cell, value))
    else:
        text = bounded_repr(value, MAX_CELL)
    text = text if len(text) <= MAX_CELL else text[:MAX_CELL] + "…"
    return " ".join(text.split()).replace("|", "\\|")
