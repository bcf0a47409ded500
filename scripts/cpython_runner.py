"""Runs modules of CPython's test suite and tells how it went: JSON in the last line.

As an argument of the native interpreter: `cpython_runner.py LIBRARY MODULE`; in a session its text is run with
LIBRARY and MODULE set before.
"""

import io
import json
import sys
import types
import unittest

if "MODULE" not in globals():
    LIBRARY, MODULE = sys.argv[1:]
MOST_CAUSES = 40
# Modules for looking into CPython, without which whole modules would be skipped: here it is what calls them.
INTERNAL = ("_testinternalcapi", "_testlimitedcapi")


class Absent(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def skip(*args, **kwargs):
            raise unittest.SkipTest(f"{self.__name__} is not built")

        return skip


class Tally(unittest.TestResult):
    """What became of each test; those of a subtest count for their test."""

    def __init__(self):
        super().__init__()
        self.passed, self.not_passed = set(), {}

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


def main():
    if LIBRARY not in sys.path:
        sys.path.append(LIBRARY)
    output, sys.stdout = sys.stdout, io.StringIO()
    errors, sys.stderr = sys.stderr, io.StringIO()
    tally = Tally()
    cause = None
    try:
        import test

        if sys.platform == "wasi":
            sys.modules.update((name, Absent(name)) for name in INTERNAL)
        if test.__path__[0] != LIBRARY + "/test":
            test.__path__.insert(0, LIBRARY + "/test")
        from test import support

        # The suite leaves whole modules out on this platform for the sake of a few of their tests.
        support.has_socket_support = support.has_subprocess_support = True
        from test.support import socket_helper, threading_helper

        threading_helper.can_start_thread = socket_helper.has_gethostname = True
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + MODULE)
        suite(tally)
    except unittest.SkipTest as skip:
        cause = f"skipped: {skip}"
    except BaseException as error:
        cause = f"{type(error).__name__}: {error}"
    finally:
        sys.stdout, sys.stderr = output, errors
    broken = {name for name in tally.not_passed if "_FailedTest" in name}
    cause = cause or next((tally.not_passed[name][1] for name in broken), None)
    failed = {name: why for name, (kind, why) in tally.not_passed.items() if kind == "failed"}
    skipped = {name: why for name, (kind, why) in tally.not_passed.items() if kind == "skipped"}
    passed = sorted(tally.passed - failed.keys())
    causes = [f"{name.rpartition('test.' + MODULE + '.')[2]}: {why}" for name, why in sorted(failed.items())]
    counts = {"failed": len(failed) - len(broken), "skipped": len(skipped)}
    print(json.dumps({"passed": passed, **counts, "causes": causes[:MOST_CAUSES], "cause": cause}))


main()
