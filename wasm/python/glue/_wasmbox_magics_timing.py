"""%time and %timeit, and how durations are written."""

import ast
import gc
import timeit as library
from statistics import fmean, pstdev

# How long a run of %timeit takes at least decides how often it goes through its loop.
REPEAT = 7


def duration(seconds):
    """As notebooks write it: three digits and the unit that fits."""
    if seconds >= 60:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}min {rest}s"
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def time_line(text, scope, main, timer):
    """Runs a statement; the value if it is an expression."""
    tree = ast.parse(text, "<time>")
    last = tree.body[-1] if tree.body else None
    value = None
    with timer:
        if isinstance(last, ast.Expr):
            tree.body.pop()
            exec(compile(tree, "<time>", "exec"), main, scope)
            value = eval(compile(ast.Expression(last.value), "<time>", "eval"), main, scope)
        else:
            exec(compile(tree, "<time>", "exec"), main, scope)
    return value


def timeit(text, body, scope, main):
    """`text`: options and a statement, or options and what is done before `body`."""
    number, repeat, quiet, returned, text = options(text)
    setup, statement = (text or "pass", body) if body else ("pass", text)
    variables = main if scope is main else {**main, **scope}
    timer = library.Timer(statement, setup, globals=variables)
    if number == 0:
        number = timer.autorange()[0]
    collects = gc.isenabled()
    times = [time / number for time in timer.repeat(repeat, number)]
    if collects:
        gc.enable()
    result = Result(times, number)
    if not quiet:
        print(result)
    return result if returned else None


def options(text):
    number, repeat, quiet, returned = 0, REPEAT, False, False
    words = text.split(None, 1)
    while words and words[0].startswith("-"):
        option, text = words[0], words[1] if len(words) > 1 else ""
        if option in ("-q", "-o", "-c", "-t"):
            quiet, returned = quiet or option == "-q", returned or option == "-o"
        elif option[:2] in ("-n", "-r", "-p"):
            digits = option[2:]
            if not digits:
                digits, _, text = text.partition(" ")
            if option[1] == "n":
                number = int(digits)
            elif option[1] == "r":
                repeat = int(digits)
        else:
            raise ValueError(f"%timeit knows the options -n, -r, -q and -o, not {option}")
        words = text.split(None, 1)
    return number, repeat, quiet, returned, text.strip("\n")


class Result:
    """What %timeit -o gives."""

    def __init__(self, times, loops):
        self.timings = self.all_runs = times
        self.loops = loops
        self.repeat = len(times)
        self.best, self.worst = min(times), max(times)
        self.average, self.stdev = fmean(times), pstdev(times)

    def __str__(self):
        runs = f"{self.repeat} run{'s' if self.repeat != 1 else ''}, {self.loops:,} loop{'s' if self.loops != 1 else ''} each"
        return f"{duration(self.average)} ± {duration(self.stdev)} per loop (mean ± std. dev. of {runs})"

    def __repr__(self):
        return f"<TimeitResult : {self}>"
