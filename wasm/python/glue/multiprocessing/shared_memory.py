"""Memory by name."""

import errno
import secrets
from types import GenericAlias

__all__ = ["SharedMemory", "ShareableList"]

blocks = {}


class SharedMemory:
    def __init__(self, name=None, create=False, size=0, *, track=True):
        if create and size <= 0:
            raise ValueError("'size' must be a positive number different from zero")
        if create:
            name = name or "psm_" + secrets.token_hex(4)
            if name in blocks:
                raise FileExistsError(errno.EEXIST, "File exists", "/" + name)
            blocks[name] = bytearray(size)
        elif name is None:
            raise ValueError("'name' can only be None if create=True")
        elif name not in blocks:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", "/" + name)
        self._name = name
        self._view = memoryview(blocks[name])

    @property
    def name(self):
        return self._name

    @property
    def size(self):
        return len(blocks[self._name]) if self._name in blocks else 0

    @property
    def buf(self):
        return self._view

    def close(self):
        self._view = None

    def unlink(self):
        blocks.pop(self._name, None)

    def __repr__(self):
        return f"SharedMemory({self._name!r}, size={self.size})"


class ShareableList:
    lists = {}
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, sequence=None, *, name=None):
        if sequence is None:
            self._items = self.lists[name]
        else:
            self._items = list(sequence)
            name = name or "psm_" + secrets.token_hex(4)
            self.lists[name] = self._items
        self.shm = SharedMemory(name, create=name not in blocks, size=max(1, 8 * len(self._items)))

    def __getitem__(self, index):
        return self._items[index]

    def __setitem__(self, index, value):
        self._items[range(len(self._items))[index]] = value

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def index(self, value):
        return self._items.index(value)

    def count(self, value):
        return self._items.count(value)
