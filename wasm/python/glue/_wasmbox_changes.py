"""Modules that are changed when they have been imported."""

from importlib import import_module
from importlib.machinery import PathFinder
import sys

CHANGES = {
    "anyio.from_thread": ("_wasmbox_anyio", "change_from_thread"),
    "anyio.to_thread": ("_wasmbox_anyio", "change_to_thread"),
    "coverage.core": ("_wasmbox_coverage", "change_core"),
    "coverage.execfile": ("_wasmbox_coverage", "change_execfile"),
    "coverage.inorout": ("_wasmbox_coverage", "change_in_or_out"),
    "ctypes": ("_wasmbox_capsules", "change_ctypes"),
    "django.utils.autoreload": ("_wasmbox_reloaders", "change_reloader"),
    "dotenv.main": ("_wasmbox_dotenv", "change_main"),
    "http.server": ("_wasmbox_servers", "change_http"),
    "importlib.resources._common": ("_wasmbox_sources", "change_resources"),
    "pandas.io.parquet": ("_wasmbox_parquet", "change_pandas"),
    "plotly.io._renderers": ("_wasmbox_ipython", "change_plotly"),
    "uvicorn.config": ("_wasmbox_reloaders", "change_uvicorn"),
    "werkzeug._reloader": ("_wasmbox_reloaders", "change_reloader"),
}


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        change = CHANGES.get(name)
        spec = PathFinder.find_spec(name, path) if change else None
        if spec is not None:
            spec.loader = Loader(spec.loader, *change)
        return spec


class Loader:
    """The real one may be the one of other modules, too: it stays as it is."""

    def __init__(self, real, where, function):
        self.real, self.where, self.function = real, where, function

    def __getattr__(self, name):
        """What `python3 -m` and importlib.resources ask of one."""
        return getattr(self.real, name)

    def create_module(self, spec):
        return self.real.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.real
        self.real.exec_module(module)
        getattr(import_module(self.where), self.function)(module)


def install():
    sys.meta_path.insert(0, Finder)
