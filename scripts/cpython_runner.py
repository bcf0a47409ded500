"""Runs a module of CPython's test suite and tells how it went: JSON in the last line of stdout. On stderr are the names of
the tests as they begin, for when there is no end.

As an argument of the native interpreter: `cpython_runner.py LIBRARY MODULE`; in a session its text is run with
LIBRARY, MODULE and DONE, tests that are not to be run, set before.
"""

import builtins
import faulthandler
import functools
import importlib.machinery
import importlib.resources
import io
import json
import os
import struct
import sys
import time
import types
import unittest

if "MODULE" not in globals():
    LIBRARY, MODULE, DONE = *sys.argv[1:], ()


# Of _testinternalcapi.
CONFIGURATION = {"get_config": lambda: {"code_debug_ranges": 1}}


def limits():
    """What CPython's headers say of this platform: as true without the modules that tests have it from."""
    pointer, word = struct.calcsize("P"), struct.calcsize("l")
    found = {"SIZEOF_VOID_P": pointer, "SIZEOF_PYGC_HEAD": 2 * pointer, "SIZEOF_MANAGED_PRE_HEADER": 2 * pointer}
    found |= {"SIZEOF_TIME_T": 8, "PY_SSIZE_T_MAX": sys.maxsize, "PY_SSIZE_T_MIN": -sys.maxsize - 1}
    for name, size in {"CHAR": 1, "SHRT": 2, "INT": 4, "LONG": word, "LLONG": 8}.items():
        found[f"{name}_MAX"], found[f"{name}_MIN"] = 2 ** (8 * size - 1) - 1, -(2 ** (8 * size - 1))
        found[f"U{name}_MAX"] = 2 ** (8 * size) - 1
    return found | {"FLT_MAX": (2 - 2**-23) * 2.0**127, "DBL_MAX": sys.float_info.max, "WITH_PYMALLOC": True} | CONFIGURATION


# Modules that leave everything out on WASI since it has no sockets.
WITH_SOCKETS = ("test_selectors", "test_urllib_response")
NOWHERE = "/nowhere/"
ZONES = "/usr/share/zoneinfo/"
real_open = open


class Stand:
    """For something of a module that is not there: what uses it is skipped, what only defines something by it is not."""

    running = False

    def __init__(self, name):
        self._name = name

    def _use(self, *args, **options):
        # A setUp that fails is followed by no tearDown: what it has taken would be missing from then on.
        if Stand.running and sys._getframe(1).f_code.co_name != "setUp":
            raise unittest.SkipTest(f"{self._name} is not there")
        return self

    __call__ = __getitem__ = __enter__ = __iter__ = __instancecheck__ = __subclasscheck__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __lt__ = __gt__ = __le__ = __ge__ = _use

    def __exit__(self, *raised):
        pass

    def __bool__(self):
        self._use()
        return False

    def __index__(self):
        raise unittest.SkipTest(f"{self._name} is not there")

    def __mro_entries__(self, bases):
        return ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._use()


class Absent(types.ModuleType):
    """A module that is not there, without which whole modules of tests would be skipped."""

    NAMES = "_ctypes_test", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_testsinglephase", "ensurepip", "venv"

    def __init__(self, name):
        super().__init__(name)
        self.__spec__ = importlib.machinery.ModuleSpec(name, None)
        self.__file__ = f"{NOWHERE}{name}.so"
        vars(self).update(limits())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stand(self.__name__)


def end(*args):
    raise unittest.SkipTest("this would end the interpreter: it has no process of its own")


def open_with_zones(file, *args, **options):
    """Tests of datetime want the time zones as files of the system. Here they are a package."""
    if not isinstance(file, str) or not file.startswith(ZONES):
        return real_open(file, *args, **options)
    zone = importlib.resources.files("tzdata.zoneinfo").joinpath(file.removeprefix(ZONES))
    return zone.open(*args, **options)


def load(loader, name, *args, **options):
    """A native library: those that are not built are loaded, to be missed when they are used."""
    known = isinstance(name, str) and name.startswith(NOWHERE)
    return Absent(name) if known else loader(name, *args, **options)


def prepare():
    """What tests need to be loaded here, or not to end the session."""
    import ctypes

    sys.modules.update((name, Absent(name)) for name in Absent.NAMES)
    ctypes.pythonapi = Absent("ctypes.pythonapi")
    for loader in (ctypes.CDLL, ctypes.PyDLL):
        setattr(ctypes, loader.__name__, functools.partial(load, loader))
    faulthandler._sigsegv = os.abort = end
    builtins.open = open_with_zones


class Tally(unittest.TestResult):
    """What became of each test; those of a subtest count for their test."""

    def __init__(self, progress):
        super().__init__()
        self.progress = progress
        self.passed, self.not_passed = set(), {}
        self.current, self.began = None, time.monotonic()

    def startTest(self, test):
        super().startTest(test)
        self.current, self.began = test.id(), time.monotonic()
        print(self.current, file=self.progress, flush=True)

    def addSuccess(self, test):
        self.passed.add(test.id())

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.not_passed[test.id()] = "skipped", reason

    def addExpectedFailure(self, test, error):
        self.passed.add(test.id())

    def addUnexpectedSuccess(self, test):
        self.not_passed[test.id()] = "failed", "unexpected success"

    def _failed(self, test, error):
        test = getattr(test, "test_case", test)
        text = f"{error[0].__name__}: {error[1]}"
        self.not_passed.setdefault(test.id(), ("failed", " ".join(text.split())[:200]))

    def addError(self, test, error):
        self._failed(test, error)

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._failed(test, error)


def leave(done, suite):
    """Takes tests out of a suite."""
    kept = (leave(done, test) if isinstance(test, unittest.TestSuite) else test for test in suite)
    suite._tests = [test for test in kept if isinstance(test, unittest.TestSuite) or test.id() not in done]
    return suite


def main():
    if LIBRARY not in sys.path:
        sys.path.append(LIBRARY)
    output, sys.stdout = sys.stdout, io.StringIO()
    errors, sys.stderr = sys.stderr, io.StringIO()
    tally = Tally(errors)
    cause = None
    try:
        import test

        if sys.platform == "wasi":
            prepare()
        if test.__path__[0] != LIBRARY + "/test":
            test.__path__.insert(0, LIBRARY + "/test")
        from test import support

        # The suite leaves whole modules out on this platform for the sake of a few of their tests.
        support.is_wasi = support.is_wasi and MODULE not in WITH_SOCKETS
        support.has_socket_support = support.has_subprocess_support = True
        from test.support import script_helper, socket_helper, threading_helper

        # What it would find out by a process, while modules are loaded.
        setattr(script_helper, "__cached_interp_requires_environment", False)

        threading_helper.can_start_thread = socket_helper.has_gethostname = True
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + MODULE)
        Stand.running = True
        leave(set(DONE), suite)(tally)
    except unittest.SkipTest as skip:
        cause = f"skipped: {skip}"
    except BaseException as error:
        cause = f"{type(error).__name__}: {error}"
    finally:
        sys.stdout, sys.stderr = output, errors
    broken = {name for name in tally.not_passed if "_FailedTest" in name}
    cause = cause or next((tally.not_passed[name][1] for name in broken), None)
    failed = {name: why for name, (kind, why) in tally.not_passed.items() if kind == "failed" and name not in broken}
    skipped = {name: why for name, (kind, why) in tally.not_passed.items() if kind == "skipped"}
    passed = sorted(tally.passed - failed.keys())
    told = {"passed": passed, "failed": failed, "skipped": skipped, "cause": cause, "last": tally.current}
    told["seconds"] = time.monotonic() - tally.began
    print(json.dumps(told))


main()
