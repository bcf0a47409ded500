"""Packs what the steps of science made: `pack.py PACKAGES OUTPUT NAME LISTS…`; PACKAGES has a folder for each step, and
LISTS are what they were downloaded by.

Makes in OUTPUT

    NAME.zip       modules as .pyc files, as the zips of packages/pack.py are
    NAME.data      files that are wanted as files, one after another
    NAME.json      where those lie, by their paths below /usr: {path: [start, size]}
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

LICENCES = {
    "annotated-types": "MIT",
    "contourpy": "BSD-3-Clause",
    "cramjam": "MIT",
    "cycler": "BSD-3-Clause",
    "fastparquet": "Apache-2.0",
    "fonttools": "MIT",
    "fsspec": "BSD-3-Clause",
    "jiter": "MIT",
    "joblib": "BSD-3-Clause",
    "kiwisolver": "BSD-3-Clause",
    "lxml": "BSD-3-Clause",
    "matplotlib": "PSF-2.0 (Matplotlib License)",
    "narwhals": "MIT",
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
    "scikit-learn": "BSD-3-Clause",
    "scipy": "BSD-3-Clause AND Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSL-1.0 AND MIT AND Qhull",
    "seaborn": "BSD-3-Clause",
    "threadpoolctl": "BSD-3-Clause",
    "typing-extensions": "PSF-2.0",
    "typing-inspection": "MIT",
}
# Extension modules without any Python beside them.
ALONE = {"jiter": ["jiter"], "rpds-py": ["rpds"]}
# What takes it for granted that something is there which is left out, or that it is otherwise; by the zip that it is in.
CHANGES = {
    "science": {
        # `from numpy import *`, as of pylab, by which pandas draws dates.
        "numpy/__init__.py": [
            ('"f2py", "test"', '"test"'),
            # Of ours (indices.c).
            ("    _sanity_check()\n", "    _core._indices.install(sys.modules[__name__])\n    _sanity_check()\n"),
        ],
        # Of ours (overflow.c, indices.c).
        "numpy/_core/__init__.py": [("from . import _methods\n", "from . import _methods\nfrom . import _overflow, _indices\n")],
        # Its sums are compiled for each type, where nothing can stand in for them.
        "numpy/_core/einsumfunc.py": [
            (
                "from numpy._core.multiarray import c_einsum\n",
                "from numpy._core.multiarray import c_einsum\n"
                "from _wasmbox_indices import noted\n"
                "c_einsum = noted(c_einsum)\n",
            ),
        ],
        "pandas/__init__.py": [
            ("# module level doc-string\n", "from _wasmbox_indices import widen\nwiden()\ndel widen\n\n# module level doc-string\n"),
        ],
        # What a program gives it for indices is not cut to 32 bits, but refused if it does not fit (indices.c).
        "pandas/core/dtypes/common.py": [
            ("ensure_platform_int = algos.ensure_platform_int", "ensure_platform_int = np._core._indices.narrowed"),
        ],
        "pandas/core/generic.py": [("indices = np.asarray(indices, dtype=np.intp)", "indices = np._core._indices.narrowed(indices)")],
        "pandas/core/indexes/datetimelike.py": [
            ("indices = np.asarray(indices, dtype=np.intp)", "indices = np._core._indices.narrowed(indices)"),
        ],
        "pandas/core/indexers/utils.py": [("indexer = np.asarray(indexer, dtype=np.intp)", "indexer = np.asarray(indexer, dtype=np.int64)")],
        # Counts and places that no compiled code takes.
        "numpy/lib/_histograms_impl.py": [("ntype = np.dtype(np.intp)", "ntype = np.dtype(np.int64)")],
        "numpy/lib/_index_tricks_impl.py": [
            ("new = new.astype(_nx.intp)", "new = new.astype(int)"),
            ("new, = new.nonzero()", "new = new.nonzero()[0].astype(int)"),
        ],
        "numpy/lib/_twodim_base_impl.py": [("return nonzero(a != 0)", "return tuple(each.astype(int) for each in nonzero(a != 0))")],
        "numpy/ma/core.py": [
            ("np.array(self.size, dtype=np.intp, ndmin=self.ndim)", "np.array(self.size, dtype=np.int64, ndmin=self.ndim)"),
            ("np.full(out_dims, items, dtype=np.intp)", "np.full(out_dims, items, dtype=np.int64)"),
            ("(~m).sum(axis=axis, dtype=np.intp, **kwargs)", "(~m).sum(axis=axis, dtype=np.int64, **kwargs)"),
        ],
        # A name of numpy's tests.
        "numpy/testing/_private/utils.py": [
            ("from numpy._core.tests._natype import pd_NA\n", "pd_NA = object()\n"),
        ],
        # What the font of Chinese and Japanese lacks.
        "matplotlib/font_manager.py": [
            (
                'fpaths.append(str(cbook._get_data_path("fonts/ttf/DroidSansFallbackFull.ttf")))',
                'for name in "DroidSansFallbackFull", "NanumGothic", "Symbola":\n'
                '                fpaths.append(str(cbook._get_data_path(f"fonts/ttf/{name}.ttf")))',
            ),
        ],
        # Where fonts lie (FONTS) it looks on Linux.
        "PIL/ImageFont.py": [('sys.platform in ("linux", "linux2")', 'sys.platform in ("linux", "linux2", "wasi")')],
        # Places of columns are of the type of indices, which are narrower than integers here: one that is appended must not
        # widen them, or no frame can be grouped that got another column.
        "pandas/core/internals/managers.py": [
            ("np.append(self._blklocs, 0)", "np.append(self._blklocs, np.intp(0))"),
            ("np.append(self._blklocs[::-1], 0)", "np.append(self._blklocs[::-1], np.intp(0))"),
            ("np.append(self._blknos, len(self.blocks))", "np.append(self._blknos, np.intp(len(self.blocks)))"),
            (
                "np.append(self._blknos[::-1], len(self.blocks))",
                "np.append(self._blknos[::-1], np.intp(len(self.blocks)))",
            ),
        ],
    },
    "scipy": {
        # 0 stands for as many threads as there are cores, which a pool starts that can't wait for work here.
        "scipy/io/_fast_matrix_market/__init__.py": [("PARALLELISM = 0", "PARALLELISM = 1")],
        # The one that programs call without any Python between, and that computes with indices of a fixed type.
        "scipy/sparse/csgraph/__init__.py": [
            (
                "from ._reordering import reverse_cuthill_mckee, structural_rank\n",
                "from ._reordering import reverse_cuthill_mckee, structural_rank\n"
                "from _wasmbox_indices import narrow\n"
                "reverse_cuthill_mckee = narrow(reverse_cuthill_mckee)\n",
            ),
        ],
        # What is indices for its compiled code is for programs as wide as elsewhere: labels of clusters and classes, neighbours.
        "sklearn/cluster/_affinity_propagation.py": [
            ("return cluster_centers_indices, labels", "return cluster_centers_indices, labels.astype(np.int64)"),
        ],
        "sklearn/cluster/_agglomerative.py": [
            ("_hc_cut(self.n_clusters_, self.children_, self.n_leaves_)", "_hc_cut(self.n_clusters_, self.children_, self.n_leaves_).astype(np.int64)"),
            ("self.labels_ = np.searchsorted(np.unique(labels), labels)", "self.labels_ = np.searchsorted(np.unique(labels), labels).astype(np.int64)"),
        ],
        "sklearn/cluster/_dbscan.py": [
            ("self.core_sample_indices_ = np.where(core_samples)[0]", "self.core_sample_indices_ = np.where(core_samples)[0].astype(np.int64)"),
            ("self.labels_ = labels\n", "self.labels_ = labels.astype(np.int64)\n"),
        ],
        "sklearn/cluster/_hdbscan/hdbscan.py": [
            (
                '        if self.metric != "precomputed" and not all_finite:\n            # Remap',
                "        self.labels_ = self.labels_.astype(np.int64)\n"
                '        if self.metric != "precomputed" and not all_finite:\n            # Remap',
            ),
        ],
        "sklearn/cluster/_mean_shift.py": [
            ("self.labels_ = cluster_centers, labels\n", "self.labels_ = cluster_centers, labels.astype(np.int64)\n"),
        ],
        "sklearn/cluster/_spectral.py": [
            ("return vectors.argmax(axis=1)\n", "return vectors.argmax(axis=1).astype(np.int64)\n"),
            ("labels = t_discrete.argmax(axis=1)\n", "labels = t_discrete.argmax(axis=1).astype(np.int64)\n"),
        ],
        "sklearn/datasets/_samples_generator.py": [("dtype=np.intp", "dtype=np.int64")],
        "sklearn/metrics/pairwise.py": [
            (
                "\nPAIRWISE_DISTANCE_FUNCTIONS = {",
                "\nfrom _wasmbox_indices import for_programs\n"
                "pairwise_distances_argmin = for_programs(pairwise_distances_argmin)\n"
                "pairwise_distances_argmin_min = for_programs(pairwise_distances_argmin_min)\n\nPAIRWISE_DISTANCE_FUNCTIONS = {",
            ),
        ],
        "sklearn/mixture/_base.py": [
            ("return xp.argmax(log_resp, axis=1)", "return xp.astype(xp.argmax(log_resp, axis=1), xp.int64)"),
            (
                "return xp.argmax(self._estimate_weighted_log_prob(X), axis=1)",
                "return xp.astype(xp.argmax(self._estimate_weighted_log_prob(X), axis=1), xp.int64)",
            ),
        ],
        "sklearn/neighbors/_base.py": [
            ("    def kneighbors(self, X=None,", "    @for_programs\n    def kneighbors(self, X=None,"),
            ("import numpy as np\n", "import numpy as np\nfrom _wasmbox_indices import for_programs\n"),
        ],
        "sklearn/preprocessing/_label.py": [
            ('    def fit_transform(self, y):\n        """Fit label enc', '    @for_programs\n    def fit_transform(self, y):\n        """Fit label enc'),
            (
                '    def transform(self, y):\n        """Transform labels to norm',
                '    @for_programs\n    def transform(self, y):\n        """Transform labels to norm',
            ),
            ("import numpy as np\n", "import numpy as np\nfrom _wasmbox_indices import for_programs\n"),
        ],
        "sklearn/svm/_classes.py": [("return np.asarray(y, dtype=np.intp)", "return np.asarray(y, dtype=np.int64)")],
        # There are no libraries that a process has loaded, and it warns where it can't look for them.
        "threadpoolctl.py": [("            self._find_libraries_with_dl_iterate_phdr()\n", "            pass\n")],
        # Beside the module there are no files, but what is in its zip.
        "sklearn/datasets/_base.py": [
            (
                'if resource.is_file() and resource.match("*.jpg")\n    )',
                'if resource.is_file() and resource.match("*.jpg")),\n        key=str,\n    )',
            ),
            ("jpg_paths = sorted(\n        resource\n", "jpg_paths = sorted(\n        (resource\n"),
        ],
        "sklearn/utils/_repr_html/estimator.py": [
            ("from pathlib import Path\n", "from importlib.resources import files\n"),
            ('open(str(Path(__file__).parent / "estimator.js"), "r")', '(files(__package__) / "estimator.js").open()'),
            ("Path(__file__).parent", "files(__package__)"),
        ],
    },
}
# Where programs look for fonts, which are matplotlib's, by what their names begin with.
FONTS = {
    "DejaVu": "share/fonts/truetype/dejavu",
    "Droid": "share/fonts/truetype/droid",
    "Nanum": "share/fonts/truetype/nanum",
}
LIBRARIES = {
    "crates": "MIT, Apache-2.0, BSD-3-Clause, Unicode-3.0 and others, as named with each",
    "fonts-droid-fallback": "Apache-2.0",
    "fonts-nanum": "OFL-1.1",
    "fonts-symbola": "free for any use",
    "freetype": "FTL",
    "lapack": "BSD-3-Clause",
    "lcms2": "MIT",
    "libcxx": "Apache-2.0 WITH LLVM-exception",
    "libf2c": "SMLNJ",
    "libjpeg-turbo": "IJG, BSD-3-Clause and Zlib",
    "libtiff": "libtiff",
    "libwebp": "BSD-3-Clause",
    "libxml2": "MIT",
    "libxslt": "MIT",
    "openjpeg": "BSD-2-Clause",
    "qhull": "Qhull",
}


def source(name, lists):
    """The pinned file that a distribution was made from."""
    entries = [entry for wanted in lists for entry in wanted["index"]]
    (entry,) = [entry for entry in entries if re.match(name.replace("-", "[-_]") + r"-\d", entry["file"])]
    kind = "wheel" if entry["file"].endswith(".whl") else "source"
    return f"{kind}, sha256 {entry['sha256']}"


def main(packages, output, name, *lists):
    packages, output = pathlib.Path(packages), pathlib.Path(output)
    lists = [json.loads((pathlib.Path(__file__).parent / path).read_text()) for path in lists]
    described, zip = [], Packed()
    with tempfile.TemporaryDirectory() as scratch:
        for tree in sorted(packages.glob("*/python/*")):
            about = collect(tree, {"licence": LICENCES[tree.name]})
            summary = about["summary"] or ""  # maturin leaves out those that are empty
            more = {"imports": ALONE.get(tree.name, about["imports"]), "summary": summary, "source": source(tree.name, lists)}
            described.append({**about, "name": tree.name, **more})
            shutil.copytree(tree, scratch, dirs_exist_ok=True)
        for changed, pairs in CHANGES[name].items():
            path = pathlib.Path(scratch) / changed
            for text, instead in pairs:
                before = path.read_text()
                assert text in before, (changed, text)
                path.write_text(before.replace(text, instead))
        zip.take(pathlib.Path(scratch))
        zip.write(output / f"{name}.zip")
    index, at = {}, 0
    with open(output / f"{name}.data", "wb") as data:
        for root in sorted(packages.glob("*/data")):
            for path in sorted(path for path in root.rglob("*") if path.is_file()):
                index[str(path.relative_to(root))] = [at, path.stat().st_size]
                at += data.write(path.read_bytes())
    for path, place in list(index.items()):
        if font := re.search(r"/fonts/ttf/((DejaVu|Droid|Nanum).*)", path):
            index[f"{FONTS[font[2]]}/{font[1]}"] = place
    (output / f"{name}.json").write_text(json.dumps(index))
    (output / "licences").mkdir()
    for path in packages.glob("*/licences/*"):
        shutil.copy(path, output / "licences")
    there = [library for library in LIBRARIES if (output / "licences" / library).exists()]
    libraries = [{"name": library, "licence": LIBRARIES[library]} for library in there]
    summary = {"packages": described, "libraries": libraries}
    (output / "packages.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
