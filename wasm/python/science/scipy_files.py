"""Does what meson's `install` would, which wants all that could be built: `scipy_files.py BUILD OUTPUT`.

The files in Python, and the numbers that they read, go to OUTPUT/python/scipy. The extension modules of OUTPUT/modules
get the names that they are installed by, where those are not the places that they were built in.
"""

import json
import pathlib
import shutil
import sys

PLACE = "{py_platlib}/"


def main(build, output):
    plan = json.loads((build / "meson-info/intro-install_plan.json").read_text())
    names, tree = {}, output / "python/scipy"
    for source, about in [(source, about) for files in plan.values() for source, about in files.items()]:
        path = about["destination"].removeprefix(PLACE)
        if path == about["destination"] or about["tag"] == "tests" or "/tests/" in path:
            continue
        if path.endswith(".so"):
            names[dotted(str(pathlib.Path(source).relative_to(build.resolve())))] = dotted(path)
        elif path.endswith((".py", ".npz")):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, tree / path)
    for directory in [path for path in (tree / "scipy").rglob("*") if path.is_dir()]:
        (directory / "__init__.py").touch()  # a zip has no packages without
    modules = [line.split() for line in (output / "modules").read_text().splitlines()]
    lines = [f"{names[name]} {function}\n" for name, function in modules if name in names]
    (output / "modules").write_text("".join(lines))


def dotted(path):
    return path.partition(".")[0].replace("/", ".")


main(*map(pathlib.Path, sys.argv[1:]))
