import datetime
import uuid
from dataclasses import dataclass

import numpy as np
import orjson


@dataclass
class Point:
    x: float
    y: float
    label: str | None = None


data = {
    "when": datetime.datetime(2026, 3, 1, 12, 30, tzinfo=datetime.timezone.utc),
    "day": datetime.date(2026, 3, 1),
    "id": uuid.UUID("12345678-1234-5678-1234-567812345678"),
    "points": [Point(1.5, -2.25), Point(0.1 + 0.2, 1e300, "Zürich 🏔")],
    "array": np.arange(6, dtype=np.int64).reshape(2, 3),
    "floats": np.array([1.5, np.nan, -0.0]),
    "big": 2**53 - 1,
    3: "number key",
    "none": None,
}
options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
text = orjson.dumps(data, option=options)
print(text.decode())
back = orjson.loads(text)
print(type(back["big"]), back["floats"], back["array"])
try:
    orjson.loads('{"a": [1, 2,, 3]}')
except orjson.JSONDecodeError as error:
    print(type(error).__name__, error.lineno, error.colno, error)
try:
    orjson.dumps({"x": object()})
except TypeError as error:
    print(error)
print(orjson.dumps({1, 2}, default=sorted))
print(orjson.loads(orjson.dumps(list(range(100_000))))[-1])
