"""Values and arrays that processes share: array.array in place of ctypes."""

import array
import threading

__all__ = ["RawValue", "RawArray", "Value", "Array", "copy", "synchronized"]

WHOLE = "bBhHiIlLqQ"


def code_of(kind):
    if isinstance(kind, str):
        return kind
    # A type of ctypes.
    return getattr(kind, "_type_", "l")


class SynchronizedBase:
    def __init__(self, lock):
        self._lock = threading.RLock() if lock in (True, None) else lock

    def get_lock(self):
        return self._lock

    def get_obj(self):
        return self

    def acquire(self, *args, **kwargs):
        return self._lock.acquire(*args, **kwargs)

    def release(self):
        self._lock.release()

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)


class RawValue:
    def __init__(self, typecode_or_type, *args):
        self._code = code_of(typecode_or_type)
        first = args[0] if args else b"\0" if self._code == "c" else "\0" if self._code == "u" else 0
        self._cell = first if self._code in "cu?" else array.array(self._code, [first])

    @property
    def value(self):
        return self._cell if self._code in "cu?" else self._cell[0]

    @value.setter
    def value(self, value):
        if self._code in "cu?":
            self._cell = bool(value) if self._code == "?" else value
        else:
            self._cell[0] = value

    def __repr__(self):
        return f"<{type(self).__name__}({self._code!r}, {self.value!r})>"


class Synchronized(RawValue, SynchronizedBase):
    def __init__(self, typecode_or_type, *args, lock=True):
        RawValue.__init__(self, typecode_or_type, *args)
        SynchronizedBase.__init__(self, lock)


class RawArray:
    def __init__(self, typecode_or_type, size_or_initializer):
        self._code = code_of(typecode_or_type)
        if isinstance(size_or_initializer, int):
            size_or_initializer = bytes(size_or_initializer) if self._code == "c" else [0] * size_or_initializer
        self._items = bytearray(size_or_initializer) if self._code == "c" else array.array(self._code, size_or_initializer)

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        found = self._items[index]
        return list(found) if isinstance(found, array.array) else found

    def __setitem__(self, index, value):
        if isinstance(index, slice) and self._code != "c":
            value = array.array(self._code, value)
        self._items[index] = value

    def __iter__(self):
        return iter(self._items)

    @property
    def value(self):
        return bytes(self._items).split(b"\0")[0]

    @value.setter
    def value(self, value):
        self._items[: len(value)] = value


class SynchronizedArray(RawArray, SynchronizedBase):
    def __init__(self, typecode_or_type, size_or_initializer, lock=True):
        RawArray.__init__(self, typecode_or_type, size_or_initializer)
        SynchronizedBase.__init__(self, lock)


def Value(typecode_or_type, *args, lock=True, ctx=None):
    if lock is False:
        return RawValue(typecode_or_type, *args)
    return Synchronized(typecode_or_type, *args, lock=lock)


def Array(typecode_or_type, size_or_initializer, *, lock=True, ctx=None):
    if lock is False:
        return RawArray(typecode_or_type, size_or_initializer)
    return SynchronizedArray(typecode_or_type, size_or_initializer, lock)


def copy(obj):
    return RawValue(obj._code, obj.value) if isinstance(obj, RawValue) else RawArray(obj._code, obj._items)


def synchronized(obj, lock=None, ctx=None):
    if isinstance(obj, RawValue):
        return Synchronized(obj._code, obj.value, lock=lock)
    return SynchronizedArray(obj._code, obj._items, lock)
