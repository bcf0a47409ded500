"""Helpers for files and data in the sandbox. Paths are relative to /app.

Files:  find, tree, grep, head, tail, disk_usage, diff
Data:   read_csv, write_csv, read_json, write_json, read_jsonl, write_jsonl, read_yaml, write_yaml,
        csv_to_json, json_to_csv, flatten, group_by, describe
Output: display, share, shared, shared_names (also builtins)

help(sandbox_utils.grep) explains one of them.
"""

import csv
import json
import os
import re
from builtins import display, share, shared, shared_names
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from fnmatch import fnmatch
from itertools import islice
from typing import Any, NamedTuple

__all__ = [
    "Match", "csv_to_json", "describe", "diff", "disk_usage", "display", "find", "flatten", "grep", "group_by", "head",
    "json_to_csv", "read_csv", "read_json", "read_jsonl", "read_yaml", "share", "shared", "shared_names", "tail", "tree",
    "write_csv", "write_json", "write_jsonl", "write_yaml",
]

Path = str | os.PathLike[str]


class Match(NamedTuple):
    """A line that grep found. `line` counts from 1."""

    path: str
    line: int
    text: str


def find(
    pattern: str = "*", path: Path = ".", *, kind: str = "file", min_size: int = 0, max_results: int = 1000
) -> list[str]:
    """Paths below `path`, sorted, whose name (or, if `pattern` has a slash, whose path) matches a glob.

    kind: "file", "directory" or "any". min_size: bytes, of files.

    >>> find("*.csv")
    ['data/sales.csv', 'people.csv']
    """
    if kind not in ("file", "directory", "any"):
        raise ValueError(f'kind must be "file", "directory" or "any", not {kind!r}')
    found = (each for each in _walk(path) if _is_wanted(each, kind, min_size) and _matches(each, path, pattern))
    return sorted(islice(found, max_results))


def tree(path: Path = ".", *, depth: int = 3, max_entries: int = 200) -> str:
    """The files and directories below `path` as an indented drawing, with the sizes of files.

    >>> print(tree())
    .
    ├── data/
    │   └── sales.csv (120 B)
    └── people.csv (2.1 KB)
    """
    lines = [os.fspath(path)]
    _draw(os.fspath(path), "", depth, lines, max_entries)
    if len(lines) > max_entries:
        del lines[max_entries:]
        lines.append("…")
    return "\n".join(lines)


def grep(
    pattern: str, path: Path = ".", *, glob: str = "*", ignore_case: bool = False, max_matches: int = 200
) -> list[Match]:
    """Lines that a regular expression is found in, in one file or in all text files below a directory.

    glob: names of the files that are searched.

    >>> grep(r"^def ", glob="*.py")[0]
    Match(path='main.py', line=3, text='def main():')
    """
    expression = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    files = find(glob, path, max_results=100_000) if os.path.isdir(path) else [os.fspath(path)]
    return list(islice((match for file in files for match in _matches_in(file, expression)), max_matches))


def head(path: Path, lines: int = 10) -> str:
    """The first lines of a text file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(islice(file, lines))


def tail(path: Path, lines: int = 10) -> str:
    """The last lines of a text file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(deque(file, lines))


def disk_usage(path: Path = ".") -> dict[str, int]:
    """Bytes of each file and directory in `path`, largest first."""
    sizes = {name: _size_of(os.path.join(path, name)) for name in os.listdir(path)}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def diff(before: Path, after: Path, *, context: int = 3) -> str:
    """How two text files differ, as a unified diff; empty if they don't."""
    from difflib import unified_diff

    texts = []
    for path in (before, after):
        with open(path, encoding="utf-8") as file:
            texts.append(file.readlines())
    return "".join(unified_diff(*texts, os.fspath(before), os.fspath(after), n=context))


def read_csv(path: Path, *, delimiter: str | None = None, convert: bool = True) -> list[dict[str, Any]]:
    """The rows of a CSV file, as dicts by the names in its first line.

    delimiter: guessed from the first line if None. convert: texts that are numbers become int or float, empty ones None.
    """
    with open(path, encoding="utf-8-sig", newline="") as file:
        if delimiter is None:
            first = file.readline()
            delimiter = max(",;\t|", key=first.count)
            file.seek(0)
        rows = list(csv.DictReader(file, delimiter=delimiter))
    return [{name: _converted(text) for name, text in row.items()} for row in rows] if convert else rows


def write_csv(path: Path, rows: Iterable[dict[str, Any]], *, columns: list[str] | None = None) -> int:
    """Writes dicts as a CSV file. columns: all that occur, if None. The number of rows written."""
    rows = list(rows)
    columns = columns or list(dict.fromkeys(name for row in rows for name in row))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def read_json(path: Path) -> Any:
    """What a JSON file holds."""
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)


def write_json(path: Path, value: Any, *, indent: int | None = 2) -> None:
    """Writes a JSON file; what JSON has no form for (dates, paths) as its text."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def read_jsonl(path: Path) -> list[Any]:
    """The values of a file with one JSON text a line."""
    with open(path, encoding="utf-8-sig") as file:
        return [json.loads(line) for line in file if line.strip()]


def write_jsonl(path: Path, values: Iterable[Any]) -> int:
    """Writes one JSON text a line. The number of lines written."""
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps(value, ensure_ascii=False, default=str) + "\n")
            count += 1
    return count


def read_yaml(path: Path) -> Any:
    """What a YAML file holds; only plain data, no objects."""
    import yaml

    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def write_yaml(path: Path, value: Any) -> None:
    """Writes plain data as a YAML file."""
    import yaml

    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def csv_to_json(source: Path, target: Path) -> int:
    """Makes a JSON file, a list of objects, of a CSV file. The number of rows."""
    rows = read_csv(source)
    write_json(target, rows)
    return len(rows)


def json_to_csv(source: Path, target: Path) -> int:
    """Makes a CSV file of a JSON file that holds a list of objects, flattened. The number of rows."""
    rows = read_json(source)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{os.fspath(source)} holds no list of objects")
    return write_csv(target, map(flatten, rows))


def flatten(value: dict[str, Any], separator: str = ".") -> dict[str, Any]:
    """A dict without dicts in it: {"a": {"b": 1}} becomes {"a.b": 1}."""
    flat: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, dict) and item:
            flat.update((f"{key}{separator}{inner}", each) for inner, each in flatten(item, separator).items())
        else:
            flat[key] = item
    return flat


def group_by(
    rows: Iterable[dict[str, Any]], key: str | Callable[[dict[str, Any]], Hashable]
) -> dict[Hashable, list[dict[str, Any]]]:
    """Rows by the value of a column, or by what a function gives for a row."""
    groups: dict[Hashable, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(key(row) if callable(key) else row.get(key), []).append(row)
    return groups


def describe(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each column of the rows: how many values, how many of them differ, and of numbers min, mean and max."""
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None:
                columns.setdefault(name, []).append(value)
    return [{"column": name, **_summary(values)} for name, values in columns.items()]


def _summary(values: list[Any]) -> dict[str, Any]:
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    summary: dict[str, Any] = {"count": len(values), "distinct": len(set(map(repr, values)))}
    if numbers and len(numbers) == len(values):
        summary |= {"min": min(numbers), "mean": sum(numbers) / len(numbers), "max": max(numbers)}
    return summary


def _walk(path: Path) -> Iterator[str]:
    for directory, directories, files in os.walk(path):
        directories.sort()
        for name in sorted(directories + files):
            yield os.path.normpath(os.path.join(directory, name))


def _is_wanted(path: str, kind: str, min_size: int) -> bool:
    is_directory = os.path.isdir(path)
    if kind != "any" and is_directory != (kind == "directory"):
        return False
    return is_directory or min_size == 0 or os.lstat(path).st_size >= min_size


def _matches(found: str, path: Path, pattern: str) -> bool:
    return fnmatch(os.path.relpath(found, path) if "/" in pattern else os.path.basename(found), pattern)


def _draw(path: str, indent: str, depth: int, lines: list[str], limit: int) -> None:
    names = sorted(os.listdir(path))
    for index, name in enumerate(names):
        if len(lines) > limit:
            return
        inner = os.path.join(path, name)
        last = index == len(names) - 1
        is_directory = os.path.isdir(inner) and not os.path.islink(inner)
        label = f"{name}/" if is_directory else f"{name} ({_readable(os.lstat(inner).st_size)})"
        lines.append(f"{indent}{'└── ' if last else '├── '}{label}")
        if is_directory and depth > 1:
            _draw(inner, indent + ("    " if last else "│   "), depth - 1, lines, limit)


def _readable(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def _matches_in(path: str, expression: re.Pattern[str]) -> Iterator[Match]:
    with open(path, "rb") as file:
        if b"\0" in file.read(1024):
            return
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if expression.search(text):
                yield Match(path, number, text.rstrip("\n"))


def _size_of(path: str) -> int:
    if os.path.isdir(path) and not os.path.islink(path):
        return sum(_size_of(os.path.join(path, name)) for name in os.listdir(path))
    return os.lstat(path).st_size


def _converted(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if text == "":
        return None
    # "007" is no number, nor is "nan" or "1_000".
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,300})", text):
        return int(text)
    if re.fullmatch(r"-?(0|[1-9][0-9]*)?\.?[0-9]+([eE][-+]?[0-9]+)?", text) and not re.match(r"-?0[0-9]", text):
        return float(text)
    return text
