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


def reduce_process(process):
    """One that has ended, with what nobody has read of it."""
    child = process._child
    if child.code is None or child.pipes:
        return None
    fields = {name: value for name, value in vars(process).items() if name in SAID_OF_PROCESSES}
    return process_again, (type(process), fields, child.code, unread(process.stdout), unread(process.stderr))


SAID_OF_PROCESSES = "args", "returncode", "text_mode", "encoding", "errors", "pid", "_shell"


def unread(stream):
    """Of a pipe, which goes on to give it; False if the pipe is closed."""
    from _wasmbox_process_pipes import held_of, raw_of

    if stream is None or stream.closed:
        return stream is None and None
    incoming = raw_of(stream)._end.incoming
    incoming[:0] = held_of(stream)
    return bytes(incoming)


def process_again(kind, fields, code, out, err):
    from _wasmbox_children import ended_child
    from _wasmbox_ends import End
    from _wasmbox_names import AF_UNIX, LINUX

    process = kind.__new__(kind)
    process._child = ended_child(fields["pid"], code)
    vars(process).update(fields, stdin=None, stdout=None, stderr=None)
    for name, rest in ("stdout", out), ("stderr", err):
        if rest is None:
            continue
        end = End(AF_UNIX, LINUX["SOCK_STREAM"])
        end.incoming += rest or b""
        end.ended = True
        stream = process._reader(end, -1)
        if rest is False:
            stream.close()
        setattr(process, name, stream)
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
