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
    SCIPY: ("scipy",),
    DIRECTORY + "more.zip": ("faker", "markdown_it", "mdurl", "pygments", "reportlab", "rich", "sqlalchemy"),
}


class Finder:
    """After the finder that goes by sys.path: what a program or an installation has comes first."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None:
            return None
        for zip, names in ZIPS.items():
            if name in names and zip not in sys.path and usable(zip):
                place(zip)
                return PathFinder.find_spec(name, [zip])
        return None

    @staticmethod
    def find_distributions(context):
        """Theirs, for those who ask for all there are, or for one by its name, and not for those of certain places."""
        from importlib.metadata import MetadataPathFinder

        if "path" in vars(context):
            return []
        unlisted = [zip for zip in ZIPS if zip not in sys.path and usable(zip)]
        return MetadataPathFinder.find_distributions(MetadataPathFinder.Context(name=context.name, path=unlisted))


def place(zip):
    """Science's before the usual bundled packages: it has newer ones of some of them."""
    before = sys.path.index(BUNDLED) if zip == SCIENCE and BUNDLED in sys.path else len(sys.path)
    sys.path.insert(before, zip)


def usable(zip):
    return exists(zip) and (zip not in NEEDED or NEEDED[zip] in sys.builtin_module_names)


def install():
    sys.meta_path.append(Finder)
