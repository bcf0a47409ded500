"""Runs files of a library's tests by pytest and tells how they went: `library_runner.py SETTINGS FILE…`.

SETTINGS is JSON: the `module` that is tested, the `root` directory that the tests' full names begin at or null, the
`directory` to run in or null, pytest's `options`, and a parameter that tests to be left out have (`without`) or null.
The last line of what it prints is JSON: by file, what became of its tests.
"""

import importlib
import importlib.machinery
import io
import json
import os
import re
import sys
import tempfile
import types

SETTINGS, FILES = json.loads(sys.argv[1]), sys.argv[2:]
MODULE = SETTINGS["module"]
MOST_CAUSES = 200
MAX_CAUSE = 200
# Extension modules that nothing but tests use, which the build leaves out.
FOR_TESTS = re.compile(r"_tests?$|\._simd$|\._c(y)?test$|\._test_")
LACKING = "needs an extension module of tests"


class Whole:
    """What a test without parameters has of them."""

    params = ()


class Tally:
    """A plugin of pytest's that notes what became of each test."""

    def __init__(self):
        self.files = {file: dict(passed=set(), failed={}, skipped=set(), lacking=set(), cause=None) for file in FILES}
        # By what pytest calls a file, which depends on where it takes the root of all for.
        self.names = {}

    def of(self, nodeid):
        path = nodeid.partition("::")[0]
        if path not in self.names:
            fitting = [file for file in FILES if file.endswith("/" + path.removeprefix("./").replace("../", ""))]
            self.names[path] = max(fitting, key=len, default=FILES[0])
        return self.files[self.names[path]]

    def pytest_collection_modifyitems(self, config, items):
        left_out = [item for item in items if SETTINGS["without"] in getattr(item, "callspec", Whole).params]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)

    def pytest_runtest_logreport(self, report):
        own = self.of(report.nodeid)
        if report.failed:
            own["failed"].setdefault(report.nodeid, said(report))
        elif report.skipped:
            own["skipped"].add(report.nodeid)
            if LACKING in str(report.longrepr):
                own["lacking"].add(report.nodeid)
        elif report.when == "call":
            own["passed"].add(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.of(report.nodeid)["cause"] = said(report)
        elif report.skipped and report.nodeid.endswith(".py"):
            self.of(report.nodeid)["cause"] = f"skipped: {report.longrepr[2]}"


def said(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]
    return " ".join(text.split())[:MAX_CAUSE]


def take_tests_from(root):
    """What is tested is what is installed, with the tests of `root` as if they were parts of it."""
    from _pytest.assertion.rewrite import AssertionRewritingHook

    def find(name, path=None, target=None):
        parents = name.split(".")[:-1]
        if parents[:1] == [MODULE] or parents[:1] == ["mpl_toolkits"]:
            if "tests" in name.split(".") or name.endswith(".conftest"):
                path = [os.path.join(root, *parents)]
        return importlib.machinery.PathFinder.find_spec(name, path, target)

    class Finder:
        find_spec = staticmethod(find)

    AssertionRewritingHook._find_spec = staticmethod(find)
    sys.meta_path.insert(0, Finder)


class ForTests(types.ModuleType):
    """A module of tests that is not there: tests that call its functions are skipped."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "get_fpu_mode":  # asked before and after each test
            return int
        return NotThere(name)


class NotThere:
    def __init__(self, name):
        self.__name__ = name

    @property
    def dtype(self):
        # Of a type that tests are given as a parameter.
        return importlib.import_module("numpy").dtype(object)

    def __call__(self, *args, **kwargs):
        if "PYTEST_CURRENT_TEST" not in os.environ:
            return self  # of a file that is imported
        import pytest

        pytest.skip(LACKING)


class FinderOfThose:
    """Asked last."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith(MODULE + ".") and FOR_TESTS.search(name) and ".tests" not in name:
            return importlib.machinery.ModuleSpec(name, FinderOfThose)

    @staticmethod
    def create_module(spec):
        return ForTests(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def main():
    sys.meta_path.append(FinderOfThose)
    importlib.import_module(MODULE)
    if MODULE == "sympy":
        # Its tests import one another as parts of the library, and the bundled one has none.
        importlib.import_module("sympy.core").__path__.append(os.path.dirname(os.path.dirname(FILES[0])))
    if MODULE == "numpy":
        # By which it skips what it takes for granted that WebAssembly lacks, such as threads.
        importlib.import_module("numpy.testing").IS_WASM = False
    import pytest

    if SETTINGS["root"]:
        take_tests_from(SETTINGS["root"])
    tally = Tally()
    output, errors = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    sys.dont_write_bytecode = True
    os.chdir(SETTINGS["directory"] or tempfile.mkdtemp())
    ended = None
    try:
        code = pytest.main([*FILES, "-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", *SETTINGS["options"]], plugins=[tally])
    except BaseException as error:
        ended = f"{type(error).__name__}: {error}"[:MAX_CAUSE]
    else:
        if code == pytest.ExitCode.INTERNAL_ERROR and len(FILES) > 1:
            sys.exit("pytest itself has failed")  # by one of the files, which is found out as each is run alone
    finally:
        said_by_pytest = sys.stdout.getvalue() + sys.stderr.getvalue()
        sys.stdout, sys.stderr = output, errors
    if not any(own[key] for own in tally.files.values() for key in ("passed", "failed", "skipped", "cause")):
        ended = ended or " ".join(said_by_pytest.split())[-MAX_CAUSE:]
    short = lambda name: name.partition(".py::")[2]
    names = lambda those: sorted({short(name) for name in those})
    print(json.dumps({
        file: {
            "passed": names(own["passed"] - own["failed"].keys()),
            "failed": names(own["failed"]),
            "skipped": names(own["skipped"]),
            "lacking": names(own["lacking"]),
            "causes": [f"{short(name)}: {why}" for name, why in sorted(own["failed"].items())][:MOST_CAUSES],
            "cause": own["cause"] or ended,
        }
        for file, own in tally.files.items()
    }))


main()
