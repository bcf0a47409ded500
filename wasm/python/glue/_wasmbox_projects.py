"""Projects of the session's own, for `pip install .` and `pip install -e .`: a wheel is made of what they say of themselves,
since what builds them elsewhere is run by processes. One in Python alone has nothing to be built.

The wheel of an editable one has modules that run the project's: what is changed there is changed for whoever imports it.
"""

import os
import re
import tempfile
import zipfile

from _wasmbox_project_tables import Unknown, described

EDITABLE = "-e", "--editable"
LISTS = "-r", "--requirement"
SUFFIXES = r"(?:\[[\w\s,.-]*\])?"
# Directories beside a project's packages that are none.
NO_PACKAGES = {
    "benchmarks", "bin", "build", "ci", "data", "dist", "doc", "docs", "example", "examples", "node_modules", "requirements",
    "scripts", "test", "tests", "tools", "venv",
}
NO_MODULES = {"conftest", "noxfile", "setup", "tasks"}
VERSION = re.compile(r"""^__version__\s*(?::\s*\w+\s*)?=\s*["']([^"']+)["']""", re.MULTILINE)
TAG = "py3-none-any"


def with_wheels(args, place):
    """The arguments of `pip install` with wheels for projects that are directories, made below `place`."""
    given, option = [], None
    for arg in split_options(args):
        if option is None and arg in (*EDITABLE, *LISTS):
            option = arg
            continue
        if option in LISTS:
            given += [option, with_wheels_in(arg, place)]
        else:
            wheel = wheel_for(arg, option is not None, place)
            given += [wheel] if wheel else [arg] if option is None else [option, arg]
        option = None
    return given if option is None else [*given, option]


def split_options(args):
    for arg in args:
        match = re.fullmatch(r"(--editable|--requirement)=(.*)|(-[er])(.+)", arg, re.DOTALL)
        yield from (each for each in match.groups() if each is not None) if match else (arg,)


def with_wheels_in(path, place):
    """A list of requirements with such wheels; itself if it names no directories, or other lists, which lie beside it."""
    if not os.path.isfile(path):
        return path
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        lines = file.read().splitlines()
    made = []
    for line in lines:
        match = re.fullmatch(r"\s*(?:(-e|--editable)(?:\s+|=))?([^\s#-][^\s#]*)\s*(?:#.*)?", line)
        wheel = match and wheel_for(match[2], match[1] is not None, place)
        made.append(wheel or line)
    if made == lines or any(re.match(r"\s*(?:-[rc]|--requirement|--constraint)\b", line) for line in lines):
        return path
    copy = os.path.join(tempfile.mkdtemp(dir=place), os.path.basename(path))
    with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join(made) + "\n")
    return copy


def wheel_for(arg, editable, place):
    """The wheel of a project that an argument names by its directory; None if it does not."""
    match = re.fullmatch(rf"(.*?)({SUFFIXES})", arg, re.DOTALL)
    path = match[1].removeprefix("file://")
    if not is_project(path) or not editable and not path.startswith(".") and "/" not in path:
        return None
    try:
        return make_wheel(os.path.abspath(path), editable, place) + match[2]
    except Unknown:
        return None


def is_project(path):
    return any(os.path.isfile(os.path.join(path, name)) for name in ("pyproject.toml", "setup.cfg", "setup.py"))


def make_wheel(root, editable, place):
    project = described(root)
    modules = list(modules_of(root, project))
    if not project.get("name") or not modules:
        raise Unknown
    project.setdefault("version", version_in(modules) or "0.0.0")
    name = re.sub(r"[-_.]+", "_", project["name"]).lower()
    stem = f"{name}-{project['version'].replace('-', '_')}"
    files = dict(shims(modules) if editable else contents(modules))
    info = f"{stem}.dist-info"
    files[f"{info}/METADATA"] = metadata(project)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: wasmbox\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    if project["entry-points"]:
        files[f"{info}/entry_points.txt"] = "".join(
            f"[{group}]\n" + "".join(f"{each} = {where}\n" for each, where in points.items()) + "\n"
            for group, points in project["entry-points"].items()
        )
    files[f"{info}/RECORD"] = "".join(f"{each},,\n" for each in (*files, f"{info}/RECORD"))
    path = os.path.join(tempfile.mkdtemp(dir=place), f"{stem}-{TAG}.whl")
    with zipfile.ZipFile(path, "w") as wheel:
        for each, content in files.items():
            wheel.writestr(each, content)
    forget(project["name"])
    return path


def forget(name):
    """Pip takes an installed version for the one that it is given, though the project may have changed."""
    from pip._internal.metadata import get_default_environment
    from pip._internal.req.req_uninstall import UninstallPathSet

    there = get_default_environment().get_distribution(name)
    if there is not None and (there.location or "").startswith("/opt/python/"):
        paths = UninstallPathSet.from_dist(there)
        paths.remove(auto_confirm=True)
        paths.commit()


def modules_of(root, project):
    """Names of what is imported at the top, and where each is: a directory or a file."""
    if project.get("paths"):
        for path in project["paths"]:
            yield os.path.basename(path.rstrip("/")), os.path.join(root, path)
        return
    directories = project.get("package-dir") or {}
    own = {name: os.path.join(root, path) for name, path in directories.items() if name}
    yield from own.items()
    where = project.get("where") or directories.get("") or ("src" if os.path.isdir(os.path.join(root, "src")) else "")
    base = os.path.join(root, where)
    flat = os.path.abspath(base) == root
    wanted = {name.split(".")[0] for name in project.get("packages") or ()}
    packages = 0
    for name in sorted(os.listdir(base)) if os.path.isdir(base) else ():
        path = os.path.join(base, name)
        if not name.isidentifier() or not os.path.isdir(path) or name in own or wanted and name not in wanted:
            continue
        if os.path.isfile(os.path.join(path, "__init__.py")) and not (flat and name in NO_PACKAGES) or not flat and has_python(path):
            packages += 1
            yield name, path
    modules = project.get("modules")
    for name in modules or (() if packages and flat else sorted(each[:-3] for each in os.listdir(base) if each.endswith(".py"))):
        if os.path.isfile(os.path.join(base, name + ".py")) and (modules or name.isidentifier() and name not in NO_MODULES):
            yield name, os.path.join(base, name + ".py")


def has_python(path):
    return any(name.endswith(".py") for name in os.listdir(path))


def version_in(modules):
    for _, path in modules:
        for name in ("__init__.py", "_version.py", "version.py", "__about__.py") if os.path.isdir(path) else ("",):
            file = os.path.join(path, name) if name else path
            found = os.path.isfile(file) and VERSION.search(open(file, encoding="utf-8").read())
            if found:
                return found[1]
    return None


def contents(modules):
    for name, path in modules:
        if os.path.isfile(path):
            yield name + ".py", read(path)
        for directory, below, files in os.walk(path):
            below[:] = [each for each in below if each != "__pycache__"]
            for file in files:
                whole = os.path.join(directory, file)
                yield os.path.join(name, os.path.relpath(whole, path)), read(whole)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def shims(modules):
    for name, path in modules:
        is_package = os.path.isdir(path)
        file = os.path.join(path, "__init__.py") if is_package else path
        lines = [f"# Of an editable installation: what is at {path}.", f"__file__ = __spec__.loader.path = __spec__.origin = {file!r}"]
        if is_package:
            lines.append(f"__path__ = __spec__.submodule_search_locations = [{path!r}]")
        if os.path.isfile(file):
            lines.append("exec(compile(open(__file__, 'rb').read(), __file__, 'exec'))")
        yield f"{name}/__init__.py" if is_package else f"{name}.py", "\n".join(lines) + "\n"


def metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    for field, key in ("Requires-Python", "requires-python"), ("Summary", "description"):
        if project.get(key):
            lines.append(f"{field}: {' '.join(str(project[key]).split())}")
    lines += [f"Requires-Dist: {each}" for each in project.get("dependencies") or ()]
    for extra, needs in (project.get("optional-dependencies") or {}).items():
        lines.append(f"Provides-Extra: {extra}")
        for need in needs:
            what, _, marker = need.partition(";")
            condition = f"({marker.strip()}) and " if marker.strip() else ""
            lines.append(f"Requires-Dist: {what.strip()} ; {condition}extra == '{extra}'")
    return "\n".join(lines) + "\n\n"
