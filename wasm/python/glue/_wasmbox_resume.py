"""Threads that leave the stack where they wait, and come back there.

One stack serves all threads. A thread that waits on top of another one would keep that from going on; so it is taken
off by an exception, and later called anew: a trace function puts the variables back and jumps to the line that waits.
That is possible where leaving and repeating have no effects of their own: `resume_points` tells.
"""

import contextvars
import dis
import functools
import inspect
import sys
from types import CellType, FunctionType, MethodType

# What a line may do before the call that waits: it is done again.
PLAIN_LOADS = {
    "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST", "LOAD_NAME",
}
TAKES_TWO = {"BINARY_OP", "COMPARE_OP"}
STACK_KEPT = {"EXTENDED_ARG", "NOP", "RESUME"}
REPEATABLE = PLAIN_LOADS | TAKES_TWO | STACK_KEPT | {"LOAD_ATTR", "LOAD_GLOBAL", "PUSH_NULL", "BUILD_TUPLE"}
CATCH_ALL = {"BaseException", "object"}
REFUSED_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

# (code, offset of a call): the name of what is called there if a frame can come back to it.
known = {}
KNOWN_LIMIT = 1000


class Point:
    """A frame that was taken off the stack."""

    __slots__ = ("code", "line", "variables")

    def __init__(self, frame):
        self.code = frame.f_code
        self.line = frame.f_lineno
        # Its own ones: those of enclosing functions are where they were, and may change meanwhile.
        self.variables = {name: frame.f_locals[name] for name in frame.f_code.co_varnames if name in frame.f_locals}


def resume_points(waits, entry):
    """The frames between the code that a thread began with, `entry`, and the frame of the function that waits; None if
    they can't come back."""
    points = []
    callee = waits.f_code
    frame = waits.f_back
    while not frame.f_globals.get("__name__", "").startswith("_wasmbox"):
        if not can_come_back(frame, callee.co_name):
            return None
        points.append(Point(frame))
        callee = frame.f_code
        frame = frame.f_back
    points.reverse()
    return points if callee is entry else None


def entry_code(function, args=()):
    """The code of the function that a call begins with; None if something else calls it."""
    while True:
        if isinstance(function, functools.partial):
            function, args = function.func, function.args + args
        elif isinstance(function, MethodType):
            function = function.__func__
        elif isinstance(getattr(function, "__self__", None), contextvars.Context) and args:
            function, args = args[0], args[1:]
        elif isinstance(function, FunctionType):
            return function.__code__
        else:
            call = getattr(type(function), "__call__", None)
            return call.__code__ if isinstance(call, FunctionType) else None


def can_come_back(frame, callee):
    code = frame.f_code
    if code.co_flags & REFUSED_FLAGS or code.co_cellvars or not code.co_flags & inspect.CO_OPTIMIZED:
        return False
    arguments = code.co_argcount + code.co_kwonlyargcount
    if any(name not in frame.f_locals for name in code.co_varnames[:arguments]):
        return False
    key = code, frame.f_lasti
    if key not in known:
        if len(known) > KNOWN_LIMIT:
            known.clear()
        called = repeatable_call(code, frame.f_lasti)
        able = called and leaves(code, frame.f_lasti) and lands(code, frame.f_lineno)
        known[key] = called if able else None
    return known[key] == callee


def repeatable_call(code, offset):
    """The name of what the call at `offset` calls, if its line does nothing before that must not be done twice."""
    # None: the line has done such a thing.
    stack = []
    for instruction in dis.get_instructions(code):
        name, argument = instruction.opname, instruction.arg
        if instruction.starts_line:
            stack = []
        if instruction.offset == offset:
            above = {"CALL": 2, "CALL_KW": 3}.get(name)
            return stack[-argument - above] if stack and above and len(stack) >= argument + above else None
        stack = pushed(stack, name, argument, instruction.argval)
    return None


def pushed(stack, name, argument, value):
    """What a line has on the stack after an instruction: names, where there are."""
    if stack is None or name not in REPEATABLE:
        return None
    if name == "LOAD_ATTR":
        return stack[:-1] + [value] + [None] * (argument & 1)
    if name == "LOAD_GLOBAL":
        return stack + [value] + [None] * (argument & 1)
    if name == "LOAD_FAST_LOAD_FAST":
        return stack + list(value)
    if name in PLAIN_LOADS or name == "PUSH_NULL":
        return stack + [value]
    if name in TAKES_TWO or name == "BUILD_TUPLE":
        return stack[: len(stack) - (argument if name == "BUILD_TUPLE" else 2)] + [None]
    return stack


def leaves(code, offset):
    """Whether an exception that is no Exception leaves a frame at `offset` without anything being run for it: there
    may be `except` clauses for others; there may be no `with`, no `finally`, nothing that is being handled."""
    handlers = dis._parse_exception_table(code)
    instructions = {instruction.offset: instruction for instruction in dis.get_instructions(code)}
    offsets = sorted(instructions)

    def following(at):
        return (instructions[each] for each in offsets if each >= at)

    first = True
    while True:
        entry = next((each for each in handlers if each.start <= offset < each.end), None)
        if entry is None:
            return True
        if first and entry.depth != 0:
            return False
        first = False
        offset = raised_again_at(following, entry.target)
        if offset is None:
            return False


def raised_again_at(following, target):
    """Where a handler raises again what none of its clauses names; None if it does more."""
    begin = [instruction for _, instruction in zip(range(3), following(target))]
    names = [instruction.opname for instruction in begin]
    if names == ["COPY", "POP_EXCEPT", "RERAISE"]:
        return begin[2].offset
    if names[0] != "PUSH_EXC_INFO":
        return None
    target = begin[1].offset
    while True:
        clause = clause_end(following, target)
        if clause is None or clause.opname == "RERAISE":
            return clause and clause.offset
        target = clause.jump_target


def clause_end(following, target):
    """What follows the test of an `except` clause: a jump to the next one, or the end of all."""
    for instruction in following(target):
        name = instruction.opname
        if name in ("POP_JUMP_IF_FALSE", "RERAISE"):
            return instruction
        if name not in REPEATABLE and name != "CHECK_EXC_MATCH" or instruction.argval in CATCH_ALL:
            return None
    return None


class Landed(BaseException):
    pass


def lands(code, line):
    """Whether a jump from a function's start to the line is possible: tries that, and runs nothing of it."""

    def on_line(frame, event, argument):
        if event != "line":
            return on_line
        go_to(frame, line, {})
        raise Landed

    def on_call(frame, event, argument):
        return on_line if frame.f_code is code else None

    cells = tuple(CellType() for _ in code.co_freevars)
    positional = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    trial = FunctionType(code, {}, closure=cells)
    previous = sys.gettrace()
    sys.settrace(on_call)
    try:
        trial(*(None for _ in positional), **dict.fromkeys(named))
    except Landed:
        return True
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
    finally:
        sys.settrace(previous)
    return False


def go_to(frame, line, variables):
    """A jump binds what is unbound to None, with a warning."""
    frame.f_locals.update({**dict.fromkeys(frame.f_code.co_varnames), **variables})
    if frame.f_lineno != line:
        frame.f_lineno = line


def resume(body, points):
    """Calls `body` again, and puts its frames back to where they were."""
    previous = sys.gettrace()
    remaining = list(reversed(points))

    def on_call(frame, event, argument):
        return on_line if remaining and frame.f_code is remaining[-1].code else None

    def on_line(frame, event, argument):
        if event != "line":
            return on_line
        point = remaining.pop()
        go_to(frame, point.line, point.variables)
        frame.f_trace = None
        if not remaining:
            sys.settrace(previous)
        return None

    sys.settrace(on_call)
    try:
        return body()
    finally:
        sys.settrace(previous)
