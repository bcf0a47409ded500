"""How readers and writers of csv are pickled: by what they read and write, which the garbage collector tells."""

from gc import get_referents
from itertools import chain, repeat

DIALECT = "delimiter", "doublequote", "escapechar", "lineterminator", "quotechar", "quoting", "skipinitialspace", "strict"
# Lines that a reader is given for what it says of their number.
MAX_LINES = 1_000_000


def reduce_writer(writer):
    """Its file is known by the method that it calls."""
    files = [each.__self__ for each in get_referents(writer) if getattr(each, "__name__", None) == "write"]
    return (csv_writer, (*files, dialect_of(writer))) if len(files) == 1 else None


def csv_writer(file, dialect):
    import csv

    return csv.writer(file, **dialect)


def reduce_reader(reader):
    """A row that was not finished is a list, which it begins anew anyway."""
    besides = reader.dialect, type(reader)
    lines = [each for each in get_referents(reader) if type(each) is not list and each not in besides]
    if len(lines) != 1 or reader.line_num > MAX_LINES:
        return None
    return csv_reader, (lines[0], reader.line_num, dialect_of(reader))


def csv_reader(lines, number, dialect):
    import csv

    if number == 0:
        return csv.reader(lines, **dialect)
    again = csv.reader(chain(repeat("", number), Rest(lines)), **dialect)
    for _ in range(number):
        next(again)
    return again


class Rest:
    """Of lines: asked for an iterator only when they are read on, which what is closed would refuse."""

    def __init__(self, lines):
        self.lines = lines

    def __iter__(self):
        return iter(self.lines)


def dialect_of(csv):
    return {name: getattr(csv.dialect, name) for name in DIALECT}
