"""What programs leave in variables though they are done with it: pickle has no way for these, and nobody will miss them.

By type, how each is reduced; None for one that is still of use.
"""

import io
import os
import re
from concurrent.futures import ThreadPoolExecutor
from gc import get_referents

from _wasmbox_csv import reduce_reader, reduce_writer
from _wasmbox_executors import resting

# Encodings in which what is written depends on what was written before, which no position tells.
STATEFUL = re.compile("utf_?-?7|iso-?_?2022|hz", re.IGNORECASE)

# Bytes of a file that are read for where in it a program is.
MAX_READ = 32 * 1024 * 1024

# Descriptors of the files that are open, and went along.
taken = set()


def reduce_file(file):
    if file.closed:
        # Those of the shell's processes, and of what decompresses, have no names.
        return closed_file, (type(file), getattr(file, "name", None), getattr(file, "mode", None))
    if type(file) is io.FileIO:
        return reduce_raw(file)
    # Before anything is flushed: after that it is the wrong position.
    position = position_of(file)
    if type(file) is not io.TextIOWrapper:
        file.flush()
        return open_buffered, (type(file), file.raw, position)
    if file.writable() and STATEFUL.match(file.encoding):
        return None
    # Nothing is read ahead by it at its start, where there is nothing to take for a newline.
    file.seek(0)
    newline = newline_of(file)
    file.seek(position)
    options = file.encoding, file.errors, newline, file.line_buffering, file.write_through
    return open_text, (file.buffer, options, vars(file), position)


def position_of(file):
    """Also of one that is read line by line by `next` or `for`, which then does not tell: by how much of its text is left."""
    try:
        return file.tell()
    except OSError:
        if type(file) is not io.TextIOWrapper or not file.readable() or os.fstat(file.fileno()).st_size > MAX_READ:
            raise
    left = len(file.read())
    file.seek(0)
    read = len(file.read()) - left
    file.seek(0)
    file.read(read)
    return file.tell()


def reduce_raw(file):
    """One that lies where it was opened: what is unlinked, or a pipe, can't be opened again."""
    path, descriptor = path_of(file), file.fileno()
    if path is None or not file.closefd:
        return None
    taken.add(descriptor)
    return open_raw, (path, file.name, file.mode.replace("b", ""), file.tell(), descriptor)


def path_of(file):
    """Also where the program has gone to another directory since."""
    if type(file.name) is not str:
        return None
    for directory in (os.getcwd(), "/app"):
        path = os.path.join(directory, file.name)
        if os.path.isfile(path) and os.path.samestat(os.stat(path), os.fstat(file.fileno())):
            return path
    return None


def open_raw(path, name, mode, position, descriptor):
    def open_as_it_is(path, flags):
        return renumbered(os.open(path, flags & ~(os.O_TRUNC | os.O_CREAT | os.O_EXCL)), descriptor)

    file = io.FileIO(path, mode, opener=open_as_it_is)
    file.name = name
    file.seek(position)
    return file


def renumbered(opened, descriptor):
    """Programs keep numbers, too, which would be those of other files."""
    if opened == descriptor:
        return opened
    try:
        os.fstat(descriptor)
    except OSError:
        os.dup2(opened, descriptor)
        os.close(opened)
        return descriptor
    os.close(opened)
    raise OSError(f"the descriptor {descriptor} is another file's")


def open_buffered(kind, raw, position):
    file = kind(raw)
    file.seek(position)
    return file


def open_text(buffer, options, fields, position):
    file = io.TextIOWrapper(buffer, *options)
    vars(file).update(fields)
    file.seek(position)
    return file


def newline_of(file):
    """What it was opened with, which it does not tell: the one text between the names of its encoding and of what it does with errors."""
    _, *between, _ = [each for each in get_referents(file) if type(each) is str]
    return between[0] if between else None


def closed_file(kind, name, mode):
    if kind is io.FileIO:
        file = io.FileIO("/dev/null", mode if "r" in mode else "w")
    else:
        raw = io.BytesIO()
        for field, value in ("name", name), ("mode", mode):
            if value is not None:
                setattr(raw, field, value)
        file = kind(raw)
        if kind is io.TextIOWrapper and mode is not None:
            file.mode = mode
    file.close()
    return file


def reduce_match(match):
    found = match.re, match.string, match.start(), match.endpos
    again = match_again(*found)
    return (match_again, found) if again is not None and again.regs == match.regs else None


def match_again(pattern, string, start, end):
    return pattern.match(string, start, end)


def is_at_rest(executor):
    return executor._work_queue.empty() and all(each.ident in resting for each in executor._threads)


def reduce_executor(executor):
    if executor._threads and not executor._shutdown and not is_at_rest(executor):
        return None
    settings = executor._max_workers, executor._thread_name_prefix, executor._initializer, executor._initargs
    return executor_again, (*settings, executor._shutdown)


def executor_again(max_workers, prefix, initializer, initargs, shut_down):
    executor = ThreadPoolExecutor(max_workers, prefix, initializer, initargs)
    if shut_down:
        executor.shutdown()
    return executor


def reducers():
    from _csv import Reader, Writer

    files = io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO
    return {
        **dict.fromkeys(files, reduce_file),
        Reader: reduce_reader,
        Writer: reduce_writer,
        re.Match: reduce_match,
        memoryview: lambda view: None,
        ThreadPoolExecutor: reduce_executor,
    }


REDUCERS = reducers()
