"""Whether what was installed can be imported here: asked in an interpreter that is thrown away."""

import importlib
import json
from importlib import metadata

# Modules of one project that are tried, and characters of an error that are told.
MAX_MODULES = 3
MAX_ERROR = 500


class Report:
    """The value of the program, shown as JSON."""

    def __init__(self, failures):
        self.failures = failures

    def __repr__(self):
        return json.dumps(self.failures)


def run(names):
    """For each project that has a module which can't be imported: that module, and why."""
    failures = []
    for name in names:
        for module in modules_of(metadata.distribution(name))[:MAX_MODULES]:
            try:
                importlib.import_module(module)
            except (KeyboardInterrupt, MemoryError):
                raise
            except BaseException as error:
                from _wasmbox_imports import advise

                if isinstance(error, ModuleNotFoundError):
                    advise(error)
                text = f"{type(error).__name__}: {error}"
                failures.append({
                    "name": name,
                    "module": module,
                    "error": text[:MAX_ERROR],
                    "curable": wants_native_code(error, module),
                })
                break
    return Report(failures)


def wants_native_code(error, module):
    """Whether a release from before there was native code might be imported."""
    while error is not None:
        match error:
            case ModuleNotFoundError(name=str(name)):
                top = name.partition(".")[0]
                if top == module or top.startswith("_") or is_native(top):
                    return True
            case ImportError(name_from=str(name)) if name.startswith("_"):
                return True
            case OSError() if "native libraries" in str(error):
                return True
        error = error.__cause__ or error.__context__
    return False


def is_native(name):
    from _wasmbox_imports import ask_about

    return ask_about(name)["native"]


def modules_of(distribution):
    """Names that can be imported, the one that is called like the project first."""
    names = set()
    for path in distribution.files or ():
        first = path.parts[0]
        if len(path.parts) == 1 and path.suffix == ".py":
            names.add(path.stem)
        elif path.suffix == ".py" and len(path.parts) == 2 and path.name == "__init__.py":
            names.add(first)
    own = distribution.metadata["Name"].lower().replace("-", "_").replace(".", "_")
    public = [name for name in names if name.isidentifier() and not name.startswith("_") and name not in ("tests", "test")]
    return sorted(public, key=lambda name: (name.lower() != own, name))
