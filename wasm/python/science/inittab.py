"""Writes the C source that names the extension modules: `inittab.py MODULES… > science.c`.

Built-in modules may have dotted names. What CPython knows of a module while it is loaded from a file, its package, it
has to be told here: by that a module of the older kind gets its `__name__`, and so what it defines can be pickled.
"""

import pathlib
import sys

modules = [line.split() for path in sys.argv[1:] for line in pathlib.Path(path).read_text().splitlines()]
print("#include <Python.h>\n")
print("extern const char *_PyImport_SwapPackageContext(const char *);")
print("void add_science(void);\n")
for name, function in modules:
    print(
        f"PyMODINIT_FUNC {function}(void);\n"
        f"static PyObject *load_{function}(void)\n{{\n"
        f'    const char *outer = _PyImport_SwapPackageContext("{name}");\n'
        f"    PyObject *module = {function}();\n"
        "    _PyImport_SwapPackageContext(outer);\n"
        "    return module;\n}\n"
    )
print("static struct _inittab modules[] = {")
for name, function in modules:
    print(f'    {{"{name}", load_{function}}},')
print("    {NULL, NULL},\n};\n")
print("void add_science(void)\n{\n    PyImport_ExtendInittab(modules);\n}")
