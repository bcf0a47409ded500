"""Packs what the steps of science made: `pack.py PACKAGES OUTPUT`; PACKAGES has a folder for each step.

Makes in OUTPUT

    science.zip    modules as .pyc files, as the zips of packages/pack.py are
    science.data   files that are wanted as files, one after another
    science.json   where those lie, by their paths below /usr: {path: [start, size]}
    packages.json  the distributions, for the manifest
    licences/      the licence of each, and of the libraries in them
"""

import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "build"))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "packages"))
from pack import Packed, collect

LISTS = "sources.json", "documents.json", "rust.json", "parquet.json"
LICENCES = {
    "annotated-types": "MIT",
    "contourpy": "BSD-3-Clause",
    "cramjam": "MIT",
    "cycler": "BSD-3-Clause",
    "fastparquet": "Apache-2.0",
    "fonttools": "MIT",
    "fsspec": "BSD-3-Clause",
    "jiter": "MIT",
    "kiwisolver": "BSD-3-Clause",
    "lxml": "BSD-3-Clause",
    "matplotlib": "PSF-2.0 (Matplotlib License)",
    "numpy": "BSD-3-Clause",
    "orjson": "MPL-2.0 AND (Apache-2.0 OR MIT)",
    "pandas": "BSD-3-Clause",
    "pillow": "MIT-CMU",
    "pydantic": "MIT",
    "pydantic-core": "MIT",
    "pyparsing": "MIT",
    "python-docx": "MIT",
    "python-pptx": "MIT",
    "regex": "Apache-2.0 AND CNRI-Python",
    "rpds-py": "MIT",
    "seaborn": "BSD-3-Clause",
    "typing-extensions": "PSF-2.0",
    "typing-inspection": "MIT",
}
# What numpy wants of its own that is left out: a value that only its tests use, and a module that compiles Fortran, which
# `from numpy import *` imports.
REPLACED = {
    "numpy/testing/_private/utils.py": ("from numpy._core.tests._natype import pd_NA", "pd_NA = object()"),
}
ADDED = {
    "numpy/f2py/__init__.py": """def __getattr__(name):
    raise AttributeError(f"numpy.f2py has no {name} here: it compiles Fortran, and there is no compiler")
""",
}
# Extension modules without any Python beside them.
ALONE = {"jiter": ["jiter"], "rpds-py": ["rpds"]}
LIBRARIES = {
    "crates": "MIT, Apache-2.0, BSD-3-Clause, Unicode-3.0 and others, as named with each",
    "fonts-droid-fallback": "Apache-2.0",
    "freetype": "FTL",
    "libcxx": "Apache-2.0 WITH LLVM-exception",
    "libjpeg-turbo": "IJG, BSD-3-Clause and Zlib",
    "libwebp": "BSD-3-Clause",
    "libxml2": "MIT",
    "libxslt": "MIT",
    "qhull": "Qhull",
}


def source(name):
    """The pinned file that a distribution was made from."""
    lists = [json.loads((pathlib.Path(__file__).parent / list).read_text()) for list in LISTS]
    entries = [entry for wanted in lists for entry in wanted["index"]]
    (entry,) = [entry for entry in entries if re.match(name.replace("-", "[-_]") + r"-\d", entry["file"])]
    kind = "wheel" if entry["file"].endswith(".whl") else "source"
    return f"{kind}, sha256 {entry['sha256']}"


def complete(tree):
    """Makes importable what would want modules that are left out."""
    for name, (wanted, instead) in REPLACED.items():
        text = (tree / name).read_text()
        if wanted not in text:
            raise SystemExit(f"error: {name} has no line {wanted!r}")
        (tree / name).write_text(text.replace(wanted, instead))
    for name, text in ADDED.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)


def main(packages, output):
    packages, output = pathlib.Path(packages), pathlib.Path(output)
    described, zip = [], Packed()
    with tempfile.TemporaryDirectory() as scratch:
        for tree in sorted(packages.glob("*/python/*")):
            about = collect(tree, {"licence": LICENCES[tree.name]})
            summary = about["summary"] or ""  # maturin leaves out those that are empty
            more = {"imports": ALONE.get(tree.name, about["imports"]), "summary": summary, "source": source(tree.name)}
            described.append({**about, "name": tree.name, **more})
            shutil.copytree(tree, scratch, dirs_exist_ok=True)
        complete(pathlib.Path(scratch))
        zip.take(pathlib.Path(scratch))
        zip.write(output / "science.zip")
    index, at = {}, 0
    with open(output / "science.data", "wb") as data:
        for root in sorted(packages.glob("*/data")):
            for path in sorted(path for path in root.rglob("*") if path.is_file()):
                index[str(path.relative_to(root))] = [at, path.stat().st_size]
                at += data.write(path.read_bytes())
    (output / "science.json").write_text(json.dumps(index))
    (output / "licences").mkdir()
    for path in packages.glob("*/licences/*"):
        shutil.copy(path, output / "licences")
    libraries = [{"name": name, "licence": licence} for name, licence in LIBRARIES.items()]
    summary = {"packages": described, "libraries": libraries}
    (output / "packages.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
