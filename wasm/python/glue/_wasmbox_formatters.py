"""What `get_ipython().display_formatter` is: how libraries and notebooks have objects of a type shown."""

MIME_TYPES = (
    "text/plain",
    "text/html",
    "text/markdown",
    "image/svg+xml",
    "image/png",
    "application/pdf",
    "image/jpeg",
    "text/latex",
    "application/json",
    "application/javascript",
)


class Formatter:
    """Of one MIME type: the functions that make it of objects, by their types."""

    enabled = True

    def __init__(self):
        self.type_printers = {}

    def for_type(self, kind, function=None):
        before = self.type_printers.get(kind)
        if function is not None:
            self.type_printers[kind] = function
        return before

    def for_type_by_name(self, module, name, function=None):
        return self.for_type((module, name), function)

    def lookup_by_type(self, kind):
        for each in kind.__mro__:
            function = self.type_printers.get(each) or self.type_printers.get((each.__module__, each.__name__))
            if function is not None:
                return function
        raise KeyError(kind)

    def lookup(self, value):
        return self.lookup_by_type(type(value))

    def pop(self, kind, *default):
        return self.type_printers.pop(kind, *default)


class DisplayFormatter:
    def __init__(self):
        self.formatters = {mime: Formatter() for mime in MIME_TYPES}


class PlainPrinter:
    """Takes what a function for text/plain says of an object."""

    def __init__(self):
        self.said = []

    def text(self, text):
        self.said.append(text)

    def pretty(self, value):
        text = plain_text(value)
        self.said.append(repr(value) if text is None else text)

    def breakable(self, separator=" "):
        self.said.append(separator)

    break_ = lambda self: self.said.append("\n")


display_formatter = DisplayFormatter()


def shown_as(mime, value):
    """What somebody's function makes of an object; None if there is none for its type, or if that makes nothing."""
    formatter = display_formatter.formatters[mime]
    try:
        function = formatter.lookup(value)
    except KeyError:
        return None
    if mime != "text/plain":
        return function(value)
    printer = PlainPrinter()
    function(value, printer, False)
    return "".join(printer.said)


def plain_text(value):
    return shown_as("text/plain", value)
