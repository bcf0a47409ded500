"""Connections with the session's other processes: those that a script of the shell runs beside this one. The far end of each is
an `End` here as if it were this program's own, whose bytes go to the host and come from there."""

import errno
import json
import os

import _wasmbox_scheduler as scheduler
from _wasmbox import host_call
from _wasmbox_ends import End

PIECE = 256 * 1024
# Bytes that have come and nobody has read: more is left where it is.
AHEAD = 1024 * 1024
# Seconds that a process that has ended gives what it has written to be read.
PATIENCE = 5
LISTENING, CONNECTED = {}, {}
# What hands on what else goes there and comes from there: each tells whether there was any, and whether more may come.
OTHERS = []


def ask(operation, data=b"", **request):
    answer, content = host_call(f"net.{operation}", json.dumps(request).encode(), data)
    return json.loads(answer), content


def ask_if_there(operation, **request):
    """{} where there are no others."""
    try:
        return ask(operation, **request)[0] or {}
    except OSError:
        return {}


def free_port():
    """One that no other process has; None: there are no others."""
    return ask_if_there("port").get("port")


def listen(end, port):
    """Lets others connect to an end that listens."""
    answer = ask_if_there("listen", port=port)
    if not answer.get("served"):
        return
    if answer["id"] is None:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
    LISTENING[answer["id"]] = end
    scheduler.outside = pump


def is_reached(end):
    return any(each is end for each in LISTENING.values())


def connect(end, port):
    """Connects an end to one of another process. Whether there is one."""
    number = ask_if_there("connect", port=port).get("id")
    if number is None:
        return False
    attach(number, end).address = (*local(end), port, *end.address[2:])
    return True


def local(end):
    return ("::1",) if len(end.address) == 4 else ("127.0.0.1",)


def attach(number, near):
    far = End(near.family, near.kind)
    near.peer, far.peer = far, near
    # It is open as long as the host says so.
    far.descriptors, far.most = 1, AHEAD
    CONNECTED[number] = far
    scheduler.outside = pump
    return far


def also(other):
    if other not in OTHERS:
        OTHERS.append(other)
    scheduler.outside = pump


def pump():
    """Hands on what is to go and what has come. Whether there was any."""
    moved = is_open = False
    for each in OTHERS:
        has_moved, may_move = each()
        moved, is_open = moved | has_moved, is_open | may_move
    for number, end in list(LISTENING.items()):
        if not end.descriptors:
            ask("close", id=number)
            del LISTENING[number]
            continue
        while (accepted := ask("accept", id=number)[0]["id"]) is not None:
            near = End(end.family, end.kind)
            near.address = (*local(end), *end.address[1:])
            attach(accepted, near).address = (*local(end), free_port() or 0, *end.address[2:])
            end.waiting.append(near)
            moved = True
    for number, far in list(CONNECTED.items()):
        near = far.peer
        try:
            moved = send(number, far) | receive(number, near) | moved
            if near.shut and not near.descriptors and not far.incoming:
                ask("close", id=number)
                del CONNECTED[number]
        except OSError:
            # The session went on from an image, or nobody runs beside it any more.
            far.incoming.clear()
            far.descriptors, far.ended, near.ended = 0, True, True
            del CONNECTED[number]
            moved = True
    if not LISTENING and not CONNECTED and not is_open:
        scheduler.outside = None
    return moved


def send(number, far):
    moved = False
    while far.incoming:
        taken = ask("write", bytes(far.incoming[:PIECE]), id=number)[0]["taken"]
        if taken == "gone":
            # Who writes more is told.
            far.incoming.clear()
            far.descriptors, far.ended = 0, True
        elif taken:
            del far.incoming[:taken]
            moved = True
        else:
            break
    if far.ended and not far.incoming and not far.shut:
        far.shut = True
        ask("end", id=number)
    return moved


def receive(number, near):
    moved = False
    while not near.ended and len(near.incoming) < AHEAD:
        answer, content = ask("read", id=number, most=PIECE)
        if answer["state"] == "bytes":
            near.incoming += content
        elif answer["state"] == "end":
            near.ended = True
        else:
            break
        moved = True
    return moved


def flush():
    """At the end of a process: what it has written is read by others."""
    until = scheduler.monotonic() + PATIENCE
    for far in CONNECTED.values():
        far.ended = True
    while any(far.incoming for far in CONNECTED.values()) and scheduler.monotonic() < until:
        if not any([send(number, far) for number, far in CONNECTED.items()]):
            scheduler.rest(scheduler.NAP)
