"""What a Python program expects of the file system under it. Prints one JSON object: a check's name and its answer."""

import errno
import json
import os
import shutil
import sys
import tempfile
import time

ROOT = "/app"
results = {}


def check(function):
    try:
        results[function.__name__] = function()
    except BaseException as error:
        results[function.__name__] = f"{type(error).__name__}: {error}"


def fails_with(number, function, *args):
    try:
        function(*args)
    except OSError as error:
        return error.errno == number or error.errno
    return "no error"


os.makedirs(f"{ROOT}/t")
path = f"{ROOT}/t/f.txt"


@check
def write():
    with open(path, "w") as file:
        file.write("hello")
    return open(path).read() == "hello"


@check
def append():
    with open(path, "a") as file:
        file.write(" world")
    return open(path).read() == "hello world"


@check
def update_and_seek():
    with open(path, "r+b") as file:
        file.seek(-5, 2)
        tail = file.read()
        file.seek(0)
        file.write(b"H")
        file.seek(20)
        file.write(b"x")
        return tail == b"world" and file.tell() == 21


@check
def sparse_size():
    return os.path.getsize(path) == 21 and open(path, "rb").read()[11:] == bytes(9) + b"x"


@check
def truncate():
    os.truncate(path, 3)
    return os.path.getsize(path) == 3


@check
def exclusive():
    return fails_with(errno.EEXIST, open, path, "x")


@check
def write_only_is_not_readable():
    fd = os.open(path, os.O_WRONLY)
    try:
        return fails_with(errno.EBADF, os.read, fd, 1)
    finally:
        os.close(fd)


@check
def listdir():
    for n in range(300):
        open(f"{ROOT}/t/n{n:03}", "w").close()
    return len(os.listdir(f"{ROOT}/t")) == 301


@check
def scandir():
    return sum(entry.is_file() for entry in os.scandir(f"{ROOT}/t")) == 301


@check
def long_names():
    os.mkdir(f"{ROOT}/long")
    for n in range(40):
        open(f"{ROOT}/long/{'x' * 180}{n}", "w").close()
    return len(os.listdir(f"{ROOT}/long")) == 40


@check
def delete_while_listing():
    for entry in os.scandir(f"{ROOT}/long"):
        os.unlink(entry.path)
    return os.listdir(f"{ROOT}/long") == []


@check
def mkdir_rmdir():
    os.mkdir(f"{ROOT}/m")
    os.rmdir(f"{ROOT}/m")
    return not os.path.exists(f"{ROOT}/m")


@check
def rmdir_of_a_full_directory():
    return fails_with(errno.ENOTEMPTY, os.rmdir, f"{ROOT}/t")


@check
def rename():
    os.rename(path, path + "2")
    return os.path.exists(path + "2") and not os.path.exists(path)


@check
def rename_over():
    open(path, "w").write("new")
    os.replace(path, path + "2")
    return open(path + "2").read() == "new"


@check
def rename_directory():
    os.rename(f"{ROOT}/long", f"{ROOT}/long2")
    return os.path.isdir(f"{ROOT}/long2")


@check
def rename_into_itself():
    return fails_with(errno.EINVAL, os.rename, f"{ROOT}/t", f"{ROOT}/t/below")


@check
def unlink_open_file():
    file = open(f"{ROOT}/unlinked", "w+")
    file.write("abc")
    file.flush()
    os.unlink(f"{ROOT}/unlinked")
    file.seek(0)
    return file.read() == "abc"


@check
def symlink():
    os.symlink("f.txt2", f"{ROOT}/t/ln")
    return open(f"{ROOT}/t/ln").read() == "new" and os.path.islink(f"{ROOT}/t/ln")


@check
def readlink():
    return os.readlink(f"{ROOT}/t/ln") == "f.txt2"


@check
def symlink_loop():
    os.symlink("loop", f"{ROOT}/t/loop")
    return fails_with(errno.ELOOP, open, f"{ROOT}/t/loop")


@check
def lstat_differs_from_stat():
    return os.lstat(f"{ROOT}/t/ln").st_ino != os.stat(f"{ROOT}/t/ln").st_ino


@check
def hard_link():
    os.link(path + "2", f"{ROOT}/t/hl")
    return os.path.samefile(f"{ROOT}/t/hl", path + "2") and os.stat(path + "2").st_nlink == 2


@check
def inodes_are_unique():
    return len({os.stat(f"{ROOT}/t/n{n:03}").st_ino for n in range(50)}) == 50


@check
def mtime_is_recent():
    return abs(os.stat(path + "2").st_mtime - time.time()) < 100


@check
def utime():
    os.utime(path + "2", ns=(1_000_000_001, 2_000_000_002))
    return os.stat(path + "2").st_mtime_ns == 2_000_000_002


@check
def relative_paths():
    os.chdir(f"{ROOT}/t")
    return open("f.txt2").read() == "new" and os.getcwd() == f"{ROOT}/t"


@check
def dot_dot():
    return open(f"{ROOT}/t/../t/f.txt2").read() == "new"


@check
def temporary_directory():
    with tempfile.TemporaryDirectory() as directory:
        open(directory + "/q", "w").write("1")
        return directory.startswith("/tmp/")


@check
def rmtree():
    os.chdir(ROOT)
    shutil.rmtree(f"{ROOT}/t")
    return not os.path.exists(f"{ROOT}/t")


@check
def urandom():
    return len(os.urandom(8)) == 8 and os.urandom(8) != os.urandom(8)


@check
def devices():
    with open("/dev/null", "w") as null:
        null.write("x" * 100_000)
    return open("/dev/zero", "rb").read(3) == bytes(3) and len(open("/dev/urandom", "rb").read(5)) == 5


@check
def no_escape():
    return fails_with(errno.ENOENT, open, f"{ROOT}/../../../../etc/passwd")


@check
def stdlib_is_read_only():
    return fails_with(errno.EROFS, open, "/usr/lib/python313.zip", "r+b")


@check
def stdin_is_empty():
    return os.read(0, 10) == b"" and not os.isatty(0) and not os.isatty(1)


@check
def quota():
    try:
        with open(f"{ROOT}/huge", "wb") as file:
            file.seek(2**40)
            file.write(b"x")
    except OSError as error:
        return error.errno == errno.ENOSPC
    finally:
        os.unlink(f"{ROOT}/huge")


@check
def big_file():
    block = bytes(range(256)) * 256
    with open(f"{ROOT}/big", "wb") as file:
        for _ in range(160):
            file.write(block)
    with open(f"{ROOT}/big", "rb") as file:
        contents = file.read()
    os.unlink(f"{ROOT}/big")
    return contents == block * 160


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@check
def sleep_is_not_cut_short():
    return seconds(lambda: time.sleep(0.02)) >= 0.02


def write_big():
    with open(f"{ROOT}/big", "wb") as file:
        for _ in range(320):
            file.write(block)


def read_big():
    with open(f"{ROOT}/big", "rb") as file:
        while file.read(65536):
            pass


def write_small():
    for n in range(500):
        with open(f"{ROOT}/small{n}", "wb") as file:
            file.write(b"hello")


def append_small():
    with open(f"{ROOT}/log", "ab", 0) as file:
        for _ in range(2000):
            file.write(b"abc")


block = b"x" * 65536
megabytes = 320 * len(block) / 1e6
figures = {
    "write MB/s": round(megabytes / seconds(write_big)),
    "read MB/s": round(megabytes / seconds(read_big)),
    "500 small files, ms": round(seconds(write_small) * 1e3, 1),
    "2000 appends, ms": round(seconds(append_small) * 1e3, 1),
    "sleep(0.03), ms": round(seconds(lambda: time.sleep(0.03)) * 1e3, 1),
}

print(json.dumps({"checks": results, "figures": figures}))
