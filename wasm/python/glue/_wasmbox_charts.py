"""How matplotlib's charts look: thin lines behind the data, colours that don't shout, and, while a figure is shown, room for
what stands around the axes.

The style is what matplotlib starts with; a program that sets its own has its own. What is mended while a figure is shown is
as it was afterwards: files that a program saves are as it made them.
"""

import math
import warnings
from contextlib import contextmanager
from io import BytesIO

import matplotlib
from matplotlib.axes import Axes
from matplotlib.layout_engine import TightLayoutEngine

STRONG = "#111827"
TEXT = "#374151"
FRAME = "#6b7280"
FAINT = "#e5e7eb"
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": FRAME,
    "axes.grid": True,
    "axes.labelcolor": TEXT,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": STRONG,
    "axes.titlepad": 10,
    "axes.titleweight": "bold",
    "grid.color": FAINT,
    "grid.linestyle": "-",
    "grid.linewidth": 0.7,
    "legend.edgecolor": FAINT,
    "legend.fancybox": False,
    "legend.framealpha": 0.9,
    "xtick.color": FRAME,
    "xtick.labelcolor": TEXT,
    "ytick.color": FRAME,
    "ytick.labelcolor": TEXT,
}
OUTER = ("left", "right", "bottom", "top", "wspace", "hspace")

# Degrees of labels that would run into each other, and the pixels between those that don't.
TURNED = 40
GAP = 4

# As many colours are kept as a palette has, unless the mean difference is one that could be seen. What has more shades than
# edges of lines come to is no plain chart.
PALETTE = 256
MAX_DIFFERENCE = 1
MAX_SHADES = 8192

add_image = Axes.add_image
make_twin = Axes._make_twin_axes


def apply():
    """Makes the style that of figures to come, and what `rc_file_defaults` goes back to."""
    matplotlib.rcParams.update(STYLE)
    matplotlib.rcParamsOrig.update(STYLE)
    Axes.add_image = add_image_without_grid
    Axes._make_twin_axes = make_twin_without_grid


def add_image_without_grid(axes, image):
    """A grid is drawn above images: only who asks for it after them has both."""
    if is_own_grid():
        axes.grid(False)
        for side in ("top", "right"):
            axes.spines[side].set_visible(True)
    return add_image(axes, image)


def make_twin_without_grid(axes, *args, **kwargs):
    """Two scales have one grid, and each of them its side."""
    twin = make_twin(axes, *args, **kwargs)
    if is_own_grid():
        twin.grid(False)
        twin.spines["right" if "sharex" in kwargs else "top"].set_visible(True)
    return twin


def is_own_grid():
    return matplotlib.rcParams["axes.grid"] and matplotlib.rcParams["grid.color"] == FAINT


@contextmanager
def with_room(figure):
    """Labels that would run into each other are turned, subplots get the room that their titles take."""
    undo = []
    try:
        with warnings.catch_warnings():
            # They come when the figure is drawn.
            warnings.simplefilter("ignore")
            figure.draw_without_rendering()
            for axes in figure.axes:
                if axes.name == "rectilinear" and axes.axison and axes.get_visible():
                    turn_labels(axes, undo)
            spread_subplots(figure, undo)
    except Exception:
        # What is wrong with it is told by drawing it.
        pass
    try:
        yield
    finally:
        for step in reversed(undo):
            step()


def turn_labels(axes, undo):
    labels = [label for label in axes.get_xticklabels() if label.get_visible() and label.get_text()]
    labels.sort(key=lambda label: label.get_window_extent().x0)
    if len(labels) < 2 or any(label.get_rotation() for label in labels):
        return
    boxes = [label.get_window_extent() for label in labels]
    if all(left.x1 + GAP <= right.x0 for left, right in zip(boxes, boxes[1:])):
        return
    room = (boxes[-1].x0 + boxes[-1].x1 - boxes[0].x0 - boxes[0].x1) / 2 / (len(labels) - 1)
    taken = max(box.height for box in boxes) / math.sin(math.radians(TURNED))
    every = max(1, math.ceil(taken / max(room, 0.01)))
    top = axes.xaxis.get_label_position() == "top"
    for index, label in enumerate(labels):
        before = {
            "rotation": label.get_rotation(),
            "horizontalalignment": label.get_horizontalalignment(),
            "rotation_mode": label.get_rotation_mode(),
            "visible": True,
        }
        undo.append(lambda label=label, before=before: label.set(**before))
        side = "left" if top else "right"
        label.set(
            rotation=TURNED,
            horizontalalignment=side,
            rotation_mode="anchor",
            visible=index % every == 0,
        )


def spread_subplots(figure, undo):
    """Those whose places nobody has chosen."""
    alone = len({id(axes.get_subplotspec()) for axes in figure.axes}) < 2
    if alone or figure.subfigs or figure.get_layout_engine() is not None:
        return
    if any(axes.get_subplotspec() is None for axes in figure.axes):
        return
    places = {name: getattr(figure.subplotpars, name) for name in OUTER}
    if any(matplotlib.rcParams[f"figure.subplot.{name}"] != place for name, place in places.items()):
        return
    undo.append(lambda: figure.subplots_adjust(**places))
    TightLayoutEngine().execute(figure)


def png(figure, scale):
    """A figure as PNG, and whether it is a plain chart."""
    buffer = BytesIO()
    with with_room(figure):
        figure.savefig(buffer, format="png", dpi=figure.dpi * scale, bbox_inches="tight")
    return smaller(buffer)


def smaller(buffer):
    """The same with a palette, where nobody would see it."""
    from PIL import Image, ImageChops, ImageStat

    buffer.seek(0)
    picture = Image.open(buffer)
    if picture.mode == "RGBA" and picture.getextrema()[3][0] < 255:
        return buffer.getvalue(), False
    picture = picture.convert("RGB")
    reduced = picture.quantize(PALETTE, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    difference = ImageStat.Stat(ImageChops.difference(picture, reduced.convert("RGB"))).mean
    if max(difference) > MAX_DIFFERENCE:
        return buffer.getvalue(), False
    packed = BytesIO()
    reduced.save(packed, "png", optimize=True)
    return min(packed.getvalue(), buffer.getvalue(), key=len), picture.getcolors(MAX_SHADES) is not None
