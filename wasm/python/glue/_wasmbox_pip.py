"""Runs pip in an interpreter of its own, whose only network is the host operation `packages`.

Pip sees an index on a host that does not exist; `Transport` turns its requests for projects and files into questions to
the host, which knows where the real index is. Packages go to /opt/python, for every interpreter of the session.
"""

import io
import json
import linecache
import logging
import os
import re
import sys
import sysconfig
import tempfile
import types

import _wasmbox_bundled
from _wasmbox_held_back import HeldBack
from _wasmbox_projects import with_wheels

PIP = "/usr/lib/python3.13/pip.zip"
STDLIB = "/usr/lib/python313.zip"
PREFIX = "/opt/python"
INDEX = "https://index.invalid/"
# Others need a network, processes or an editor.
COMMANDS = {"install", "uninstall", "list", "show", "freeze", "check", "download", "hash", "index", "help"}
# Projects that are built in with native code, or that want one version of such a project.
BUILT_IN = frozenset((
    "contourpy", "cramjam", "fastparquet", "jiter", "kiwisolver", "lxml", "matplotlib", "numpy", "orjson", "pandas",
    "pillow", "pydantic", "pydantic-core", "regex", "rpds-py", "scikit-learn", "scipy",
))
SETTINGS = {
    # `NO_COMPILE` would be taken for the value of the same option.
    "COMPILE": "0",
    "CONFIG_FILE": os.devnull,
    "DISABLE_PIP_VERSION_CHECK": "1",
    "NO_CACHE_DIR": "1",
    "NO_COLOR": "1",
    "NO_INPUT": "1",
    "ONLY_BINARY": ":all:",
    "PROGRESS_BAR": "off",
    "ROOT_USER_ACTION": "ignore",
    "NO_PYTHON_VERSION_WARNING": "1",
    "USE_DEPRECATED": "legacy-certs",
    "YES": "1",
}

EMSCRIPTEN = {"sys_platform": "emscripten", "platform_system": "Emscripten"}


class Report:
    """What came of a command, for the host: the value of the program, shown as JSON."""

    def __init__(self):
        self.exit_code = 0
        self.before = {}
        self.wanted = []
        # What was asked for that something built in stands for, as it is told.
        self.instead = []
        self.error = None
        # The last error that pip has told, which need not be one that it raises.
        self.said = None
        # Per project, what the host said of its files; and what it refused.
        self.pages = {}
        self.refusals = []
        self.held_back = HeldBack()

    def __repr__(self):
        after = installed(PREFIX)
        changes = {
            "installed": [self.fresh(after, name) for name in after if after[name] != self.before.get(name)],
            "removed": [entry(self.before, name) for name in self.before if name not in after],
        }
        fresh = {item["name"] for item in changes["installed"]}
        everything = installed()
        satisfied = [entry(everything, name) for name in dict.fromkeys(self.wanted) if name in everything]
        return json.dumps({
            "exitCode": self.exit_code,
            **changes,
            "satisfied": [item for item in satisfied if item["name"] not in fresh],
            "instead": self.instead[:50],
            "error": self.error,
            "said": self.said,
            "pages": self.pages,
            "refusals": self.refusals[:20],
        })

    def fresh(self, found, name):
        """What was installed; and if an older release than the newest, why."""
        older = self.held_back.reason(name, found[name][1])
        return {**entry(found, name), **({"older": older} if older else {})}


def entry(found, name):
    shown, version = found[name]
    return {"name": shown, "version": version}


def installed(below=""):
    """Canonical name -> name and version of what is installed below a path."""
    from pip._internal.metadata import get_default_environment

    found = {}
    for distribution in get_default_environment().iter_all_distributions():
        if (distribution.location or "").startswith(below):
            found.setdefault(distribution.canonical_name, (distribution.raw_name, str(distribution.version)))
    return found


# That of the command which runs.
report = Report()


def load():
    """Imports pip, in an interpreter that is to be nothing else. What comes of it is kept as an image."""
    prepare()
    mount()
    # Commands are imported when they are first called.
    import pip._internal.commands.install
    import pip._internal.commands.list
    import pip._internal.commands.uninstall
    import pip._internal.metadata.importlib
    import pip._internal.operations.install.wheel
    import pip._internal.req.req_uninstall

    for cache in sys.path_importer_cache, linecache.cache:
        cache.clear()


def prepare():
    """Gives pip what this platform does not have, before it is imported."""
    sys.path[:] = [PIP, STDLIB, *(path for path in sys.path if path not in ("/app", STDLIB)), *_wasmbox_bundled.ZIPS]
    set_environment()
    # As in a virtual environment: what lies elsewhere can be used, and is never removed.
    sys.prefix = sys.exec_prefix = PREFIX
    # What console scripts begin with.
    sys.executable = "/usr/bin/python3"
    sysconfig.get_config_vars().update(base=PREFIX, platbase=PREFIX, installed_base="/usr", installed_platbase="/usr")
    for name, content in {
        "mmap": {"mmap": type("mmap", (), {}), "ACCESS_READ": 1},
        "pip._vendor.certifi": {"where": lambda: os.devnull, "contents": str},
    }.items():
        module = sys.modules[name] = types.ModuleType(name)
        vars(module).update(content)


def set_environment():
    os.environ.clear()
    os.environ.update({f"PIP_{name}": value for name, value in SETTINGS.items()}, HOME="/tmp", TERM="dumb", PATH=f"{PREFIX}/bin")


def mount():
    """Makes `Transport` the only way out of pip's sessions."""
    import _wasmbox
    from pip._internal.network.session import LocalFSAdapter, PipSession
    from pip._internal.utils import virtualenv
    from pip._vendor.requests.adapters import BaseAdapter
    from pip._vendor.requests.exceptions import ConnectionError
    from pip._vendor.requests.models import Response
    from pip._vendor.urllib3.response import HTTPResponse

    def ask(**question):
        answer, data = _wasmbox.host_call("packages", json.dumps(question).encode())
        answer = json.loads(answer)
        refused = answer.get("refused")
        if refused:
            report.refusals.append({**refused, "name": question.get("name")})
        return answer, data, refused

    class File(io.RawIOBase):
        """A file that is fetched piece by piece."""

        def __init__(self, sha256):
            self.sha256 = sha256
            self.fetched = 0
            self.piece = io.BytesIO()
            self.refused = self.fetch()

        def fetch(self):
            answer, data, refused = ask(kind="file", sha256=self.sha256, offset=self.fetched)
            if not refused:
                self.size = answer["size"]
                self.fetched += len(data)
                self.piece = io.BytesIO(data)
            return refused

        def readable(self):
            return True

        def readinto(self, buffer):
            count = self.piece.readinto(buffer)
            if count == 0 and self.fetched < self.size:
                refused = self.fetch()
                if refused:
                    raise ConnectionError(refused["message"])
                count = self.piece.readinto(buffer)
            return count

    class Transport(BaseAdapter):
        def send(self, request, stream=False, timeout=None, verify=True, cert=None, proxies=None):
            project = re.fullmatch(re.escape(INDEX) + r"simple/([^/]+)/", request.url)
            file = re.fullmatch(re.escape(INDEX) + r"files/([0-9a-f]{64})/[^/]+", request.url)
            if request.method not in ("GET", "HEAD") or not (project or file):
                raise ConnectionError("only packages of the server's index can be installed, by their names")
            if project:
                answer, _, refused = ask(kind="project", name=project[1])
                if not refused:
                    files = answer["page"]["files"]
                    report.pages[project[1]] = {"files": len(files), **answer["leftOut"]}
                    report.held_back.pages[project[1]] = {**report.pages[project[1]], "unusable": answer["unusable"]}
                    report.held_back.files[project[1]] = files
                    body = json.dumps(answer["page"]).encode()
                    return respond(request, 200, "application/vnd.pypi.simple.v1+json", len(body), io.BytesIO(body))
            else:
                body = File(file[1])
                refused = body.refused
                if not refused:
                    return respond(request, 200, "application/octet-stream", body.size, body)
            if refused["reason"] in ("not_found", "denied"):
                return respond(request, 404, "text/plain", 0, io.BytesIO())
            raise ConnectionError(refused["message"])

        def close(self):
            pass

    def respond(request, status, kind, size, body):
        response = Response()
        response.status_code = status
        response.reason = "OK" if status == 200 else "Not Found"
        response.url = request.url
        response.request = request
        response.headers.update({"Content-Type": kind, "Content-Length": str(size)})
        response.raw = HTTPResponse(body, headers=dict(response.headers), status=status, preload_content=False)
        return response

    class Session(PipSession):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.adapters.clear()
            self.mount("https://", Transport())
            self.mount("http://", Transport())
            self.mount("file://", LocalFSAdapter())
            self.trust_env = False

    from pip._internal.models.index import PyPI

    # There is no pyvenv.cfg that says so.
    virtualenv._no_global_under_venv = lambda: True
    # Others read these while they are imported.
    PyPI.simple_url = INDEX + "simple"
    from pip._internal.cli import index_command
    from pip._internal.models import search_scope

    search_scope.has_tls = lambda: True

    index_command.PipSession = PipSession.__init__.__globals__["PipSession"] = Session
    listen()
    leave_out_absent()
    refuse_repositories()


def leave_out_absent():
    """Leaves out what packages do without in WebAssembly, by their own word: the one such platform that they know is another."""
    from pip._internal.metadata.importlib import Distribution

    every = Distribution.iter_dependencies

    def iter_dependencies(self, extras=()):
        for requirement in every(self, extras):
            if requirement.marker is None or "emscripten" not in str(requirement.marker).lower():
                yield requirement
            elif any(requirement.marker.evaluate({**EMSCRIPTEN, "extra": extra}) for extra in extras or [""]):
                yield requirement

    Distribution.iter_dependencies = iter_dependencies


def refuse_repositories():
    """Has a requirement such as `git+https://…` fail in plain words: pip would look for a program of that name."""
    from pip._internal.exceptions import InstallationError
    from pip._internal.vcs.versioncontrol import VersionControl

    def obtain(self, dest, url, verbosity):
        raise InstallationError(
            f"{url}: there is no network for {self.name} here. pip install NAME gets a package from the index; of one that is "
            "not there upload a wheel and install that, or its source, and put the directory on PYTHONPATH"
        )

    VersionControl.obtain = obtain


def listen():
    """Notes what the resolver turns down."""
    from pip._internal.resolution.resolvelib.reporter import PipReporter

    reject = PipReporter.rejecting_candidate

    def rejecting_candidate(self, criterion, candidate):
        report.held_back.note(criterion, candidate)
        reject(self, criterion, candidate)

    PipReporter.rejecting_candidate = rejecting_candidate


def describe(error):
    """An exception of pip's as plain data: its kind, what it says, and the requirements that it is about."""
    causes = getattr(error.__cause__, "causes", [])
    requirements = []
    for requirement, parent in causes[:50]:
        requirements.append({
            "project": str(requirement.project_name),
            "requirement": requirement.format_for_error(),
            "parent": f"{parent.name} {parent.version}" if parent else None,
        })
    return {"type": type(error).__name__, "message": str(error)[:4000], "requirements": requirements}


class Said(logging.Handler):
    def emit(self, record):
        report.said = record.getMessage().strip()[:1000] or report.said


def watch(command):
    """Notes what makes a command fail, and which packages it was about."""
    run = command.run

    def watched(options, args):
        report.before = installed(PREFIX)
        # Now: pip has set up its log when it comes here.
        logging.getLogger().addHandler(Said(logging.ERROR))
        try:
            return run(options, args)
        except BaseException as error:
            report.error = describe(error)
            raise

    command.run = watched
    if hasattr(command, "get_requirements"):
        get_requirements = command.get_requirements

        def noted(*args):
            from pip._vendor.packaging.utils import canonicalize_name

            found = get_requirements(*args)
            take_built_in(found)
            for item in found:
                if item.name:
                    name = canonicalize_name(item.name)
                    report.wanted.append(name)
                    specifier = report.held_back.specifiers.get(name)
                    report.held_back.specifiers[name] = item.specifier if specifier is None else specifier & item.specifier
            return found

        command.get_requirements = noted


def take_built_in(requirements):
    """Has the one version of a project that can be here stand for others that are asked for, and says so."""
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import canonicalize_name

    asked = [(canonicalize_name(item.name), item) for item in requirements if item.name]
    if not any(name in BUILT_IN for name, _ in asked):
        return
    there = installed("/usr/lib/")
    for name, item in asked:
        if name not in BUILT_IN or name not in there or item.specifier.contains(there[name][1], prereleases=True):
            continue
        shown, version = there[name]
        told = f"{item.req} can't be installed, since it has native code: {shown} {version}, which is built in, stands for it"
        report.instead.append(told[:300])
        print(f"WARNING: {told}.", file=sys.stderr)
        item.req.specifier = SpecifierSet("")


def run(args, cwd="/app"):
    """Runs `pip ARGS` in an interpreter that was loaded for it. Returns a `Report`."""
    try:
        set_environment()
        # By which its help calls it.
        sys.argv[:] = ["pip", *args]
        os.chdir(cwd)
        report.exit_code = call(args)
    except SystemExit as ending:
        report.exit_code = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    return report


def call(args):
    from pip._internal.cli.main_parser import parse_command
    from pip._internal.commands import create_command
    from pip._internal.exceptions import PipError

    try:
        name, rest = parse_command(args)
    except PipError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    if name not in COMMANDS:
        print(f'ERROR: "pip {name}" is not available here.', file=sys.stderr)
        return 1
    command = create_command(name, isolated="--isolated" in rest)
    watch(command)
    with tempfile.TemporaryDirectory(prefix="pip-") as place:
        return command.main(with_wheels(rest, place) if name == "install" else rest)
