"""What a project of Python says of itself: pyproject.toml, as the standard and Poetry have it, setup.cfg, or the call in setup.py."""

import os
import re
import sys
import types


class Unknown(Exception):
    """A project that does not say what is to be known of it."""


def described(root):
    """What a project says of itself, as the table `project` has it."""
    data = toml(os.path.join(root, "pyproject.toml"))
    tools = data.get("tool", {})
    if "project" in data:
        project = dict(data["project"])
        for group, table in (("console_scripts", "scripts"), ("gui_scripts", "gui-scripts")):
            if table in project:
                project.setdefault("entry-points", {})[group] = project[table]
        if "version" in project.get("dynamic", ()):
            project.pop("version", None)
    elif "poetry" in tools:
        project = of_poetry(tools["poetry"])
    else:
        project = of_setuptools(root)
    project.setdefault("entry-points", {})
    setuptools, hatch = tools.get("setuptools", {}), tools.get("hatch", {}).get("build", {}).get("targets", {}).get("wheel", {})
    named = setuptools.get("packages")
    if isinstance(named, dict):
        project["where"] = named.get("find", {}).get("where", [None])[0]
    elif named:
        project["packages"] = named
    project.setdefault("package-dir", setuptools.get("package-dir", {}))
    project.setdefault("modules", setuptools.get("py-modules"))
    if hatch.get("packages"):
        project["paths"] = hatch["packages"]
    return project


def toml(path):
    import tomllib

    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        return tomllib.load(file)


def of_poetry(poetry):
    needs = {name: each for name, each in poetry.get("dependencies", {}).items() if name != "python"}
    return {
        "name": poetry.get("name"),
        "version": str(poetry.get("version", "0.0.0")),
        "dependencies": [name + poetry_range(each) for name, each in needs.items()],
        "entry-points": {"console_scripts": poetry["scripts"]} if "scripts" in poetry else {},
        **({"paths": [os.path.join(each.get("from", ""), each["include"]) for each in poetry["packages"]]}
           if "packages" in poetry else {}),
    }


def poetry_range(wish):
    text = wish.get("version", "*") if isinstance(wish, dict) else wish
    match = re.fullmatch(r"([\^~])\s*(\d[\w.]*)", text.strip())
    if not match:
        return "" if text.strip() == "*" else text if re.match(r"[<>=!~]", text) else f"=={text}"
    parts = [int(each) for each in re.findall(r"\d+", match[2])]
    kept = 1 if match[1] == "^" and parts[0] else 2
    above = [*parts, 0, 0][:kept]
    above[-1] += 1
    return f">={match[2]},<{'.'.join(map(str, above))}"


def of_setuptools(root):
    """What setup.cfg says, or setup.py by its call."""
    from configparser import ConfigParser

    told = {}
    config = ConfigParser()
    config.read(os.path.join(root, "setup.cfg"))
    if config.has_section("metadata"):
        options = config["options"] if config.has_section("options") else {}
        lines = lambda text: [line.strip() for line in (text or "").splitlines() if line.strip()]
        told = {
            "name": config["metadata"].get("name"), "version": config["metadata"].get("version"),
            "install_requires": lines(options.get("install_requires")),
            "package_dir": dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines(options.get("package_dir"))),
            "py_modules": lines(options.get("py_modules")),
        }
        if config.has_section("options.entry_points"):
            told["entry_points"] = {group: lines(text) for group, text in config["options.entry_points"].items()}
        if config.has_section("options.extras_require"):
            told["extras_require"] = {extra: lines(text) for extra, text in config["options.extras_require"].items()}
    told = {name: each for name, each in told.items() if each} | called_by(root)
    if told.get("ext_modules"):
        raise Unknown
    points = told.get("entry_points") or {}
    return {
        "name": told.get("name"),
        **({"version": told["version"]} if re.match(r"\d", str(told.get("version", ""))) else {}),
        "dependencies": told.get("install_requires") or [],
        "optional-dependencies": told.get("extras_require") or {},
        "entry-points": {
            group: dict(re.split(r"\s*=\s*", each, maxsplit=1) for each in listed) for group, listed in points.items()
        } if isinstance(points, dict) else {},
        "package-dir": told.get("package_dir") or {},
        "modules": told.get("py_modules"),
    }


def called_by(root):
    """The arguments of the call in setup.py, which is run with a setuptools that does nothing else."""
    path = os.path.join(root, "setup.py")
    if not os.path.isfile(path):
        return {}
    told = {}
    names = "setuptools", "distutils", "distutils.core"
    for name in names:
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(
            setup=told.update, find_packages=lambda *_, **__: None, find_namespace_packages=lambda *_, **__: None,
            Extension=lambda *_, **__: True, Command=object,
        )
    before = os.getcwd()
    os.chdir(root)
    try:
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), {"__name__": "__main__", "__file__": path})
    except Exception as error:
        raise Unknown from error
    finally:
        os.chdir(before)
        for name in names:
            del sys.modules[name]
    return told
