/** The standard library where it stands on the system: what programs of POSIX expect, and find. */

import { equal, match } from "node:assert/strict";
import { errorOf, RAISED, Session } from "../../../support/python_harness.ts";

/** Runs a program that asserts. */
async function holds(code: string, python = new Session()): Promise<void> {
  const outcome = await python.run(code);
  equal(outcome.status, "completed", JSON.stringify(outcome));
}

Deno.test("files and directories get the modes that they are made with, less the umask", () =>
  holds(`
import os, stat
mode = lambda path: oct(os.stat(path).st_mode)
open("a", "w").close(); os.mkdir("d")
assert (mode("a"), mode("d")) == ("0o100644", "0o40755")
assert os.umask(0o077) == 0o022
os.close(os.open("b", os.O_CREAT | os.O_WRONLY, 0o666)); os.mkdir("e")
assert (mode("b"), mode("e")) == ("0o100600", "0o40700")
assert os.umask(0o022) == 0o077
os.chmod("a", 0o751); os.symlink("a", "l")
assert mode("a") == mode("l") == "0o100751" and stat.S_ISLNK(os.lstat("l").st_mode)
with open("a") as f:
    os.fchmod(f.fileno(), 0o600)
assert mode("a") == "0o100600" and os.access("a", os.R_OK) and not os.access("a", os.X_OK)
`));

Deno.test("a file that is opened for nothing is opened for reading, and no descriptor is a terminal", () =>
  holds(`
import errno, os, shutil
fd = os.open("new", os.O_CREAT)
assert os.read(fd, 1) == b"" and os.path.getsize("new") == 0
try:
    os.write(fd, b"x")
    assert False
except OSError as error:
    assert error.errno == errno.EBADF
os.close(fd)
try:
    os.get_terminal_size()
    assert False
except OSError as error:
    assert error.errno == errno.ENOTTY
assert tuple(shutil.get_terminal_size()) == (80, 24)
`));

Deno.test("what the user may not do she can't, and may as soon as the mode says so", () =>
  holds(`
import os
def refused(call):
    try:
        call()
    except PermissionError:
        return True
open("secret", "w").write("x"); os.chmod("secret", 0)
assert refused(lambda: open("secret")) and refused(lambda: open("secret", "a")) and os.path.exists("secret")
os.mkdir("locked"); open("locked/f", "w").close(); os.chmod("locked", 0o555)
assert os.listdir("locked") == ["f"]
assert refused(lambda: open("locked/g", "w")) and refused(lambda: os.remove("locked/f")) and refused(lambda: os.rename("locked/f", "f"))
os.chmod("locked", 0o644)
assert refused(lambda: open("locked/f")) and not os.path.exists("locked/f")
os.chmod("locked", 0o311)
assert refused(lambda: os.listdir("locked")) and os.path.exists("locked/f")
os.chmod("secret", 0o600); os.chmod("locked", 0o700)
assert open("secret").read() == "x" and os.listdir("locked") == ["f"]
`));

Deno.test("there is one user, whom everything agrees on, and files of the system are root's", () =>
  holds(`
import getpass, grp, os, pathlib, pwd, socket
assert os.getuid() == os.geteuid() == os.getgid() == 1000 == os.stat("/app").st_uid == os.stat("/tmp").st_uid
assert os.stat("/usr").st_uid == 0 and pathlib.Path("/app").owner() == getpass.getuser() == "user"
assert pwd.getpwnam("user").pw_dir == os.path.expanduser("~user") == "/app" and grp.getgrgid(1000).gr_name == "user"
assert socket.gethostname() == "wasmbox"
os.chown("/app", 1000, -1)
try:
    os.chown("/app", 0, 0)
    assert False
except PermissionError:
    pass
`));

Deno.test("a copy of a descriptor shares its position, and outlives it", () =>
  holds(`
import os
f = os.open("f", os.O_RDWR | os.O_CREAT); g = os.dup(f)
os.write(f, b"hello"); assert os.lseek(g, 0, os.SEEK_CUR) == 5
os.close(f); os.write(g, b"!"); os.close(g)
assert open("f").read() == "hello!"
saved = os.dup(1); h = os.open("out", os.O_WRONLY | os.O_CREAT); os.dup2(h, 1)
print("captured", flush=True); os.dup2(saved, 1); os.close(saved); os.close(h)
assert open("out").read() == "captured\\n"
`));

Deno.test("a pipe that nobody could fill or empty is an error, and never a wait without end", () =>
  holds(`
import os, errno, signal
r, w = os.pipe()
for call in (lambda: os.read(r, 1), lambda: [os.write(w, b"x" * 65536) for _ in range(2)]):
    try:
        call()
        assert False
    except OSError as e:
        assert e.errno == errno.EDEADLK, e
os.set_blocking(r, False); os.read(r, 65536)
try:
    os.read(r, 1)
    assert False
except BlockingIOError:
    pass
os.close(r)
try:
    os.write(w, b"x")
    assert False
except BrokenPipeError:
    pass
`));

Deno.test("output reaches the reply again after a program that had it elsewhere", async () => {
  const python = new Session();
  await python.run("import os\nos.dup2(os.open('log', os.O_CREAT | os.O_WRONLY), 1)\nprint('lost')");
  equal((await python.run("print('back')")).stdout, "back\n");
});

Deno.test("ctypes has types, sizes, casts and callbacks, and says why nothing can be loaded", async () => {
  const python = new Session();
  await holds(
    `
import ctypes
class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]
assert ctypes.sizeof(Point) == 16 and Point(3, 0.5).y == 0.5 and ctypes.sizeof(ctypes.c_void_p) == 4
text = ctypes.create_string_buffer(b"abc"); ctypes.memmove(text, b"xyz", 3)
assert text.value == b"xyz" and ctypes.string_at(b"hello", 2) == b"he"
assert ctypes.cast(ctypes.pointer(Point(7, 0)), ctypes.POINTER(ctypes.c_int))[0] == 7
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n + 1)(41) == 42
`,
    python,
  );
  const message = errorOf(await python.run("ctypes.CDLL('libc.so.6')"))?.message ?? "";
  match(message, /libc\.so\.6: native libraries can't be loaded: this Python runs in WebAssembly/);
  const call = await python.run("ctypes.CFUNCTYPE(ctypes.c_int)(12345)()");
  match(errorOf(call)?.traceback ?? "", /native functions can't be called/);
  equal(await python.value("1 + 1"), "2");
});

// Vectors: OpenSSL's; the last is RFC 7914's (12).
Deno.test("keys are derived from passwords as OpenSSL does", () =>
  holds(String.raw`
import hashlib
assert hashlib.pbkdf2_hmac('sha1', b'password', b'salt', 2, None).hex() == "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"
assert hashlib.pbkdf2_hmac('sha1', b'pass\x00word', b'sa\x00lt', 4096, 16).hex() == "56fa6aa75548099dcc37d7f03425e0c3"
assert hashlib.pbkdf2_hmac('sha256', b'passwd', b'salt', 1, 64).hex() == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
assert hashlib.pbkdf2_hmac('sha512', b'pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp', b'salt', 3, 100).hex() == "0499d2f52a54272883fc04786c49cbfe54771bb53aa16a2f8d3fdad6a6ef15fad0133b49b8e08dc4bbd208c754356edd34d0e5e2516c4975f9150c616cc96d356e8358be8ec6f4dd31f51d5bef0bb3cbf08428868645ac607227262ee9ca9bcd67d6eaf6"
assert hashlib.pbkdf2_hmac('md5', b'', b'', 5, 33).hex() == "62e6030be1676f855d1de20a5851f52a4f84d7990ea16aa11b30a7a460eca4028e"
assert hashlib.pbkdf2_hmac('sha384', b'key', b'ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss', 2, None).hex() == "104a04ec08175f4be0e476cea186de992c6cb90590f07274adc0b5627620b6ea9c9c03bd3d820dc4474e9446affa8ef4"
assert hashlib.pbkdf2_hmac('sha3_256', b'p', b's', 3, None).hex() == "4f24af1949a4edb7253a1913084c2688ec45787f06afb2ed9ba5d87d246dc739"
assert hashlib.scrypt(b"password", salt=b"NaCl", n=1024, r=8, p=16, dklen=64).hex() == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
`));

Deno.test("a derivation of many rounds ends as soon as it is stopped", async () => {
  const python = new Session();
  const code =
    "import hashlib\nprint('up', flush=True)\nhashlib.pbkdf2_hmac('sha512', b'p', b's', 2**31 - 1)";
  const outcome = await python.runStopped(code, { interruptAt: "up" });
  equal(outcome.status, "stopped");
});

Deno.test("a map of a file is a copy that flush and close write back", () =>
  holds(`
import mmap, re
open("f", "wb").write(b"hello world")
with open("f", "r+b") as f:
    m = mmap.mmap(f.fileno(), 0)
    m[:5] = b"HELLO"; assert m.find(b"wor") == 6 and re.search(rb"w(.)r", m)[1] == b"o" and m.readline() == b"HELLO world"
    assert open("f", "rb").read() == b"hello world"
    m.flush(); assert open("f", "rb").read() == b"HELLO world"
    m.close()
    with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as read:
        try:
            read[0] = 1
            assert False
        except TypeError:
            pass
`));

Deno.test("a map answers as others do to whoever closes it, leaves its file or asks beyond its end", () =>
  holds(`
import errno, mmap
${RAISED}class Closing:
    def __index__(self):
        m.close()
        return 1
for ask in (lambda m: m[Closing()], lambda m: m[Closing():5], lambda m: m.read(Closing()),
            lambda m: m.write_byte(Closing()), lambda m: m.find(b"x", Closing()), lambda m: m.move(0, 1, Closing())):
    m = mmap.mmap(-1, 10)
    assert "closed" in str(raised(ValueError, ask, m)), ask
m = mmap.mmap(-1, 10)
raised(IndexError, m.__getitem__, 10); raised(IndexError, m.__setitem__, -11, 0)
assert m[::-3] == bytes(4) and m[-1] == 0
open("f", "wb").write(bytes(10))
with open("f", "r+b") as f, mmap.mmap(f.fileno(), 10, trackfd=False) as m:
    assert raised(OSError, m.size).errno == errno.EBADF and raised(ValueError, m.resize, 20)
`));

Deno.test("a module's own file name leads to its source, and sys.executable to a file", () =>
  holds(`
import linecache, pathlib, platform, pkgutil, pyclbr, sys
assert linecache.getline(pkgutil.__file__, 1) == linecache.getline("/usr/lib/python3.13/pkgutil.py", 1) != ""
assert pkgutil.__loader__.get_source("pkgutil").startswith(linecache.getline(pkgutil.__file__, 1))
assert "Class" in pyclbr.readmodule("pyclbr")
assert pathlib.Path(sys.executable).is_file() and platform.libc_ver() == ("", "")
`));

Deno.test("tracebacks and inspect show the lines of the standard library", async () => {
  const python = new Session();
  const traceback = errorOf(await python.run("import json\njson.loads('{x')"))?.traceback ?? "";
  match(traceback, /json\/decoder\.py", line \d+, in raw_decode\n {4}obj, end = self\.scan_once\(s, idx\)/);
  match(await python.value("import inspect\ninspect.getsource(json.dumps)") ?? "", /def dumps\(obj, \*/);
  await python.run("import enum\nclass Color(enum.StrEnum):\n  RED = enum.auto()\nclass P: a = 1");
  await python.run("x = 1\nclass Other: pass\n\nclass Point: b = 2");
  equal(
    await python.value("inspect.getsource(Color)"),
    "'class Color(enum.StrEnum):\\n  RED = enum.auto()\\n'",
  );
  equal(await python.value("inspect.getsource(P)"), "'class P: a = 1'");
  equal(
    await python.value("inspect.findsource(json.loads.__code__)[0][0]"),
    `'r"""JSON (JavaScript Object Notation) <https://json.org> is a subset of\\n'`,
  );
});

Deno.test("limits, locks, terminals and the log are there, and say what they are", async () => {
  const python = new Session();
  await holds(
    `
import fcntl, resource, syslog, termios, sys
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 10_000
with open("l", "w") as f:
    fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_UN)
try:
    termios.tcgetattr(sys.stdin)
    assert False
except termios.error:
    pass
`,
    python,
  );
  const message = errorOf(await python.run("resource.setrlimit(resource.RLIMIT_AS, (1, 1))"))?.message ?? "";
  match(message, /limits can't be set: .* server's policy/);
});

Deno.test("the local time is that of the zone which TZ names, or describes", () =>
  holds(`
import os, time
from datetime import datetime
def local(zone, moment):
    os.environ["TZ"] = zone
    time.tzset()
    return datetime.fromtimestamp(moment).isoformat(), time.localtime(moment).tm_zone, time.tzname
assert time.tzname == ("UTC", "UTC")
assert local("America/New_York", 1753000000) == ("2025-07-20T04:26:40", "EDT", ("EST", "EDT"))
assert time.mktime((2025, 7, 20, 4, 26, 40, 0, 0, -1)) == 1753000000 and time.timezone == 18000 and time.daylight
assert datetime(2025, 3, 9, 2, 30).timestamp() == 1741505400
assert local("America/New_York", -1e9)[0] == "1938-04-24T18:13:20"
assert local("CET-1CEST,M3.5.0,M10.5.0/3", 4_000_000_000)[0:2] == ("2096-10-02T09:06:40", "CEST")
assert local("Asia/Kolkata", 0) == ("1970-01-01T05:30:00", "IST", ("IST", "IST"))
assert local("UTC", 0)[0] == "1970-01-01T00:00:00"
`));

Deno.test("time zones have their older names, too", () =>
  holds(`
import pytz
from dateutil import tz
from zoneinfo import ZoneInfo, available_timezones
for name in ("US/Eastern", "Asia/Calcutta", "EST5EDT", "Europe/Kiev"):
    assert ZoneInfo(name) and pytz.timezone(name) and tz.gettz(name) and name in available_timezones(), name
`));

Deno.test("ctypes.pythonapi makes capsules, and reads them", () =>
  holds(`
import ctypes, datetime
new, pointer = ctypes.pythonapi.PyCapsule_New, ctypes.pythonapi.PyCapsule_GetPointer
new.argtypes, new.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
pointer.argtypes, pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
made = new(ctypes.cast(new, ctypes.c_void_p), ctypes.c_char_p(b"a.b"), None)
assert type(made) is type(datetime.datetime_CAPI) and pointer(made, b"a.b") == ctypes.cast(new, ctypes.c_void_p).value
name = ctypes.pythonapi.PyCapsule_GetName
name.argtypes, name.restype = (ctypes.py_object,), ctypes.c_char_p
assert name(made) == b"a.b"
`));

Deno.test("a server that nobody could call is an error that says how to serve", async () => {
  const outcome = await new Session().run(`from http.server import HTTPServer, SimpleHTTPRequestHandler
HTTPServer(("", 8000), SimpleHTTPRequestHandler).serve_forever()`);
  match(errorOf(outcome)?.message ?? "", /^nobody can call this server: .*Serve in a thread/);
});

Deno.test("errors of the system have Linux's numbers and words", () =>
  holds(`
import errno, os
def said(call):
    try:
        call()
    except OSError as error:
        return type(error), error.errno, error.strerror
assert said(lambda: open("missing")) == (FileNotFoundError, 2, "No such file or directory")
assert said(lambda: os.mkdir("/tmp")) == (FileExistsError, 17, "File exists")
assert said(lambda: open("/tmp", "w")) == (IsADirectoryError, 21, "Is a directory")
assert said(lambda: os.read(77, 1)) == (OSError, 9, "Bad file descriptor")
assert said(lambda: os.listdir(__file__ + "/x"))[1] == errno.ENOENT == 2
os.makedirs("full/x")
assert said(lambda: os.rmdir("full")) == (OSError, 39, "Directory not empty")
assert said(lambda: os.rename("missing", "other"))[1:] == (2, "No such file or directory")
assert type(OSError(13, "x")) is PermissionError and type(OSError(111, "x")) is ConnectionRefusedError
assert type(OSError(errno.EAGAIN, "x")) is BlockingIOError and type(OSError(44, "x")) is OSError
assert os.strerror(2) == "No such file or directory" and os.strerror(9999) == "Unknown error 9999"
assert errno.errorcode[110] == "ETIMEDOUT" and errno.EWOULDBLOCK == 11 and not hasattr(errno, "ENOTCAPABLE")
open("small", "w").close()
try:
    open("small/below")
except NotADirectoryError as error:
    assert str(error) == "[Errno 20] Not a directory: 'small/below'"
try:
    os.rename("missing", "other")
except OSError as error:
    assert (error.filename, error.filename2) == ("missing", "other")
`));

Deno.test("connections to one database lock each other out", () =>
  holds(`
import sqlite3, threading
first = sqlite3.connect("shop.db")
first.execute("CREATE TABLE stock (item, count)")
first.commit()
second = sqlite3.connect("shop.db", timeout=0)
first.execute("INSERT INTO stock VALUES ('a', 1)")
try:
    second.execute("INSERT INTO stock VALUES ('b', 2)")
    assert False
except sqlite3.OperationalError as error:
    assert str(error) == "database is locked"
assert second.execute("SELECT * FROM stock").fetchall() == []
second.rollback()
first.commit()
second.execute("INSERT INTO stock VALUES ('b', 2)")
second.commit()
assert first.execute("SELECT count(*) FROM stock").fetchone() == (2,)
first.execute("BEGIN IMMEDIATE")
first.close()
with second:
    second.execute("DELETE FROM stock")
`));

Deno.test("who waits for a database's lock lets the thread run that has it", () =>
  holds(`
import contextlib, sqlite3, time
from concurrent.futures import ThreadPoolExecutor
sqlite3.connect("bank.db").executescript("CREATE TABLE account (id, sum); INSERT INTO account VALUES (1, 100), (2, 100)")
def transfer(_):
    with contextlib.closing(sqlite3.connect("bank.db", timeout=10, isolation_level=None)) as c:
        c.execute("BEGIN IMMEDIATE")
        (left,) = c.execute("SELECT sum FROM account WHERE id = 1").fetchone()
        time.sleep(0.005)
        c.execute("UPDATE account SET sum = ? WHERE id = 1", (left - 1,))
        c.execute("UPDATE account SET sum = sum + 1 WHERE id = 2")
        c.execute("COMMIT")
with ThreadPoolExecutor(4) as pool:
    list(pool.map(transfer, range(8)))
assert sqlite3.connect("bank.db").execute("SELECT sum FROM account").fetchall() == [(92,), (108,)]
`));

Deno.test("time spent is told in seconds, and the machine has one name", () =>
  holds(`
import os, platform, socket, sys, time
spent = os.times()
assert 0 <= spent.user < 600 and abs(spent.elapsed - time.monotonic()) < 60, spent
assert os.uname().nodename == platform.node() == socket.gethostname()
assert os.uname().sysname == platform.system() == "Linux" and platform.platform().startswith("Linux-")
assert sys.platform == "wasi" and time.thread_time() >= 0 and time.thread_time_ns() >= 0
assert len(os.getloadavg()) == 3 and len(os.sched_getaffinity(0)) == os.cpu_count() and len(os.getrandom(5)) == 5
assert os.getlogin() == "user" and os.getgroups() == [os.getgid()] and os.nice(0) == 0
with open("room", "wb") as file:
    os.posix_fallocate(file.fileno(), 0, 100)
    assert os.fstat(file.fileno()).st_size == 100
`));

Deno.test("the processor's time is without what a program sleeps, also in threads and asyncio", () =>
  holds(`
import asyncio, os, threading, time
def passed(work, now):
    begun = now()
    work()
    return now() - begun
def sleeps(): time.sleep(0.2)
def in_thread():
    thread = threading.Thread(target=sleeps)
    thread.start()
    thread.join()
for work in (sleeps, in_thread, lambda: asyncio.run(asyncio.sleep(0.2))):
    for clock in (time.process_time, time.thread_time, lambda: time.process_time_ns() / 1e9, lambda: sum(os.times()[:2])):
        assert 0 <= passed(work, clock) < 0.15, work
assert passed(sleeps, time.perf_counter) >= 0.19
assert passed(lambda: sum(range(300_000)), time.process_time) > 0
assert time.get_clock_info("thread_time").monotonic
`));

Deno.test("a log's relative times begin with the session, not with its image", () =>
  holds(`
import logging
first, second = (logging.makeLogRecord({}).relativeCreated for _ in range(2))
assert 0 <= first <= second < 600_000, (first, second)
`));

Deno.test("importlib.resources.files() without a package is the caller's own", () =>
  holds(`
import os, sys
os.mkdir("bundle")
with open("bundle/__init__.py", "w") as file:
    file.write("from importlib.resources import files\\ntext = files().joinpath('text.txt').read_text()\\n")
with open("bundle/text.txt", "w") as file:
    file.write("of the bundle")
import bundle
assert bundle.text == "of the bundle"
`));

Deno.test("a signal to a thread reaches the program's handler", () =>
  holds(`
import signal, threading
seen = []
signal.signal(signal.SIGUSR1, lambda *args: seen.append(args[0]))
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
assert seen == [signal.SIGUSR1], seen
try: signal.pthread_kill(3, signal.SIGUSR1)
except ProcessLookupError: pass
else: raise AssertionError
`));

Deno.test("hashes that hashlib has from OpenSSL elsewhere are right", () =>
  holds(`
import hashlib, hmac
text = b"abc" * 100
found = {name: hashlib.new(name, text).hexdigest()[:16] for name in ("ripemd160", "sha512_224", "sha512_256")}
assert found == {"ripemd160": "e59919175ce1f950", "sha512_224": "a9c0d690e7c72475", "sha512_256": "4c927819a43d1727"}, found
assert hmac.new(b"k", text, "ripemd160").hexdigest()[:16] == "6cc55789d96661d1"
assert hashlib.new("ripemd160").digest_size == 20 and "ripemd160" in hashlib.algorithms_available
`));

Deno.test("a locale that is not there is refused", () =>
  holds(`
import locale
before = locale.setlocale(locale.LC_ALL)
for name in ("C", "C.UTF-8", "POSIX", "", None, before):
    locale.setlocale(locale.LC_ALL, name)
for name in ("de_DE.UTF-8", "en_US.UTF-8", "nonsense"):
    try:
        locale.setlocale(locale.LC_ALL, name)
        assert False, name
    except locale.Error as error:
        assert str(error) == "unsupported locale setting"
assert locale.localeconv()["decimal_point"] == "."
`));

Deno.test("the letters of the locale are UTF-8's from the start, as on other machines", () =>
  holds(`
import locale, time
assert locale.setlocale(locale.LC_CTYPE) == "C.UTF-8" and locale.getlocale() == ("C", "UTF-8")
assert locale.setlocale(locale.LC_NUMERIC) == locale.setlocale(locale.LC_TIME) == "C"
assert locale.strcoll("a", "é") < 0 and time.strftime("%Y年", time.gmtime(0)) == "1970年"
`));

Deno.test("names of files tell their types, as where a system knows more of them than Python", () =>
  holds(`
import mimetypes
for name, kind in {
    "a.docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "a.webp": "image/webp", "a.woff2": "font/woff2", "a.md": "text/markdown", "a.yaml": "application/yaml",
    "a.parquet": "application/vnd.apache.parquet", "a.7z": "application/x-7z-compressed", "a.txt": "text/plain", "a.html": "text/html",
}.items():
    assert mimetypes.guess_type(name) == (kind, None), (name, mimetypes.guess_type(name))
assert mimetypes.guess_type("a.tar.gz") == ("application/x-tar", "gzip")
assert [mimetypes.guess_extension(kind) for kind in ("text/plain", "image/jpeg", "text/html", "application/json")] == [".txt", ".jpg", ".html", ".json"]
assert mimetypes.guess_type("a.unheardof") == (None, None)
`));
