"""`IPython.display` over `display` of the sandbox."""

import json
from pathlib import Path

import _wasmbox_display

__all__ = [
    "Audio", "Code", "DisplayHandle", "DisplayObject", "FileLink", "HTML", "IFrame", "Image", "JSON", "Javascript", "Latex",
    "Markdown", "Math", "Pretty", "SVG", "TextDisplayObject", "Video", "YouTubeVideo", "clear_output", "display",
    "display_html", "display_jpeg", "display_json", "display_latex", "display_markdown", "display_pretty", "display_png",
    "display_svg", "publish_display_data", "set_matplotlib_formats", "update_display",
]


def display(*objects, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, **more):
    """Shows objects in the reply. What was shown stays: `clear` and updates show anew."""
    _wasmbox_display.display(objects, None, raw)
    if display_id is not None:
        handle = DisplayHandle(None if display_id is True else display_id)
        return handle
    return None


def update_display(value, *, display_id, **more):
    display(value, **more)


class DisplayHandle:
    count = 0

    def __init__(self, display_id=None):
        if display_id is None:
            DisplayHandle.count += 1
            display_id = f"display-{DisplayHandle.count}"
        self.display_id = display_id

    def display(self, value, **more):
        display(value, **more)

    update = display


def clear_output(wait=False):
    """What was printed and shown stays in the reply."""


def publish_display_data(data, metadata=None, *, transient=None, **more):
    display(data, raw=True)


def set_matplotlib_formats(*formats, **options):
    """Pictures are PNG."""


class DisplayObject:
    """Something of a type that displays know, given as data or by the name of a file."""

    binary = False
    suffix = ""

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if isinstance(data, Path) or isinstance(data, str) and self.suffix and data.lower().endswith(self.suffix):
            data, filename = None, data
        if url is not None or isinstance(data, str) and data.startswith(("http://", "https://")):
            raise OSError(f"{type(self).__name__} can't fetch {url or data}: there is no network here; give data or the name of a file")
        self.url = None
        self.filename = None if filename is None else str(filename)
        self.metadata = metadata or {}
        self.data = data
        if self.filename is not None:
            self.reload()

    def reload(self):
        self.data = Path(self.filename).read_bytes() if self.binary else Path(self.filename).read_text("utf-8")

    def __repr__(self):
        return f"<IPython.display.{type(self).__name__} object>"


class TextDisplayObject(DisplayObject):
    pass


class HTML(TextDisplayObject):
    def _repr_html_(self):
        return self.data

    __html__ = _repr_html_


class Markdown(TextDisplayObject):
    def _repr_markdown_(self):
        return self.data


class Latex(TextDisplayObject):
    def _repr_latex_(self):
        return self.data

    def _repr_markdown_(self):
        return self._repr_latex_()


class Math(Latex):
    def _repr_latex_(self):
        return f"$\\displaystyle {self.data.strip('$')}$"


class SVG(DisplayObject):
    suffix = ".svg"

    def _repr_svg_(self):
        return self.data.decode() if isinstance(self.data, bytes) else self.data


class Pretty(TextDisplayObject):
    def __repr__(self):
        return self.data


class Code(TextDisplayObject):
    def __init__(self, data=None, url=None, filename=None, language=None):
        self.language = language
        super().__init__(data, url, filename)

    def _repr_markdown_(self):
        return f"```{self.language or ''}\n{self.data}\n```"


class JSON(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **more):
        super().__init__(data, url, filename, metadata)
        if isinstance(self.data, (str, bytes)):
            self.data = json.loads(self.data)

    def _repr_json_(self):
        return self.data


class Image(DisplayObject):
    """A picture: bytes, or the name of a file."""

    binary = True
    suffix = (".png", ".jpg", ".jpeg", ".gif", ".webp")

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, **more):
        super().__init__(data, url, filename, more.get("metadata"))
        self.format, self.width, self.height = format, width, height
        if not isinstance(self.data, (bytes, bytearray)):
            raise ValueError("Image needs the bytes of a picture, or the name of a file")

    def _repr_mimebundle_(self, include=None, exclude=None):
        shown = _wasmbox_display.representation(bytes(self.data))
        mime_type = shown[0] if shown else f"image/{self.format or 'png'}"
        return {mime_type: bytes(self.data)}


class FileLink:
    """The name of a file in the workspace; the reply has a link to each that changed."""

    def __init__(self, path, *more, **options):
        self.path = str(path)

    def __repr__(self):
        return self.path


def unavailable(name, reason):
    def refuse(self, *arguments, **options):
        raise NotImplementedError(f"IPython.display.{name}: {reason}")

    return type(name, (DisplayObject,), {"__init__": refuse})


SOUND = "replies have no sound and no moving pictures; write the data to a file instead"
BROWSER = "there is no browser here"
Audio = unavailable("Audio", SOUND)
Video = unavailable("Video", SOUND)
YouTubeVideo = unavailable("YouTubeVideo", BROWSER)
IFrame = unavailable("IFrame", BROWSER)
Javascript = unavailable("Javascript", BROWSER + '; execute_code with language="javascript" runs JavaScript')


def shower(hook, mime_type):
    def show(*objects, raw=False, **more):
        for value in objects:
            _wasmbox_display.display([value if raw else getattr(value, hook)()], mime_type, False)

    return show


display_html = shower("_repr_html_", "text/html")
display_jpeg = shower("_repr_jpeg_", "image/jpeg")
display_json = shower("_repr_json_", "application/json")
display_latex = shower("_repr_latex_", "text/markdown")
display_markdown = shower("_repr_markdown_", "text/markdown")
display_png = shower("_repr_png_", "image/png")
display_svg = shower("_repr_svg_", "image/svg+xml")


def display_pretty(*objects, raw=False, **more):
    for value in objects:
        print(value if raw else repr(value))
