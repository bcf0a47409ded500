"""What programs leave in variables though they are done with it: pickle has no way for these, and nobody will miss them.

By type, how each is reduced; None for one that is still of use.
"""

import io
import re
import types
from gc import get_referents

DIALECT = "delimiter", "doublequote", "escapechar", "lineterminator", "quotechar", "quoting", "skipinitialspace", "strict"


def reduce_file(file):
    return (closed_file, (type(file), file.name, file.mode)) if file.closed else None


def closed_file(kind, name, mode):
    if kind is io.FileIO:
        file = io.FileIO("/dev/null", mode if "r" in mode else "w")
    else:
        raw = io.BytesIO()
        raw.name, raw.mode = name, mode
        file = kind(raw)
        if kind is io.TextIOWrapper:
            file.mode = mode
    file.close()
    return file


def reduce_generator(generator):
    return (exhausted_generator, ()) if generator.gi_frame is None else None


def exhausted_generator():
    generator = (each for each in ())
    generator.close()
    return generator


def reduce_match(match):
    found = match.re, match.string, match.start(), match.endpos
    again = match_again(*found)
    return (match_again, found) if again is not None and again.regs == match.regs else None


def match_again(pattern, string, start, end):
    return pattern.match(string, start, end)


def reduce_writer(writer):
    """Its file is known by the method that it calls."""
    files = [each.__self__ for each in get_referents(writer) if getattr(each, "__name__", None) == "write"]
    return (csv_writer, (*files, dialect_of(writer))) if len(files) == 1 else None


def csv_writer(file, dialect):
    import csv

    return csv.writer(file, **dialect)


def reduce_reader(reader):
    done = any(isinstance(each, io.IOBase) and each.closed for each in get_referents(reader))
    return (closed_reader, (dialect_of(reader),)) if done else None


def closed_reader(dialect):
    import csv

    with io.StringIO() as file:
        return csv.reader(file, **dialect)


def dialect_of(csv):
    return {name: getattr(csv.dialect, name) for name in DIALECT}


def reducers():
    from _csv import Reader, Writer

    files = io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO
    return {
        **dict.fromkeys(files, reduce_file),
        Reader: reduce_reader,
        Writer: reduce_writer,
        re.Match: reduce_match,
        types.GeneratorType: reduce_generator,
        memoryview: lambda view: None,
    }


REDUCERS = reducers()
