"""Frameworks that have another process serve, and start it anew where files change: here the one process serves."""

import functools


def change_reloader(module):
    """Of Werkzeug, and so of Flask, and of Django."""

    def run_with_reloader(main_func, *args, **options):
        # Those of Werkzeug are the reloader's own.
        return main_func(*args, **options) if module.__name__.startswith("django.") else main_func()

    module.run_with_reloader = run_with_reloader


def change_uvicorn(module):
    real = module.Config.__init__

    @functools.wraps(real)
    def __init__(self, *args, **options):
        real(self, *args, **options)
        self.reload, self.workers = False, 1

    module.Config.__init__ = __init__
