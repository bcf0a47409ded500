"""Packs what comes from packages of others: `pack.py RECIPE DEBS WHEELS OUTPUT`.

RECIPE is this folder, whose packages.json says what is wanted; DEBS and WHEELS hold the downloads. Makes in OUTPUT

    bundled.zip   packages that every session can import
    mathematics.zip, more.zip   the large ones among them: what a zip holds is read as a whole
    tzdata.zip    the package tzdata, with the time zones of Debian's: only read where a time zone is wanted
    pip.zip       pip, on nobody's path
    *.ttf         fonts for pictures
    packages.json what the zips hold, for the manifest
    licences/     the licence of each

Modules are .pyc files. The zips are deflated: they lie in memory compressed, and inflating a module takes much less
time than running it. The same input gives the same bytes.
"""

import email.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "build"))
from bytecode import INSTALLED, add, compile_module

DIST_PACKAGES = "usr/lib/python3/dist-packages"
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
# Licences that the packages' own texts refer to.
COMMON_LICENCES = ("Apache-2.0", "GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3", "MPL-2.0")
# Native code, hints for type checkers, tests and what measures, the launchers that pip carries for another system, and
# copies.
LEFT_OUT = re.compile(
    r"\.(so|pyi|exe)$|/py\.typed$|(^|/)(tests|benchmarks|__pycache__)/"
    r"|^tzdata/zoneinfo/(posix|right)/|^pytz/pytz/|^sqlalchemy/testing/|^reportlab/fonts/Dark"
)
# Beside the zones: what the package of that name has too.
TABLES = ("iso3166.tab", "zone.tab", "zone1970.tab")
METADATA_FILES = {"METADATA", "PKG-INFO", "entry_points.txt", "top_level.txt", "requires.txt"}


class Debs:
    """The downloaded binary packages, unpacked as they are asked for."""

    def __init__(self, directory, scratch):
        self.files = {deb.name.split("_")[0]: deb for deb in pathlib.Path(directory).glob("*.deb")}
        self.scratch = scratch

    def unpack(self, package):
        target = self.scratch / package
        if not target.exists():
            subprocess.run(["dpkg-deb", "-x", self.files[package], target], check=True)
        return target

    def version(self, package):
        argv = ["dpkg-deb", "-f", self.files[package], "Version"]
        return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()

    def licence(self, package):
        return (self.unpack(package) / "usr/share/doc" / package / "copyright").read_text()

    def source(self, package):
        return f"Debian {package} {self.version(package)}"


class Packed:
    """Files of a zip in the making: relative paths and where their contents are."""

    def __init__(self):
        self.files = {}

    def take(self, directory):
        for path in sorted(directory.rglob("*")):
            name = str(path.relative_to(directory))
            information = re.search(r"\.(dist|egg)-info/(.*)", name)
            if path.is_file() and not LEFT_OUT.search(name):
                if information is None or information[2] in METADATA_FILES:
                    self.files[name] = path

    def write(self, output):
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in sorted(self.files.items()):
                if name.endswith(".py"):
                    shown_as = f"{INSTALLED}/{output.name}/{name}"
                    add(archive, f"{name}c", compile_module(path, shown_as))
                else:
                    add(archive, name, path.read_bytes())


def collect(directory, entry):
    """What one distribution says of itself. Drops requirements that it does not need here."""
    (information,) = [*directory.glob("*.dist-info"), *directory.glob("*.egg-info")]
    path = next(path for path in (information / "METADATA", information / "PKG-INFO") if path.exists())
    text = path.read_text()
    for name in entry.get("without", ()):
        text = re.sub(rf"^Requires-Dist: {re.escape(name)}\b.*\n", "", text, flags=re.M | re.I)
    path.write_text(text)
    metadata = email.parser.Parser().parsestr(text, headersonly=True)
    modules = {path.stem for path in directory.glob("*.py")}
    modules |= {path.parent.name for path in directory.glob("*/__init__.py")}
    return {
        "name": metadata["Name"],
        "version": metadata["Version"],
        "licence": entry["licence"],
        "summary": metadata["Summary"],
        "imports": sorted(name for name in modules if not name.startswith("_")) + entry.get("modules", []),
        **({"note": entry["note"]} if "note" in entry else {}),
    }


def bundle(recipe, wanted, debs, wheels, scratch):
    """The bundled packages: for each zip a merged tree with our changes to it; and their descriptions.

    WHEELS is not there if no index could be reached."""
    described, texts = [], {}
    trees = {"bundled": [recipe / "modules"]}
    wanted_wheels = wanted["wheels"] if wheels.exists() else ()
    replaced = {entry.get("instead_of") for entry in wanted_wheels}
    for entry in wanted["debian"]:
        if entry["package"] in replaced:
            continue
        tree = debs.unpack(entry["package"]) / DIST_PACKAGES
        about = {**collect(tree, entry), "source": debs.source(entry["package"])}
        described.append(about)
        texts[about["name"]] = debs.licence(entry["package"])
        trees.setdefault(entry.get("zip", "bundled"), []).append(tree)
    for entry in wanted_wheels:
        in_file = re.sub(r"[-_.]+", "_", entry["name"])
        (wheel,) = wheels.glob(f"{in_file}-{entry['version']}-*.whl")
        tree = scratch / entry["name"]
        zipfile.ZipFile(wheel).extractall(tree)
        about = {**collect(tree, entry), "source": f"wheel, sha256 {entry['sha256']}"}
        described.append(about)
        (metadata,) = tree.glob("*.dist-info/METADATA")
        licence = next(tree.glob("*.dist-info/**/LICEN[CS]E*"), metadata)
        texts[about["name"]] = licence.read_text()
        trees.setdefault(entry.get("zip", "bundled"), []).append(tree)

    zips = {name: Packed() for name in trees}
    for name, packed in zips.items():
        merged = scratch / f"merged {name}"
        for tree in reversed(trees[name]):
            shutil.copytree(tree, merged, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        for patch in sorted((recipe / "patches" / name).glob("*.patch")):
            subprocess.run(["patch", "-d", merged, "-p1", "--quiet", "--forward", "-i", patch], check=True)
    certificates = sorted((debs.unpack(wanted["certificates"]) / "usr/share/ca-certificates").rglob("*.crt"))
    (scratch / "merged bundled/certifi/cacert.pem").write_text("".join(path.read_text() for path in certificates))
    for name, packed in zips.items():
        packed.take(scratch / f"merged {name}")
    return zips, described, texts


def time_zones(wanted, debs, scratch):
    """The package tzdata as the standard library expects it, from the files of Debian's."""
    source = debs.unpack(wanted["timezones"]) / "usr/share/zoneinfo"
    rules = (source / "tzdata.zi").read_text()
    release = re.match(r"# version (\d+)(\w)", rules)
    # As the package of that name counts: 2025b is 2025.2.
    version = f"{release[1]}.{ord(release[2]) - ord('a') + 1}"
    tree = scratch / "time zones"
    zones = []
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.is_file() and path.read_bytes()[:4] == b"TZif" and str(name) not in ("localtime", "posixrules"):
            target = tree / "tzdata/zoneinfo" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            zones.append(str(name))
    # Older names, as US/Eastern, are a package of their own in Debian, but everybody's everywhere else.
    for zone, name in re.findall(r"^L (\S+) (\S+)$", rules, flags=re.M):
        target = tree / "tzdata/zoneinfo" / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree / "tzdata/zoneinfo" / zone, target)
            zones.append(name)
    zones.sort()
    for name in TABLES:
        shutil.copy(source / name, tree / "tzdata/zoneinfo")
    for directory in [tree / "tzdata", *(tree / "tzdata").rglob("*")]:
        if directory.is_dir():
            (directory / "__init__.py").touch()
    (tree / "tzdata/__init__.py").write_text(
        f'IANA_VERSION = "{release[1]}{release[2]}"\n__version__ = "{version}"\n'
    )
    (tree / "tzdata/zones").write_text("".join(f"{zone}\n" for zone in zones))
    information = tree / f"tzdata-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: tzdata\nVersion: {version}\nSummary: IANA time zone data\n"
    )
    packed = Packed()
    packed.take(tree)
    about = collect(tree, {"licence": "public domain"})
    about = {**about, "source": debs.source(wanted["timezones"])}
    return packed, about, debs.licence(wanted["timezones"])


def installer(wanted, debs, scratch):
    package = wanted["pip"]
    (wheel,) = debs.unpack(package).glob("usr/share/python-wheels/pip-*.whl")
    tree = scratch / "pip"
    zipfile.ZipFile(wheel).extractall(tree)
    packed = Packed()
    packed.take(tree)
    # Where it looks for packages unless it is told otherwise: only pip itself says so.
    sys.path.insert(0, str(tree))
    from pip._internal.models.index import PyPI

    index = {"indexUrl": PyPI.simple_url, "fileHost": PyPI.file_storage_domain}
    about = {**collect(tree, {"licence": "MIT"}), "source": debs.source(package), **index}
    return packed, about, debs.licence(package)


def main(recipe, debs, wheels, output):
    recipe, wheels, output = (pathlib.Path(path).resolve() for path in (recipe, wheels, output))
    wanted = json.loads((recipe / "packages.json").read_text())
    licences = output / "licences"
    licences.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        debs = Debs(debs, scratch / "debs")
        (scratch / "debs").mkdir()
        zips, described, texts = bundle(recipe, wanted, debs, wheels, scratch)
        for name, packed in zips.items():
            packed.write(output / f"{name}.zip")
        packed, zones, texts["tzdata"] = time_zones(wanted, debs, scratch)
        packed.write(output / "tzdata.zip")
        packed, pip, texts["pip"] = installer(wanted, debs, scratch)
        packed.write(output / "pip.zip")
        for font in FONTS:
            shutil.copy(debs.unpack(wanted["fonts"]) / "usr/share/fonts/truetype/dejavu" / font, output)
        texts["DejaVu fonts"] = debs.licence(wanted["fonts"])
        texts["ca-certificates"] = debs.licence(wanted["certificates"])
    for name, text in texts.items():
        (licences / name).write_text(text)
    for name in COMMON_LICENCES:
        shutil.copy(f"/usr/share/common-licenses/{name}", licences)
    left_out = [] if wheels.exists() else [wheel["name"] for wheel in wanted["wheels"]]
    described = sorted([*described, zones], key=lambda about: about["name"].lower())
    fonts = {"name": "DejaVu fonts", "licence": "Bitstream-Vera", "source": debs.source(wanted["fonts"])}
    summary = {"packages": described, "pip": pip, "fonts": fonts, "leftOut": left_out}
    (output / "packages.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
