"""Programs as data: compiling and executing source, syntax trees, tokens, imports, introspection, tracebacks, output."""

import ast
import contextlib
import dis
import importlib
import inspect
import io
import sys
import tokenize
import traceback
import types

SOURCE = '''
"""A module as people write them."""
from __future__ import annotations
import math, os.path as path
from collections import defaultdict

LIMIT: int = 10_000
TABLE = {"a": 1, "b": [1, 2.5, None, True, "text", b"bytes", (3, 4), {5, 6}], **{"c": f"{LIMIT!r:>10} {1 + 2}"}}


class Account(object, metaclass=type):
    """Keeps money."""
    rate = 0.5

    def __init__(self, owner: str, *parts, balance=0, **more):
        self.owner, self.balance = owner, balance
        self.parts = [p * 2 for p in parts if p] or list(more.values())

    @property
    def rich(self) -> bool:
        return not self.balance < LIMIT and self.owner is not None

    async def wait(self):
        async with self as other:
            async for item in other:
                yield await item


def work(values, /, start=0, *, key=lambda x: -x):
    total, seen = start, defaultdict(int)
    for index, value in enumerate(values):
        if value % 2 == 0 and index != 3:
            total += value ** 2
        elif (half := value // 2) > 1:
            total -= half
            continue
        else:
            seen[value] |= 1 << index & 0xFF
        while total > LIMIT:
            total /= 2
            if total < 1: break
    try:
        with open(path.join("/", "missing")) as file:
            print(file.read())
    except (OSError, ValueError) as error:
        raise RuntimeError("no file") from error if total < 0 else None
    finally:
        del seen
    match values:
        case [1, 2, *rest] if rest:
            return {k: v for k, v in zip(rest, rest[::-1])}
        case {"x": x} | {"y": x}:
            return x
        case _:
            pass
    assert total is not Ellipsis, "always"
    return sorted(values, key=key)[:-1]


def change(value):
    global LIMIT
    LIMIT = value
    del value
'''

RUN = """
def area(w, h):
    return w * h
results = [area(i, i + 1) for i in range(30)]
print("total", sum(results), max(results))
class T:
    def m(self): return self.x
t = T(); t.x = 5
print(f"{t.m():>5}|{results[:3]}")
t.x
"""


def compiling():
    tree = ast.parse(SOURCE)
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    compile(tree, "<tree>", "exec")
    code = compile(SOURCE, "<source>", "exec", dont_inherit=True)
    ast.unparse(tree)
    ast.literal_eval(repr([{"a": (1, 2.5, "x")}, None, True] * 20))
    ast.dump(tree)
    for broken in ("def f(:\n pass", "x = (1,\n", "for i in range(3) print(i)", "a b", "if x:\npass"):
        with contextlib.suppress(SyntaxError):
            compile(broken, "<broken>", "exec")
    return names, code.co_consts


def tokens():
    return [token.string for token in tokenize.generate_tokens(io.StringIO(SOURCE).readline)]


def running():
    for _ in range(25):
        scope = {"__name__": "__main__"}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            tree = ast.parse(RUN)
            last = ast.Expression(tree.body.pop().value)
            exec(compile(tree, "<cell>", "exec"), scope)
            scope["_"] = eval(compile(last, "<cell>", "eval"), scope)
        out.getvalue()
    return [eval("a * 2 + len(b)", {"a": n, "b": "xyz"}) for n in range(200)]


def failing():
    def deep(n):
        if n == 0:
            return {"a": 1}["b"]
        return deep(n - 1)

    for _ in range(15):
        try:
            try:
                deep(10)
            except KeyError as error:
                raise ValueError("outer") from error
        except ValueError as error:
            text = "".join(traceback.format_exception(error))
    try:
        (lambda f: f(f))(lambda f: f(f))
    except RecursionError as error:
        error.__traceback__ = None
    return text


def importing():
    names = ("argparse", "email.message", "fractions", "gzip", "http.cookies", "ipaddress", "locale", "optparse", "plistlib")
    for name in names:
        for loaded in [loaded for loaded in sys.modules if loaded == name or loaded.startswith(f"{name}.")]:
            del sys.modules[loaded]
        importlib.import_module(name)


def inspecting():
    module = types.ModuleType("made")
    exec("def f(a, b=2, *c, d: int = 3, **e) -> str: 'text'\nclass C:\n  def m(self): pass", module.__dict__)
    for name, value in inspect.getmembers(inspect):
        if inspect.isfunction(value):
            str(inspect.signature(value))
            inspect.getdoc(value)
    dis.dis(running, file=io.StringIO())
    kind = type("Made", (module.C, dict), {"x": property(lambda self: 1), "__slots__": ()})
    return inspect.signature(module.f), kind().x, kind.__mro__, dir(kind), vars(module).keys(), repr(kind)


def printing():
    out = io.StringIO()
    for i in range(1_500):
        print(i, "squared is", i * i, i / 3, [i, str(i)], {"k": i}, sep=" ", file=out)
    return out.getvalue().count("\n")


for _ in range(4):
    for part in (compiling, tokens, running, failing, importing, inspecting, printing):
        part()
