"""Memory-mapped files, by copy: a map is read from its file when it is made, and written back by flush() and close().

Until then neither sees what is done to the other; two maps of one file don't see each other at all."""

import errno as _errno
import os as _os
import sys as _sys
import weakref as _weakref
from operator import index as _index

MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 0x20
MAP_ANON = MAP_ANONYMOUS
MAP_POPULATE, MAP_NORESERVE = 0x8000, 0x4000
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY = range(4)
MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED = range(5)
ALLOCATIONGRANULARITY = PAGESIZE = 65536
error = OSError


class mmap:
    """mmap(fileno, length, flags=MAP_SHARED, prot=PROT_READ|PROT_WRITE, access=ACCESS_DEFAULT, offset=0)"""

    def __new__(cls, fileno, length, flags=MAP_SHARED, prot=PROT_WRITE | PROT_READ, access=ACCESS_DEFAULT, offset=0,
                *, trackfd=True):
        if length < 0:
            raise OverflowError("memory mapped length must be positive")
        if offset < 0:
            raise OverflowError("memory mapped offset must be positive")
        if access not in (ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY):
            raise ValueError("mmap invalid access parameter.")
        if access != ACCESS_DEFAULT and (flags != MAP_SHARED or prot != PROT_WRITE | PROT_READ):
            raise ValueError("mmap can't specify both access and flags, prot.")
        if offset % ALLOCATIONGRANULARITY:
            raise OSError(22, "the offset is no multiple of mmap.ALLOCATIONGRANULARITY")
        if isinstance(length, float) or isinstance(fileno, float):
            raise TypeError("integer argument expected, got float")
        self = object.__new__(cls)
        self._access = access
        self._readonly = access == ACCESS_READ or access == ACCESS_DEFAULT and not prot & PROT_WRITE
        self._private = access == ACCESS_COPY or access == ACCESS_DEFAULT and bool(flags & MAP_PRIVATE)
        self._offset, self._position, self._tracked = offset, 0, trackfd
        if fileno == -1 or flags & MAP_ANONYMOUS:
            if length == 0:
                raise ValueError("cannot mmap an empty file")
            self._fd, self._bytes = -1, bytearray(length)
        else:
            size = _os.fstat(fileno).st_size
            if length == 0:
                if size == 0:
                    raise ValueError("cannot mmap an empty file")
                if offset >= size:
                    raise ValueError("mmap offset is greater than file size")
                length = size - offset
            elif offset > size or size - offset < length:
                raise ValueError("mmap length is greater than file size")
            self._fd = _os.dup(fileno)
            self._bytes = bytearray(length)
            done = 0
            while done < length:
                piece = _os.pread(self._fd, length - done, offset + done)
                if not piece:
                    break
                self._bytes[done:done + len(piece)] = piece
                done += len(piece)
        self._finalizer = _weakref.finalize(self, _end, self._fd, self._bytes, offset, self._written_back)
        return self

    @property
    def _written_back(self):
        return self._fd >= 0 and not self._readonly and not self._private

    def _open(self):
        if self._bytes is None:
            raise ValueError("mmap closed or invalid")
        return self._bytes

    def _writable(self):
        if self._readonly:
            raise TypeError("mmap can't modify a readonly memory map.")
        return self._open()

    # As a sequence

    def __len__(self):
        return len(self._open())

    def _key(self, key):
        """In numbers: finding them out is the program's code, which may close the map."""
        content = self._open()
        if isinstance(key, slice):
            key = slice(*(each if each is None else _index(each) for each in (key.start, key.stop, key.step)))
        else:
            key = _index(key)
            if not -len(content) <= key < len(content):
                raise IndexError("mmap index out of range")
        self._open()
        return key

    def __getitem__(self, key):
        key = self._key(key)
        found = self._bytes[key]
        return bytes(found) if isinstance(key, slice) else found

    def __setitem__(self, key, value):
        self._writable()
        key = self._key(key)
        content = self._bytes
        if isinstance(key, slice):
            taken = range(len(content))[key]
            if len(taken) != len(value):
                raise IndexError("mmap slice assignment is wrong size")
            if taken.step == 1:
                content[taken.start:taken.stop] = value
            else:
                content[key] = value
        else:
            content[key] = value

    def __iter__(self):
        return iter(self[i:i + 1][0] for i in range(len(self)))

    def __contains__(self, value):
        self._open()
        return isinstance(value, bytes) and len(value) == 1 and value in self._bytes

    def __buffer__(self, flags):
        view = memoryview(self._open())
        return view.toreadonly() if self._readonly else view

    def find(self, sub, *where):
        self._open()
        where = [_index(each) for each in where] or [self._position]
        return self._open().find(sub, *where)

    def rfind(self, sub, *where):
        self._open()
        where = [_index(each) for each in where] or [self._position]
        return self._open().rfind(sub, *where)

    # As a file

    def read(self, n=None):
        self._open()
        n = n if n is None else _index(n)
        content = self._open()
        end = len(content) if n is None or n < 0 else min(len(content), self._position + n)
        part = bytes(content[self._position:end])
        self._position = max(self._position, end)
        return part

    def read_byte(self):
        if self._position >= len(self._open()):
            raise ValueError("read byte out of range")
        return self.read(1)[0]

    def readline(self):
        content = self._open()
        end = content.find(b"\n", self._position)
        return self.read(None if end < 0 else end + 1 - self._position)

    def write(self, data):
        content, data = self._writable(), bytes(data)
        if self._position + len(data) > len(content):
            raise ValueError("data out of range")
        content[self._position:self._position + len(data)] = data
        self._position += len(data)
        return len(data)

    def write_byte(self, byte):
        self._writable()
        byte = _index(byte)
        content = self._open()
        if self._position >= len(content):
            raise ValueError("write byte out of range")
        content[self._position] = byte
        self._position += 1

    def seek(self, pos, whence=0):
        if whence not in (0, 1, 2):
            raise ValueError("unknown seek type")
        place = pos + (0, self._position, len(self._open()))[whence]
        if not 0 <= place <= len(self._bytes):
            raise ValueError("seek out of range")
        self._position = place
        return place

    def seekable(self):
        return True

    def tell(self):
        self._open()
        return self._position

    def size(self):
        length = len(self._open())
        if not self._tracked:
            raise OSError(_errno.EBADF, _os.strerror(_errno.EBADF))
        return length if self._fd < 0 else _os.fstat(self._fd).st_size

    def move(self, dest, src, count):
        self._writable()
        dest, src, count = _index(dest), _index(src), _index(count)
        content = self._open()
        if min(dest, src, count) < 0 or max(dest, src) + count > len(content):
            raise ValueError("source, destination, or count out of range")
        content[dest:dest + count] = content[src:src + count]

    def resize(self, newsize):
        if self._readonly or self._private:
            raise TypeError("mmap can't resize a readonly or copy-on-write memory map.")
        if not self._tracked:
            raise ValueError("mmap can't resize with trackfd=False.")
        if newsize < 0 or newsize == 0:
            raise ValueError("new size out of range")
        content = self._open()
        if self._fd >= 0:
            _os.ftruncate(self._fd, self._offset + newsize)
        del content[newsize:]
        content.extend(bytes(newsize - len(content)))

    def flush(self, offset=0, size=None):
        content = self._open()
        size = len(content) - offset if size is None else size
        if offset < 0 or size < 0 or offset + size > len(content):
            raise ValueError("flush values out of range")
        if self._written_back:
            _write(self._fd, content[offset:offset + size], self._offset + offset)

    def madvise(self, option, start=0, length=None):
        self._open()
        if not 0 <= start < len(self._bytes):
            raise ValueError("madvise start out of bounds")
        if length is not None and length < 0:
            raise ValueError("madvise length invalid")
        if length is not None and length > _sys.maxsize - start:
            raise OverflowError("madvise length too large")

    def close(self):
        if self._bytes is None:
            return
        content = self._bytes
        try:
            content.append(content.pop())
        except BufferError:
            raise BufferError("cannot close exported pointers exist") from None
        if self._written_back:
            self.flush()
        self._bytes = None
        self._finalizer.detach()
        if self._fd >= 0:
            _os.close(self._fd)

    @property
    def closed(self):
        return self._bytes is None

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *raised):
        self.close()

    def __repr__(self):
        if self._bytes is None:
            return "<mmap.mmap closed=True>"
        access = ("ACCESS_DEFAULT", "ACCESS_READ", "ACCESS_WRITE", "ACCESS_COPY")[self._access]
        return (f"<mmap.mmap closed=False, access={access}, length={len(self._bytes)}, pos={self._position}, "
                f"offset={self._offset}>")


def _write(fd, content, offset):
    view = memoryview(bytes(content))
    while view:
        count = _os.pwrite(fd, view, offset)
        view, offset = view[count:], offset + count


def _end(fd, content, offset, written_back):
    """A map that nobody closed: what was written is not lost."""
    if fd < 0:
        return
    if written_back:
        _write(fd, content, offset)
    _os.close(fd)
