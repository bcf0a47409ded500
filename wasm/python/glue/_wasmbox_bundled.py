"""Bundled packages that are large: what their zips hold is read when one of them is imported, and not before."""

import sys
from importlib.machinery import PathFinder
from os.path import exists

DIRECTORY = "/usr/lib/python3.13/"
BUNDLED = DIRECTORY + "bundled.zip"
SCIENCE = DIRECTORY + "science.zip"
SCIPY = DIRECTORY + "scipy.zip"
# One of the extension modules that the packages of a zip can't do without; some interpreters have them.
NEEDED = {SCIENCE: "numpy._core._multiarray_umath", SCIPY: "scipy.linalg._flapack"}
HAS_SCIENCE = NEEDED[SCIENCE] in sys.builtin_module_names
# By the zip that they are in: everything that can be imported from it.
ZIPS = {
    DIRECTORY + "mathematics.zip": ("isympy", "mpmath", "networkx", "sympy"),
    SCIENCE: (
        "PIL", "annotated_types", "contourpy", "cramjam", "cycler", "docx", "fastparquet", "fontTools",
        "fsspec", "jiter", "kiwisolver", "lxml", "matplotlib", "mpl_toolkits", "numpy", "orjson", "pandas",
        "pptx", "pydantic", "pydantic_core", "pylab", "pyparsing", "regex", "rpds", "seaborn",
        "typing_inspection",
    ),
    SCIPY: ("joblib", "scipy", "sklearn"),
    DIRECTORY + "more.zip": ("faker", "markdown_it", "mdurl", "pygments", "reportlab", "rich", "sqlalchemy"),
}
# Those that are no packages.
SINGLE = {"isympy", "pylab"}
IMPORTLIB = "/usr/lib/python3.13/importlib/"
IMPORT_SYSTEM = "<frozen importlib", IMPORTLIB, "/usr/lib/python3.13/pkgutil.py"
# Code of others.
LIBRARIES = "/usr/lib/", "/opt/python/"


class Finder:
    """After the finder that goes by sys.path: what a program or an installation has comes first."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None:
            return None
        for zip, names in ZIPS.items():
            if name not in names or zip in sys.path or not exists(zip):
                continue
            if usable(zip):
                place(zip)
                return PathFinder.find_spec(name, [zip])
            if asks_only(sys._getframe(1)):
                spec = PathFinder.find_spec(name, [zip])
                spec.loader = Elsewhere
                return spec
        return None

    @staticmethod
    def iter_modules(prefix=""):
        """For pkgutil: all there are, which sys.path has no place of before they are imported."""
        for zip, names in ZIPS.items():
            if zip not in sys.path and exists(zip):
                for name in names:
                    yield prefix + name, name not in SINGLE

    @staticmethod
    def find_distributions(context):
        """Theirs, for those who ask for all there are, or for one by its name, and not for those of certain places."""
        from importlib.metadata import MetadataPathFinder

        if "path" in vars(context):
            return []
        # Libraries go by it, and then by what they import: a program is told what its session can have.
        own = asking_frame(sys._getframe(1)) is not None
        unlisted = [zip for zip in ZIPS if zip not in sys.path and (usable(zip) or own and exists(zip))]
        return MetadataPathFinder.find_distributions(MetadataPathFinder.Context(name=context.name, path=unlisted))


class Elsewhere:
    """Loads what is in another interpreter, to which a session goes by a statement: it says so."""

    @staticmethod
    def create_module(spec):
        from _wasmbox_imports import advise

        error = ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name)
        advise(error)
        error.args = (error.msg,)
        raise error

    @staticmethod
    def exec_module(module):
        pass


def asking_frame(frame):
    """Whose code asks importlib, or pkgutil, if it is the program's own."""
    while frame is not None and frame.f_code.co_filename.startswith(IMPORT_SYSTEM):
        frame = frame.f_back
    return None if frame is None or frame.f_code.co_filename.startswith(LIBRARIES) else frame


def asks_only(frame):
    """Whether a program asks for a spec, and imports nothing."""
    own = asking_frame(frame)
    while frame is not own:
        if frame.f_code.co_name == "find_spec" and "importlib.util" in frame.f_globals["__name__"]:
            return own is not None
        frame = frame.f_back
    return False


def place(zip):
    """Science's before the usual bundled packages: it has newer ones of some of them."""
    before = sys.path.index(BUNDLED) if zip == SCIENCE and BUNDLED in sys.path else len(sys.path)
    sys.path.insert(before, zip)


def usable(zip):
    return exists(zip) and (zip not in NEEDED or NEEDED[zip] in sys.builtin_module_names)


def install():
    sys.meta_path.append(Finder)
