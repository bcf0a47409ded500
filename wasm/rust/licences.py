"""Licences of the crates that are linked into a module: licences.py METADATA RUST OUT

METADATA is what `cargo metadata` says. Writes OUT/licences.txt, in which crates with the same text share it, and
OUT/crates.json: names, versions, licences.
"""

import json
import pathlib
import sys

TEXTS = ("LICENSE*", "LICENCE*", "COPYING*", "UNLICENSE*", "license*")


def linked(metadata):
    """The ids of the packages that the program needs when it runs; macros and build scripts are of the build."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), [metadata["resolve"]["root"]]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        if any("proc-macro" in target["kind"] for target in packages[current]["targets"]):
            continue
        found.add(current)
        for dependency in nodes[current]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    found.remove(metadata["resolve"]["root"])
    return sorted((packages[id] for id in found), key=lambda package: (package["name"], package["version"]))


def text_of(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted({file for pattern in TEXTS for file in folder.glob(pattern) if file.is_file()})
    return "\n\n".join(file.read_text(errors="replace").strip() for file in files)


def main():
    metadata_file, rust, out = map(pathlib.Path, sys.argv[1:])
    packages = linked(json.loads(metadata_file.read_text()))
    by_text = {}
    for package in packages:
        by_text.setdefault(text_of(package), []).append(package)
    title = lambda package: f"{package['name']} {package['version']}: {package['license'] or 'see its text'}"
    sections = []
    for text, sharing in by_text.items():
        names = "\n".join(map(title, sharing))
        sections.append(f"{names}\n\n{text or 'Its package carries no text of its own; see those of the same licence.'}")
    copyright = (rust / "usr/share/doc/libstd-rust-dev/copyright").resolve()
    if copyright.exists():
        sections.append("The standard library of Rust\n\n" + copyright.read_text(errors="replace").strip())
    rule = "\n\n" + "-" * 80 + "\n\n"
    (out / "licences.txt").write_text(rule.join(sections) + "\n")
    described = [
        {"name": package["name"], "version": package["version"], "licence": package["license"] or "unknown"}
        for package in packages
    ]
    (out / "crates.json").write_text(json.dumps(described, indent=1) + "\n")


main()
