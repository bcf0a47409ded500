"""What has ended, or is closed, comes along as that: files of the standard library's other kinds, processes, loops."""

import io

from _wasmbox_leftovers import closed_file


def reduce_temporary(file):
    closer = file._closer
    flags = closer.close_called, closer.cleanup_called
    return temporary, (file.file, file.name, closer.delete, closer.delete_on_close, flags)


def temporary(file, name, delete, delete_on_close, flags):
    from tempfile import _TemporaryFileWrapper

    wrapper = _TemporaryFileWrapper(file, name, delete, delete_on_close)
    wrapper._closer.close_called, wrapper._closer.cleanup_called = flags
    return wrapper


def reduce_compressed(file):
    """Of gzip, bz2 and lzma: closed, it has no more than names."""
    if not file.closed:
        return None
    return closed_compressed, (type(file), {
        name: value for name, value in vars(file).items() if type(value) in (str, int, bool, type(None))
    })


def closed_compressed(kind, fields):
    file = kind.__new__(kind)
    vars(file).update(fields)
    return file


def reduce_map(map):
    return (closed_map, ()) if map.closed else None


def closed_map():
    import mmap

    map = mmap.mmap(-1, 1)
    map.close()
    return map


def reduce_socket(socket):
    return (closed_socket, (type(socket), socket.family, socket.type, socket.proto)) if socket.fileno() == -1 else None


def reduce_stream(stream):
    kind = io.TextIOWrapper if isinstance(stream, io.TextIOBase) else io.BufferedReader
    return (closed_file, (kind, None, None)) if stream.closed else None


def closed_socket(kind, *family):
    socket = kind(*family)
    socket.close()
    return socket


# Of a process: what is only there for one that has yet to run.
BEFORE = "_thread", "_targets", "_given", "_copies", "_out", "_err", "stdin", "stdout", "stderr"


def reduce_process(process):
    """One that has run, with what nobody has read of it."""
    if process._code is None:
        return None
    fields = {name: value for name, value in vars(process).items() if name not in BEFORE}
    return process_again, (type(process), fields, unread(process.stdout, process._out), unread(process.stderr, process._err))


def unread(stream, raw):
    """Of a pipe, which goes on to give it; False if the pipe is closed."""
    if stream is None or stream.closed:
        return stream is None and None
    text = stream.read()
    rest = text.encode(stream.encoding, stream.errors) if isinstance(text, str) else text
    raw.content = io.BytesIO(rest)
    return rest


def process_again(kind, fields, out, err):
    from _wasmbox_popen import Output

    process = kind.__new__(kind)
    vars(process).update(fields, _copies={}, _out=None, _err=None, stdin=None, stdout=None, stderr=None)
    for name, rest in ("out", out), ("err", err):
        if rest is None:
            continue
        raw = Output(process)
        raw.content = io.BytesIO(rest or b"")
        pipe = process._pipe(raw)
        if rest is False:
            pipe.close()
        setattr(process, f"_{name}", raw)
        setattr(process, f"std{name}", pipe)
    return process


def reduce_secret(secret):
    return type(secret), (bytes(secret),)


def reduce_child(child):
    """Of multiprocessing's processes: how one has ended."""
    if child.returncode is None:
        return None
    return child_again, (type(child), {"pid": child.pid, "sentinel": child.sentinel, "returncode": child.returncode})


def child_again(kind, fields):
    child = kind.__new__(kind)
    vars(child).update(fields)
    return child


def reduce_loop(loop):
    """Of asyncio: one that has nothing to do is like any other."""
    import asyncio

    if loop.is_running() or loop._ready or loop._scheduled or asyncio.all_tasks(loop):
        return None
    current = asyncio.get_event_loop_policy()._local
    return loop_again, (loop.is_closed(), getattr(current, "_loop", None) is loop)


def loop_again(is_closed, is_current):
    import asyncio

    loop = asyncio.new_event_loop()
    if is_closed:
        loop.close()
    if is_current:
        asyncio.set_event_loop(loop)
    return loop
