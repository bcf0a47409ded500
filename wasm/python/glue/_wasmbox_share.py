"""Values that the languages of a session hand to each other, as files: they are counted, kept and rolled back with all
others, and a rename replaces one as a whole.

A file is JSON, with `{"$type": …, "value": …}` for what JSON lacks; or a NUL and then bytes as they are.
"""

import json
import os
import re
from base64 import b64decode, b64encode
from math import isfinite

DIRECTORY = "/shared"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
MAX_DEPTH = 200
# Larger integers are no numbers in JavaScript.
MAX_SAFE = 2**53 - 1


def share(name, value):
    path = path_of(name)
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = b"\0" + bytes(value)
    else:
        data = json.dumps(encode(value, "", 0), allow_nan=False).encode()
    os.makedirs(DIRECTORY, exist_ok=True)
    # No name that can be shared starts with a dot.
    fresh = f"{DIRECTORY}/.new"
    try:
        with open(fresh, "wb") as file:
            file.write(data)
        os.replace(fresh, path)
    except BaseException:
        if os.path.exists(fresh):
            os.remove(fresh)
        raise


def shared(name):
    try:
        with open(path_of(name), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        known = ", ".join(shared_names()) or "nothing"
        raise KeyError(f"nothing is shared as {name!r}; shared: {known}") from None
    if data.startswith(b"\0"):
        return data[1:]
    return json.loads(data, object_hook=decode)


def shared_names():
    try:
        return sorted(name for name in os.listdir(DIRECTORY) if NAME.fullmatch(name))
    except FileNotFoundError:
        return []


def path_of(name):
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(f"a name must be up to 100 of A-Z a-z 0-9 _ . - and not start with . or -: {name!r:.120}")
    return f"{DIRECTORY}/{name}"


def encode(value, where, depth):
    if depth > MAX_DEPTH:
        raise ValueError(f"the value is nested more than {MAX_DEPTH} levels, or contains itself")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        value = int(value)
        return value if abs(value) <= MAX_SAFE else tagged("int", hex(value))
    if isinstance(value, float):
        return float(value) if isfinite(value) else tagged("float", repr(float(value)))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return tagged("bytes", b64encode(value).decode())
    if isinstance(value, (list, tuple)):
        return [encode(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return encode_dict(value, where, depth)
    raise TypeError(
        f"a value of type {type(value).__name__}{f' (at {where})' if where else ''} can't be shared: "
        "None, bool, int, float, str, bytes, list and dict can"
    )


def encode_dict(value, where, depth):
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"a dict with a key of type {type(key).__name__}{f' (at {where})' if where else ''} "
                            "can't be shared: keys must be str")
    items = {key: encode(item, f"{where}.{key:.40}", depth + 1) for key, item in value.items()}
    return tagged("dict", list(map(list, items.items()))) if "$type" in items else items


def tagged(kind, value):
    return {"$type": kind, "value": value}


def decode(found):
    kind = found.get("$type")
    if kind is None:
        return found
    value = found["value"]
    if kind == "int":
        return int(value, 16)
    if kind == "float":
        return float(value)
    return b64decode(value) if kind == "bytes" else dict(value)
