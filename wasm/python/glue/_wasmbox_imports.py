"""Imports of a program's own that nothing provides: the host is asked for their packages, and what to say of them."""

import importlib._bootstrap
import linecache
import os
import sys
from importlib.machinery import PathFinder
from types import FunctionType, ModuleType

import _wasmbox
from _wasmbox_absent import MODULES, explain

# Code of others: what it imports tentatively is its own affair.
BUNDLED = "/usr/lib/"
LIBRARIES = (BUNDLED, "/opt/python/")
SITE_PACKAGES = "/opt/python/lib/python3.13/site-packages"
IMPORT_SYSTEM = ("<frozen importlib", "/usr/lib/python3.13/importlib/__init__.py")
IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
# Longest source that is looked through, characters.
MAX_SOURCE = 512 * 1024
MAX_NAMES = 50
MAX_NAME = 100
# Of one `from … import`: most are nothing that comes by itself.
MAX_OF_ONE = 3

# Why the session could not go to the interpreter that its program wants.
stays = None


class Finder:
    """The last one on sys.meta_path: asked for what no other knows."""

    busy = False
    # What was looked for last, if the program's own code imports it.
    own = None

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if cls.busy:
            return None
        frame = importing_frame(sys._getframe(1))
        cls.own = None if frame is None else name
        if frame is None or "." in name and not is_shared(path):
            return None
        cls.busy = True
        try:
            wanted = wishes(name, frame)
            if not wanted or not ask(kind="install", names=wanted)["installed"]:
                return None
            from _wasmbox_glue import forget_directories

            forget_directories()
            forget_replaced()
            return PathFinder.find_spec(name, path)
        except Exception:
            # Whatever is the matter: the program gets the error that its import deserves.
            return None
        finally:
            cls.busy = False


def forget_replaced():
    """What only libraries have imported of bundled packages in whose place others are installed now: attrs finds no more than
    its own attr of use."""
    replaced = {each.removesuffix(".py") for each in os.listdir(SITE_PACKAGES)}
    bundled = {name for name, module in list(sys.modules.items()) if name in replaced and file_of(module).startswith(BUNDLED)}
    if bundled:
        bundled -= held_by_program()
        for name in list(sys.modules):
            if name.partition(".")[0] in bundled:
                del sys.modules[name]


def file_of(module):
    file = getattr(module, "__file__", None)
    return file if type(file) is str else ""


def held_by_program():
    """Packages of which the program's own modules have anything."""
    from _wasmbox_copies import is_own_module

    held = set()
    for name, module in list(sys.modules.items()):
        if type(module) is ModuleType and is_own_module(name, module):
            for value in list(vars(module).values()):
                origins = (value.__name__,) if type(value) is ModuleType else (getattr(value, "__module__", None), type(value).__module__)
                held.update(each.partition(".")[0] for each in origins if type(each) is str)
    return held


def is_shared(path):
    """Whether a path is that of a name that several projects share, as google, none of which is the program's own."""
    return type(path).__name__ == "_NamespacePath" and all(place.startswith(LIBRARIES) for place in path)


def importing_frame(frame):
    """The frame that imports, if it is one of the program's own code."""
    while frame is not None and frame.f_code.co_filename.startswith(IMPORT_SYSTEM):
        frame = frame.f_back
    return None if frame is None or frame.f_code.co_filename.startswith(LIBRARIES) else frame


def wishes(name, frame):
    """What the source imports of `name`, and what else it needs that is not there; nothing where it can do without `name`."""
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    if not source or len(source) > MAX_SOURCE:
        return []
    found = [*imports(source)]
    own = [(each, *rest) for each, *rest in found if f"{each}.".startswith(f"{name}.")]
    here = [each for each, first, last, _ in own if first <= frame.f_lineno <= last]
    if not here:
        return []
    needed = [each for each, _, _, tentative in found if not tentative]
    more = [each for each in needed if f"{each}.".startswith(f"{name}.") or is_missing(each.partition(".")[0])]
    return [*dict.fromkeys(each[:MAX_NAME] for each in (*here, *more))][:MAX_NAMES]


def imports(source):
    """Modules that a source imports by name, the lines where, and whether only after something else has failed.

    Left out is what the source has a substitute for: another module, or a value.
    """
    import ast

    # As programs may await at the top level.
    tree = compile(source, "<imports>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    pending = [(tree, False)]
    while pending:
        node, tentative = pending.pop()
        names = []
        match node:
            case ast.Try() if any(is_substitute(handler) for handler in node.handlers):
                pending += [(child, tentative) for child in (*node.orelse, *node.finalbody)]
                pending += [(handler, True) for handler in node.handlers]
                continue
            case ast.ExceptHandler():
                tentative = True
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(level=0, module=str(module)):
                names = [f"{module}.{alias.name}" for alias in node.names[:MAX_OF_ONE]]
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                names = [module]
        pending += [(child, tentative) for child in ast.iter_child_nodes(node)]
        for each in names:
            yield each, node.lineno, node.end_lineno, tentative


def is_substitute(handler):
    """Whether an except clause has something else for a module that could not be imported."""
    import ast

    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if handler.type is not None and not any(isinstance(kind, ast.Name) and kind.id in IMPORT_ERRORS for kind in kinds):
        return False
    substitutes = ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef
    return any(isinstance(node, substitutes) for statement in handler.body for node in ast.walk(statement))


def is_missing(name):
    import importlib.util

    try:
        return name not in sys.modules and importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return False


def not_found(message, name=None):
    """What the import system raises: the program that catches it reads what to do, too."""
    error = ModuleNotFoundError(message, name=name)
    if name is not None and name == Finder.own:
        Finder.own = None
        try:
            explain(error)
            advise(error)
            error.args = (error.msg,)
        except Exception:
            pass  # advice is no part of the error
    return error


def advise(error):
    """Lets the message of a ModuleNotFoundError say what to do."""
    name = error.name
    if type(error) is not ModuleNotFoundError or type(name) is not str or type(error.msg) is not str:
        return
    top = name.partition(".")[0]
    if not top or len(top) > 100 or top in sys.modules or top in MODULES:
        return
    advice = ask_about(top)["advice"]
    if advice and advice not in error.msg:
        error.msg = f"{error.msg}. {advice}"


def ask_about(name):
    """What the host knows of a module that was not found: `advice`, and whether its package is known to be `native`."""
    return ask(kind="advice", name=name, standard=sorted(sys.stdlib_module_names), stays=stays)


def ask(**question):
    import json

    answer, _ = _wasmbox.host_call("imports", json.dumps(question).encode())
    return json.loads(answer)


def install():
    sys.meta_path.append(Finder)
    # One place of importlib raises the error; others there catch it, by the same name.
    bootstrap = importlib._bootstrap
    function = bootstrap._find_and_load_unlocked
    names = {**bootstrap.__dict__, "ModuleNotFoundError": not_found}
    bootstrap._find_and_load_unlocked = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
