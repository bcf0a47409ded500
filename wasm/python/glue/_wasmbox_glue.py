"""The Python half of the glue: runs a program in `__main__` and tells how that ended.

The host calls `execute` with JSON and gets JSON. Whatever runs code of the program's own (the program, `repr` of its
result, formatting its exception, flushing a stream it made) does so inside `call_interruptible`; a stop reaches the
program there and nowhere else.
"""

import builtins

# The program may replace what it finds in the real ones. Functions defined from here on look into this copy.
__builtins__ = dict(vars(builtins))

import _wasmbox_network

# What is imported from here on stands on these.
_wasmbox_network.install()

import importlib.machinery
import inspect
import linecache
import os
import random
import sys
from contextlib import nullcontext
from functools import partial
from _json import encode_basestring_ascii as quote, make_scanner
from time import monotonic, time_ns

import _wasmbox_absent
import _wasmbox_asyncio
import _wasmbox_bundled
import _wasmbox_bytecode
import _wasmbox_changes
import _wasmbox_codecs
import _wasmbox_executors
import _wasmbox_hashes
import _wasmbox_imports
import _wasmbox_interactive
import _wasmbox_machine
import _wasmbox_polling
import _wasmbox_descriptors
import _wasmbox_processes
import _wasmbox_processor_time
import _wasmbox_results
import _wasmbox_scheduler
import _wasmbox_servers
import _wasmbox_signals
import _wasmbox_sources
import _wasmbox_streams
import _wasmbox_threads
import _wasmbox_zone
from _wasmbox import call_interruptible, compile_program, evaluate, hold_reserve
from _wasmbox_commands import initial_environment
from _wasmbox_failures import ending, forget_figures
from _wasmbox_handler import call_handler
from _wasmbox_own_modules import make_room_for_imports
from _wasmbox_repr import bounded_repr
from _wasmbox_standard_streams import ERRORS, flush, restore_streams
from _wasmbox_suspension import Suspended, abandon, after_command, begin
from _wasmbox_traceback import type_name

# A program may replace the modules'.
seed, urandom = random.seed, os.urandom
# The state of a Mersenne Twister.
SEED_BYTES = 624 * 4
modules = sys.modules
# No identifier: out of the program's way.
RESULT = " result"
# How a pickle begins.
PICKLE = b"\x80"
# After the program's own modules and the standard library: what the session installed, and what is bundled with all.
PACKAGES = [
    "/opt/python/lib/python3.13/site-packages",
    "/usr/lib/python3.13/bundled.zip",
    "/usr/lib/python3.13/tzdata.zip",
]
# Many look for files beside their own, some read themselves; where nothing stands there, the host shows them their text.
FILE = "/app/__main__.py"
# Types whose repr says all.
PLAIN = {type(None), bool, int, float, str, bytes, dict, tuple, set}
# Attributes of types that have more to show.
RICH = (
    "_repr_mimebundle_",
    "_repr_png_",
    "_repr_jpeg_",
    "_repr_svg_",
    "_repr_markdown_",
    "_repr_html_",
    "_repr_json_",
    "itertuples",
    "iter_rows",
)
# Source text kept for tracebacks and inspect.getsource, characters.
HISTORY_LIMIT = 2 * 1024 * 1024

namespace = sys.modules["__main__"].__dict__
history = {}
history_size = 0
# Whether the present program came to run.
compiled = False
# What the next one is told of names that have lost what they stood for.
lost = ""


class JsonSyntax:
    """What the scanner of the json module needs to know; the module itself is open to the program."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo = {}


scan = make_scanner(JsonSyntax)


def execute(request):
    """Serves one request: `{environ}` starts a fresh heap, `{code, filename, resultLimit, call, stays}` runs a program,
    and `{output, …}` lets one go on that waited for a command. `{leaving}` packs what the session has made,
    `{taken}` tells the descriptors of open files in that; such a pack is unpacked."""
    if request.startswith(PICKLE):
        return take_in(request)
    request, _ = scan(request.decode(), 0)
    if "leaving" in request:
        return pack()
    if "taken" in request:
        from _wasmbox_leftovers import taken

        return repr(sorted(taken)).encode()
    if "environ" in request:
        start(request["environ"])
        return b"{}"
    if "output" in request:
        filename, *work = after_command(**request)
        forget_directories()
        return answer_of(filename, *work).encode()
    _wasmbox_imports.stays = request.get("stays")
    if request.get("reseed"):
        reseed()
    return run(request["code"], request["filename"], request["resultLimit"], request.get("call")).encode()


def start(environ):
    """What an image can't hold: a session's environment, and randomness that differs from its siblings'."""
    os.environ.clear()
    os.environ.update(environ)
    if _wasmbox_bundled.HAS_SCIENCE:
        os.environ.setdefault("MPLBACKEND", "module://_wasmbox_figures")
    initial_environment.update(os.environ)
    if "logging" in sys.modules:
        # Records tell how long it has been imported.
        sys.modules["logging"]._startTime = time_ns()
    reseed()


def reseed():
    """Random numbers that those who started from the same heap don't draw."""
    seed()
    if "numpy.random" in sys.modules:
        # By itself it makes ints, whose sizes are random too, and with them what a program finds free, and uses of fuel.
        sys.modules["numpy.random"].seed(sys.modules["numpy"].frombuffer(urandom(SEED_BYTES), "uint32"))


def pack():
    """What the session has made, for another interpreter; or why it can't go there."""
    import _wasmbox_moving

    try:
        return call_interruptible(_wasmbox_moving.depart, list(history))
    except BaseException as error:
        return staying(error)


def take_in(data):
    """Lets the session go on here with what it has packed elsewhere."""
    global lost
    import _wasmbox_moving

    try:
        sources, lost = call_interruptible(_wasmbox_moving.arrive, data)
        for filename, source in sources.items():
            remember(filename, source)
        return b"{}"
    except BaseException as error:
        return staying(error)


def staying(error):
    """The answer where a session can't leave, or what it has packed can't be unpacked."""
    try:
        reason = call_interruptible(reason_of, error)
    except BaseException:
        # Interrupted, out of memory, or an exception that defends itself.
        reason = type_name(error)
    return ('{"stays":%s}' % quote(reason)).encode()


def reason_of(error):
    from _wasmbox_moving import Stays

    return str(error) if type(error) is Stays else f"{type_name(error)}: {error}"[:300]


def run(source, filename, result_limit, call):
    """`call`: how to call the program's handler after it has run; None for no such call."""
    global compiled, lost
    compiled = False
    restore_streams()
    if lost:
        sys.stderr.write(lost)
        lost = ""
    forget_directories()
    remember(filename, source)
    namespace.pop(RESULT, None)
    # Python warns once for each line; a program's lines are not those of the one before.
    namespace.pop("__warningregistry__", None)
    abandon()
    ran_over()
    _wasmbox_asyncio.forget_loop()
    return answer_of(filename, run_program, source, filename, result_limit, call)


def answer_of(filename, *work):
    """What a part of a program comes to."""
    try:
        _wasmbox_scheduler.begin_call()
        said = call_interruptible(with_threads, *work)
        answer = '{"status":"completed","result":%s,"returned":%s}' % tuple(map(quote_or_null, said))
    except Suspended as waiting:
        answer = waiting.answer
    except BaseException as error:
        answer = ending(error, filename, compiled)
        forget_figures()
    try:
        call_interruptible(flush)
    except BaseException:
        # Interrupted, or out of memory. What the program printed has been said as far as it went.
        pass
    if not answer.startswith('{"status":"waiting"') and ran_over():
        answer = answer[:-1] + ',"ranOver":true}'
    return answer


def ran_over():
    """Whether integers of 32 bits have, since this was asked last. Warnings of it may be silenced."""
    overflow = modules.get("numpy._core._overflow")
    take = vars(overflow).get("take") if type(overflow) is type(sys) else None
    # Nothing of the program's own, should it have put that there.
    return take() is True if type(take) is type(len) and take.__self__ is overflow else False


def with_threads(work, *arguments):
    """Runs a part of a program and, whatever becomes of it, the threads that it started."""
    last_thread = _wasmbox_scheduler.last_ident
    try:
        said = work(*arguments)
    except KeyboardInterrupt:
        _wasmbox_scheduler.drop_threads(last_thread)
        raise
    except Suspended:
        raise  # it goes on, and so do they
    except BaseException:
        _wasmbox_scheduler.finish_call()
        raise
    _wasmbox_scheduler.finish_call()
    return said


def run_program(source, filename, result_limit, call):
    """The repr of the program's last expression, and JSON of what its handler returned; each None if there is none."""
    global compiled
    began = monotonic()
    earlier = namespace.get("handler")
    code, notebook = compile_source(source, filename)
    compiled = True
    make_room_for_imports(code)
    hold_reserve()
    if notebook is not None:
        return begin(filename, steps_of(code, notebook, partial(conclude, result_limit, call, began, earlier)))
    value = evaluate(code, namespace)
    if code.co_flags & inspect.CO_COROUTINE:
        _wasmbox_asyncio.run_top_level(value)
    return conclude(result_limit, call, began, earlier)


def compile_source(source, filename):
    """The program's code, and how it was rewritten if it is none of Python's."""
    try:
        return compile_program(source, filename, RESULT), None
    except SyntaxError as error:
        invalid = error
    import _wasmbox_notebook

    notebook = _wasmbox_notebook.rewrite(source, filename)
    if notebook is None:
        raise invalid
    try:
        code = compile_program(notebook.text, filename, RESULT)
        notebook.check(lambda text: compile_program(text, filename, RESULT))
        return code, notebook
    except SyntaxError as error:
        invalid = notebook.explain(error)
    raise invalid


def steps_of(code, notebook, conclude):
    """Runs a program that was rewritten; yields each command that it waits for."""
    with notebook.scope or nullcontext():
        value = evaluate(code, namespace)
        if notebook.has_commands:
            yield from value.__await__()
        elif code.co_flags & inspect.CO_COROUTINE:
            _wasmbox_asyncio.run_top_level(value)
    if getattr(notebook.scope, "hides_result", False):
        namespace.pop(RESULT, None)
    return conclude()


def conclude(result_limit, call, began, earlier):
    """What is said of a program that has run."""
    value = namespace.pop(RESULT, None)
    result = None
    if value is not None:
        result = text_of(value, result_limit)
        _wasmbox_results.remember(value, namespace)
    if has_more_to_show(value):
        import _wasmbox_display

        _wasmbox_display.show_result(value)
    if "matplotlib.pyplot" in sys.modules:
        import _wasmbox_figures

        _wasmbox_figures.show_open()
    handler = namespace.get("handler")
    if call is None or not call["required"] and (handler is earlier or not callable(handler)):
        return result, None
    return result, call_handler(handler, call, began, scan)


def text_of(value, limit):
    """Its repr, unless somebody has said how objects of its type are to be shown."""
    formatters = sys.modules.get("_wasmbox_formatters")
    text = formatters and formatters.plain_text(value)
    return bounded_repr(value, limit) if text is None else text[: limit + 1]


def has_more_to_show(value):
    """Whether a value may have a better form than its repr. Cheap: it is asked of every result."""
    kind = type(value)
    if kind is list:
        return len(value) > 0 and type(value[0]) is dict
    if "_wasmbox_formatters" in sys.modules:
        return True
    return kind not in PLAIN and any(hasattr(kind, name) for name in RICH)


def quote_or_null(text):
    return "null" if text is None else quote(text)


def forget_directories():
    """Another language, or the host, may have written modules within the resolution of a directory's time stamp, or
    made a directory of the path that was not there."""
    for path, finder in list(sys.path_importer_cache.items()):
        if finder is None:
            del sys.path_importer_cache[path]
        elif type(finder) is importlib.machinery.FileFinder:
            finder.invalidate_caches()


def remember(filename, source):
    """Gives tracebacks the program's lines, and forgets those of the oldest programs."""
    global history_size
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    history_size += len(source) - history.pop(filename, 0)
    history[filename] = len(source)
    while history_size > HISTORY_LIMIT and len(history) > 1:
        oldest = next(iter(history))
        history_size -= history.pop(oldest)
        linecache.cache.pop(oldest, None)


def install():
    """Runs once, while the base image is made."""
    _wasmbox_absent.install()
    _wasmbox_hashes.install()
    _wasmbox_sources.install()
    _wasmbox_zone.install()
    _wasmbox_threads.install()
    _wasmbox_descriptors.install()
    _wasmbox_processes.install()
    _wasmbox_processor_time.install()
    _wasmbox_executors.install()
    _wasmbox_asyncio.install()
    _wasmbox_changes.install()
    _wasmbox_codecs.install()
    _wasmbox_servers.install()
    _wasmbox_streams.install()
    _wasmbox_signals.install()
    _wasmbox_interactive.install()
    _wasmbox_machine.install()
    _wasmbox_polling.install()
    _wasmbox_bundled.install()
    _wasmbox_bytecode.install()
    _wasmbox_imports.install()
    sys.path += PACKAGES
    sys.stdout.reconfigure(line_buffering=True, errors=ERRORS["stdout"])
    os.chdir("/app")
    namespace["__file__"] = FILE
    sys.argv = [FILE]


install()
