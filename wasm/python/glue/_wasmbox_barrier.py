"""threading.Barrier whose waits can be left and called again: who has arrived stays so."""

import threading

import _wasmbox_scheduler as scheduler

FILLING, BROKEN = 0, -2


class Generation:
    """Those who pass a barrier together."""

    def __init__(self):
        self.open = self.broken = False

    def over(self):
        return self.open or self.broken


def wait(self, timeout=None):
    timeout = self._timeout if timeout is None else timeout
    me = scheduler.stack[-1].ident
    arrived = vars(self).setdefault("_arrived", {})
    if me not in arrived:
        if self._state == BROKEN:
            raise threading.BrokenBarrierError
        arrived[me] = self._count, vars(self).setdefault("_generation", Generation())
        self._count += 1
        if self._count == self._parties:
            return let_pass(self, arrived.pop(me))
    index, generation = arrived[me]
    try:
        in_time = scheduler.wait_until(generation.over, timeout)
    except BaseException:
        del arrived[me]
        abort(self)
        raise
    del arrived[me]
    if not in_time:
        abort(self)
    if not generation.open:
        raise threading.BrokenBarrierError
    return index


def let_pass(self, place):
    index, generation = place
    try:
        if self._action:
            self._action()
    except BaseException:
        abort(self)
        raise
    generation.open = True
    self._generation, self._count = Generation(), 0
    return index


def reset(self):
    abort(self)
    self._generation, self._state = Generation(), FILLING


def abort(self):
    vars(self).setdefault("_generation", Generation()).broken = True
    self._state, self._count = BROKEN, 0


def install():
    for function in (wait, reset, abort):
        setattr(threading.Barrier, function.__name__, function)
