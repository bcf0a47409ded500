"""What goes along in the place of what can't: objects that a program makes anew by running its lines again.

Whoever uses one is told so; a session that has only left it in a name can leave for the interpreter that it wants.
"""

import os

TOLD = (
    "did not come along when the session went to the interpreter that has the imported packages: make it anew"
)


class LeftBehind:
    """Stands for one."""

    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def __reduce__(self):
        return LeftBehind, (self.kind,)

    def __repr__(self):
        return f"<{self.kind} that did not come along>"

    def refuse(self, *_, **__):
        raise RuntimeError(f"this {self.kind} {TOLD}")

    __iter__ = __next__ = __await__ = __aiter__ = __anext__ = __call__ = __enter__ = __exit__ = __len__ = __getitem__ = refuse

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()


def leave(value):
    return LeftBehind, (type(value).__name__,)


def reduce_generator(generator):
    """One that has given something, and has more to give, is of use where it is."""
    if generator.gi_frame is None:
        return exhausted_generator, ()
    return None if generator.gi_suspended else leave(generator)


def reduce_coroutine(coroutine):
    return None if coroutine.cr_suspended else leave(coroutine)


def reduce_async_generator(generator):
    return None if generator.ag_suspended else leave(generator)


def exhausted_generator():
    generator = (each for each in ())
    generator.close()
    return generator


def reduce_iterator(iterator):
    """Of matches: where it is can't be told."""
    reduced = iterator.__reduce__()
    function = reduced[1][0]
    return leave(iterator) if type(getattr(function, "__self__", None)).__name__ == "SRE_Scanner" else reduced


class Digest:
    """Stands for a hash, as far as nothing more is fed to it."""

    def __init__(self, name, digest, block_size):
        self.name, self.digest_size, self.block_size = name, len(digest), block_size
        self._digest = digest

    def digest(self):
        return self._digest

    def hexdigest(self):
        return self._digest.hex()

    def copy(self):
        return self

    def update(self, data):
        raise RuntimeError(f"what this hash was fed {TOLD}")


def reduce_hash(value):
    try:
        digest = value.digest()
    except TypeError:
        # One that has as many bytes as it is asked for.
        return leave(value)
    return Digest, (value.name, digest, value.block_size)


class Entry(os.PathLike):
    """Stands for a directory's entry."""

    def __init__(self, name, path):
        self.name, self.path = name, path

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"

    def inode(self):
        return os.lstat(self.path).st_ino

    def stat(self, *, follow_symlinks=True):
        return os.stat(self.path, follow_symlinks=follow_symlinks)

    def is_symlink(self):
        return os.path.islink(self.path)

    def is_dir(self, *, follow_symlinks=True):
        return os.path.isdir(self.path) and (follow_symlinks or not self.is_symlink())

    def is_file(self, *, follow_symlinks=True):
        return os.path.isfile(self.path) and (follow_symlinks or not self.is_symlink())


def reduce_entry(entry):
    return Entry, (entry.name, entry.path)


def reduce_listing(listing):
    """Of a directory: whoever has looked at all of it is done with it."""
    return iter, (list(listing),)
