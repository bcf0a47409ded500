"""Address spaces: what the processes of multiprocessing, which are threads of this Python, don't share.

Each has its own bindings of the program's modules and of the attributes of its classes, with copies of the data that they
held when it began, and its own environment, directory, random numbers, standard streams and handlers of signals. They are
exchanged when a thread of another process goes on.
"""

import os
import random
import sys
from _random import Random
from _signal import SIGALRM, SIGINT, SIGTERM, getsignal, signal
from types import ModuleType

import _wasmbox_scheduler as scheduler
from _wasmbox_copies import AS_THEY_ARE, Bounded, Packed, TooLarge, begun_with, is_own_module, is_plain

# What the interpreter gives to each module.
MODULE_FIELDS = {"__builtins__", "__loader__", "__spec__", "__cached__", "__doc__", "__name__", "__package__"}
ABSENT = object()
# Which processes are told to ignore, or handle for themselves.
SIGNALS = SIGALRM, SIGINT, SIGTERM
# Programs put others in the place of these.
environ = os.environ
seed, random_state, set_random_state = Random.seed, Random.getstate, Random.setstate


class AddressSpace:
    """`process`: what current_process() is in it; None: the program's own."""

    def __init__(self, process=None, bindings=()):
        self.process = process
        # By id, of namespaces: each with what it holds here.
        self.bindings = dict(bindings)
        self.settings = None

    def save(self, others):
        for key, (namespace, _) in (*self.bindings.items(), *others.items()):
            self.bindings[key] = namespace, read(namespace)
        self.settings = settings()

    def load(self):
        for namespace, wanted in self.bindings.values():
            write(namespace, wanted)
        if self.settings is None:
            seed(random._inst)
            random._inst.gauss_next = None
        else:
            restore(self.settings)


def read(namespace):
    return dict(namespace) if type(namespace) is dict else data_of(namespace)


def data_of(kind):
    """Attributes of a class that are neither methods nor what Python makes classes of."""
    return {
        name: value
        for name, value in vars(kind).items()
        if not (name.startswith("__") or callable(value) or hasattr(type(value), "__get__"))
    }


def write(namespace, wanted):
    if type(namespace) is dict:
        for name in namespace.keys() - wanted.keys():
            del namespace[name]
        for name, value in wanted.items():
            if namespace.get(name, ABSENT) is not value:
                namespace[name] = value
        return
    there = data_of(namespace)
    for name in there.keys() - wanted.keys():
        type.__delattr__(namespace, name)
    for name, value in wanted.items():
        if there.get(name, ABSENT) is not value:
            type.__setattr__(namespace, name, value)


def settings():
    numbers = sys.modules.get("numpy.random")
    return (
        environ._data.copy(),
        os.getcwd(),
        random_state(random._inst),
        random._inst.gauss_next,
        numbers and numbers.get_state(legacy=False),
        (sys.stdin, sys.stdout, sys.stderr),
        {number: getsignal(number) for number in SIGNALS},
    )


def restore(saved):
    environment, directory, state, random._inst.gauss_next, numbers, streams, handlers = saved
    if environment != environ._data:
        for name in environ._data.keys() - environment.keys():
            os.unsetenv(name)
        for name, value in environment.items():
            os.putenv(name, value)
        environ._data.clear()
        environ._data.update(environment)
    if os.getcwd() != directory:
        try:
            os.chdir(directory)
        except OSError:
            pass  # it is gone
    set_random_state(random._inst, state)
    if numbers is not None:
        sys.modules["numpy.random"].set_state(numbers)
    sys.stdin, sys.stdout, sys.stderr = streams
    for number, handler in handlers.items():
        if getsignal(number) is not handler:
            signal(number, handler)


ROOT = AddressSpace()
# Whose bindings the namespaces have; not all of them, where an interrupt came while they were exchanged.
present, whole = ROOT, True


def enter(space):
    """Lets the namespaces be those of an address space. An interrupt in the middle is raised when they are."""
    try:
        exchange(space or ROOT)
    except KeyboardInterrupt:
        exchange(space or ROOT)
        raise


def exchange(space):
    global present, whole
    if whole:
        if present is space:
            return
        present.save(space.bindings)
    present, whole = space, False
    space.load()
    whole = True


def move(thread, space):
    """Lets the running thread go on in another address space."""
    thread.space = space
    enter(space)


class Image:
    """What processes begin with that are started now; `more` goes along with it, and is the same there."""

    def __init__(self, more):
        namespaces = own_namespaces()
        self._bindings = {key: (namespace, read(namespace)) for key, namespace in namespaces.items()}
        data = {}
        for key, (namespace, fields) in self._bindings.items():
            found = {name: value for name, value in fields.items() if has_data(name, value)}
            if found:
                data[key] = found
        self._packed = packed(data, more)

    def copy(self, process):
        """An address space, and what went along with it."""
        data, more = self._packed()
        bindings = {
            key: (namespace, {**fields, **data.get(key, {})}) for key, (namespace, fields) in self._bindings.items()
        }
        return AddressSpace(process, bindings), more


def has_data(name, value):
    return name not in MODULE_FIELDS and type(value) not in AS_THEY_ARE and not is_plain(value) and not isinstance(value, type)


def packed(data, more):
    """A function that makes copies of both."""
    try:
        return Packed((data, more), begun_with, Bounded()).copy
    except TooLarge:
        pass
    whole = Packed(more, begun_with)
    parts = []
    for key, fields in data.items():
        for name, value in fields.items():
            try:
                parts.append((key, name, Packed(value, begun_with, Bounded())))
            except TooLarge:
                pass
    def copy():
        found = {}
        for key, name, part in parts:
            found.setdefault(key, {})[name] = part.copy()
        return found, whole.copy()

    return copy


def own_namespaces():
    found = {}
    for name, module in list(sys.modules.items()):
        if type(module) is ModuleType and is_own_module(name, module):
            fields = vars(module)
            found[id(fields)] = fields
            for each in list(fields.values()):
                if isinstance(each, type) and each.__module__ == module.__name__ and data_of(each):
                    found[id(each)] = each
    return found


def learn(space, owner):
    """Lets the present space know what has got a name in that of its owner since: a function that it is told to call may
    use it."""
    saved = (owner or ROOT).bindings
    for key, (namespace, _) in space.bindings.items():
        if type(namespace) is dict and key in saved:
            theirs = saved[key][1]
            for name in theirs.keys() - namespace.keys():
                namespace[name] = theirs[name]


def inside(space, function, *args):
    """Calls a function in another address space."""
    thread = scheduler.stack[-1]
    outside = thread.space
    try:
        move(thread, space)
        return function(*args)
    finally:
        move(thread, outside)


scheduler.enter_space = enter
