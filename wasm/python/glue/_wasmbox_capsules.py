"""ctypes.pythonapi's functions for capsules, which dill asks for. It has no others: ctypes calls no functions of C here."""

from _wasmbox import capsule_context, capsule_name, capsule_new, capsule_pointer


def change_ctypes(ctypes):
    api, of = ctypes.pythonapi, ctypes.PYFUNCTYPE
    anything, address, text = ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p

    def refuse(capsule, value):
        raise NotImplementedError("a capsule is what it was made as: this Python can't change it")

    def is_valid(capsule, name):
        try:
            return capsule_name(capsule) == name
        except ValueError:
            return False

    functions = {
        "PyCapsule_New": (of(anything, address, text, address), lambda pointer, name, _: capsule_new(pointer or 0, name)),
        "PyCapsule_GetPointer": (of(address, anything, text), capsule_pointer),
        "PyCapsule_GetName": (of(text, anything), capsule_name),
        "PyCapsule_IsValid": (of(ctypes.c_int, anything, text), is_valid),
        "PyCapsule_GetDestructor": (of(address, anything), lambda capsule: None),
        "PyCapsule_GetContext": (of(address, anything), lambda capsule: capsule_context(capsule) or None),
        "PyCapsule_SetContext": (of(ctypes.c_int, anything, address), set_context),
        "PyCapsule_SetDestructor": (of(ctypes.c_int, anything, address), refuse),
        "PyCapsule_SetName": (of(ctypes.c_int, anything, text), refuse),
        "PyCapsule_SetPointer": (of(ctypes.c_int, anything, address), refuse),
    }
    for name, (kind, function) in functions.items():
        made = kind(function)
        made.__name__ = name
        setattr(api, name, made)


def set_context(capsule, context):
    capsule_context(capsule, context or 0)
    return 0
