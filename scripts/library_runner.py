"""Runs one file of a library's tests by pytest and tells how it went: `library_runner.py MODULE FILE`; JSON in the last line."""

import importlib
import io
import json
import os
import sys
import tempfile

MODULE, FILE = sys.argv[1:]
MOST_CAUSES = 40
MAX_CAUSE = 200


class Tally:
    """A plugin of pytest's that notes what became of each test."""

    def __init__(self):
        self.passed, self.failed, self.skipped = set(), {}, set()
        self.cause = None

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.setdefault(report.nodeid, said(report))
        elif report.skipped:
            self.skipped.add(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.cause = said(report)
        elif report.skipped and report.nodeid.endswith(".py"):
            self.cause = f"skipped: {report.longrepr[2]}"


def said(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]
    return " ".join(text.split())[:MAX_CAUSE]


def main():
    # What is tested is what is installed, and not what may lie beside the tests.
    importlib.import_module(MODULE)
    if MODULE == "sympy":
        # Its tests import one another as parts of the library, and the bundled one has none.
        importlib.import_module("sympy.core").__path__.append(os.path.dirname(os.path.dirname(FILE)))
    import pytest

    tally = Tally()
    output, errors = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    sys.dont_write_bytecode = True
    os.chdir(tempfile.mkdtemp())
    try:
        pytest.main([FILE, "-q", "-p", "no:cacheprovider"], plugins=[tally])
    except BaseException as error:
        tally.cause = f"{type(error).__name__}: {error}"[:MAX_CAUSE]
    finally:
        said_by_pytest = sys.stdout.getvalue() + sys.stderr.getvalue()
        sys.stdout, sys.stderr = output, errors
    if not (tally.passed or tally.failed or tally.skipped or tally.cause):
        tally.cause = " ".join(said_by_pytest.split())[-MAX_CAUSE:]
    short = lambda name: name.rpartition(".py::")[2]
    print(json.dumps({
        "passed": sorted(short(name) for name in tally.passed - tally.failed.keys()),
        "failed": len(tally.failed),
        "skipped": len(tally.skipped),
        "causes": [f"{short(name)}: {why}" for name, why in sorted(tally.failed.items())][:MOST_CAUSES],
        "cause": tally.cause,
    }))


main()
