"""The backend of matplotlib: figures are displayed when a program shows them, or leaves them open at its end.

As in notebooks, what was shown is closed for pyplot: the next program starts with a figure of its own. Who keeps a
figure can go on with it, and who saves one after it was shown, and has begun no other, has what was shown.
"""

import gc
import math
import sys
from weakref import WeakSet

from matplotlib import pyplot
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.registry import BackendFilter, backend_registry
from matplotlib.figure import Figure

import _wasmbox_charts
import _wasmbox_display

# For screens of twice the density, as long as the picture has no more pixels a side than a model looks at.
SCALE = 2
MAX_PIXELS = 1600
# Of one picture: a reply has room for some. A chart is well drawn in less.
MAX_BYTES = 300_000
CHART_BYTES = 60_000

# Closed figures are cycles of a few hundred objects, and megabytes: by their objects the collector would come to them when there
# are sixty.
FIGURES_PER_COLLECTION = 4

# Figures that the present program has had displayed, and that are still open.
displayed = WeakSet()
# What pyplot has closed last because it was shown.
closed = None
# How many have been closed.
let_go = 0


def png(figure):
    """A figure as PNG, of a size that a reply has room for."""
    scale = min(SCALE, MAX_PIXELS / max(figure.get_size_inches() * figure.dpi))
    while True:
        picture, is_chart = _wasmbox_charts.png(figure, scale)
        room = CHART_BYTES if is_chart and scale > 1 else MAX_BYTES
        if len(picture) <= room or scale < 0.5:
            return picture
        smaller = scale * min(0.8, math.sqrt(room / len(picture)))
        scale = max(1, smaller) if scale > 1 else smaller


def show_as_value(figure):
    displayed.add(figure)
    return png(figure)


def show_open():
    """Displays and closes the figures that are open."""
    global closed
    current = Gcf.get_active()
    try:
        for manager in Gcf.get_all_fig_managers():
            if manager.canvas.figure not in displayed:
                display(manager.canvas.figure)
    finally:
        if current is not None:
            closed = current.canvas.figure
        close_open()


def display(figure):
    """Unless there is nothing in it. It is drawn only now, with whatever is wrong in it."""
    if not (figure.axes or figure.texts or figure.images or figure.lines):
        return
    try:
        _wasmbox_display.send("image/png", png(figure), "display")
    except Exception as error:
        print(f"display: a figure raised {type(error).__name__}: {error}", file=sys.stderr)


def close_open():
    displayed.clear()
    Gcf.destroy_all()


def forget():
    """Of a program that has failed: what it has left open, and what it has shown."""
    global closed
    closed = None
    close_open()


def save(*args, **kwargs):
    """Of pyplot. A file with nothing in it is what nobody wants who has just seen a picture."""
    if closed is None or Gcf.figs:
        return save_current(*args, **kwargs)
    return closed.savefig(*args, **kwargs)


class FigureManager(FigureManagerBase):
    def show(self):
        _wasmbox_display.send("image/png", png(self.canvas.figure), "display")
        displayed.add(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *, block=None):
        show_open()


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def show_of_files(manager):
    """Of backends that only draw files: with them, figures that were shown stay open, and are shown again if they change."""
    figure = manager.canvas.figure
    if figure not in displayed or figure.stale:
        display(figure)
        displayed.add(figure)
        figure.stale = False


def destroy(manager):
    global let_go
    let_go += 1
    if let_go % FIGURES_PER_COLLECTION == 0:
        gc.collect()


def load_backend(backend):
    """Of backends with windows, which scripts ask for by name, there is none: theirs are shown as all figures are."""
    return load(f"module://{__name__}" if backend.lower() in WINDOWS else backend)


load = backend_registry.load_backend_module
WINDOWS = {name.lower() for name in backend_registry.list_builtin(BackendFilter.INTERACTIVE)}
backend_registry.load_backend_module = load_backend
FigureManagerBase.show, FigureManagerBase.destroy = show_of_files, destroy
save_current, pyplot.savefig = pyplot.savefig, save
Figure._repr_png_ = show_as_value
_wasmbox_charts.apply()
