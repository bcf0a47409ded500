"""What programs have assigned to attributes of libraries, and put into their tables: `TestCase.maxDiff = None`,
`aRepr.maxlist = 2`, `parse.uses_netloc.append("s3")`. Nothing tells such a value from a library's own: the sources of the
programs do.

What they name there is told as it is, whatever they did to it: nothing comes of telling what is the same anywhere.
"""

import importlib
import re
import sys
from types import ModuleType

from _wasmbox_copies import is_own, is_own_module
from _wasmbox_left_behind import LeftBehind

PATH = r"(?<![\w.)\]])((?:[^\W\d]\w*\.)+[^\W\d]\w*)"
METHODS = "add|append|clear|discard|extend|insert|pop|remove|setdefault|update"
# `a.b = `, `a.b += `, `a.b, c = `, `a.b[…] = `
ASSIGNED = re.compile(rf"{PATH}(?=\s*(?:\[[^\n]{{0,200}}\]\s*)?(?:[-+*/|&^%@<>]{{0,2}}|,[^=\n]{{0,200}})=(?!=))")
FILLED = re.compile(rf"{PATH}(?=\.(?:{METHODS})\()")
DELETED = re.compile(rf"\bdel\s+{PATH}")
BY_FUNCTION = re.compile(r"\b(?:set|del)attr\(\s*([\w.]+)\s*,\s*['\"](\w+)['\"]")
RENAMED = re.compile(r"\bimport\s+([\w.]+)\s+as\s+(\w+)")
TAKEN = re.compile(r"\bfrom\s+([\w.]+)\s+import\s+\(?([\w, ]+)")
TABLES = dict, list, set
# What comes along in other ways, or is the interpreter's.
BESIDES = {
    ("os", "environ"), ("os", "environb"), ("warnings", "filters"),
    *(("sys", name) for name in (
        "__stderr__", "__stdin__", "__stdout__", "argv", "meta_path", "modules", "path", "path_hooks", "path_importer_cache",
        "stderr", "stdin", "stdout",
    )),
}

# The places that programs name. What is there is no constant of the library's.
assigned = set()


def read_assignments(sources, names):
    """Each as a module, attributes, and what is there, if anything is. `names`: of the session's own modules."""
    places = {}
    assigned.clear()
    for source in sources:
        paths = [match[1] for kind in (ASSIGNED, FILLED, DELETED) for match in kind.finditer(source)]
        paths += [f"{match[1]}.{match[2]}" for match in BY_FUNCTION.finditer(source)]
        imported = imports_of(source) if paths else {}
        for root, *rest in map(lambda path: path.split("."), dict.fromkeys(paths)):
            for value in (*(vars(sys.modules[name]).get(root) for name in names), imported.get(root), sys.modules.get(root)):
                place = followed(value, rest)
                if place is not None:
                    places[place] = None
    assigned.update(places)
    return [(*place, *value_at(*place)) for place in places]


def imports_of(source):
    """What names stand for, also within functions."""
    found = {name: sys.modules.get(module) for module, name in RENAMED.findall(source)}
    for module, names in TAKEN.findall(source):
        fields = getattr(sys.modules.get(module), "__dict__", {})
        found.update((name, fields[name]) for name in map(str.strip, names.split(",")) if name in fields)
    return found


def followed(value, rest):
    """The place, if all that leads there is a library's: modules, classes, and objects of theirs."""
    place = place_of(value)
    for name in rest[:-1]:
        if place is None or is_beside(place):
            return None
        try:
            value = getattr(value, name)
        except Exception:
            return None
        if isinstance(value, (ModuleType, type)):
            place = place_of(value)
        else:
            place = place[0], (*place[1], name)
    place = place and (place[0], (*place[1], rest[-1]))
    return None if place is None or is_beside(place) else place


def place_of(value):
    """Where a library has it: a module, a class, or one of its module's own objects."""
    if type(value) is ModuleType:
        return None if is_own_module(value.__name__, value) or value.__name__.startswith("_wasmbox") else (value.__name__, ())
    module = value.__module__ if isinstance(value, type) else type(value).__module__
    library = sys.modules.get(module) if type(module) is str else None
    if library is None or is_own_module(module, library):
        return None
    if isinstance(value, type):
        return (module, (value.__name__,)) if vars(library).get(value.__name__) is value else None
    return next(((module, (name,)) for name, each in list(vars(library).items()) if each is value and value is not None), None)


def is_beside(place):
    return (place[0], *place[1][:1]) in BESIDES


def held(module, path):
    value = sys.modules[module]
    for name in path:
        value = getattr(value, name)
    return value


def value_at(module, path):
    holder, name = held(module, path[:-1]), path[-1]
    if isinstance(holder, (ModuleType, type)):
        return (vars(holder)[name],) if name in vars(holder) else ()
    try:
        return (getattr(holder, name),)
    except Exception:
        return ()


def write_assignments(told):
    for module, path, *values in told:
        try:
            importlib.import_module(module)
            holder, here = held(module, path[:-1]), value_at(module, path)
            if not values:
                delattr(holder, path[-1])
            elif not here or not fill(here[0], values[0]):
                setattr(holder, path[-1], values[0])
        except (ImportError, AttributeError, TypeError):
            # There is no such library here, or it is not as it was.
            pass


def fill(table, value):
    """Of a table what is put into it: it is known by other names too, and libraries here may have put something into it."""
    if type(table) not in TABLES or type(table) is not type(value):
        return False
    if type(table) is list:
        table[:] = [*value, *(each for each in table if each not in value)]
    else:
        table.update(value)
    return True


def lost_assignments(told):
    return [f"{'.'.join((module, *path))} ({value.kind})" for module, path, *values in told for value in values if type(value) is LeftBehind]
