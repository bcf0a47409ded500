"""Takes what a build left: `collect.py BUILD OUTPUT [--prefix PACKAGE] [--skip REGEX]`.

BUILD has "shared objects" that are lists of the files that would have been linked (bin/wcc). Those files go to
OUTPUT/objects, and the modules' names with their init functions to OUTPUT/modules. What several modules are compiled with,
to the same code, is linked once.
"""

import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess


def take(source, target):
    """Copies an object file or an archive, of which those of build systems may be no more than lists of names."""
    if not source.read_bytes().startswith(b"!<thin>"):
        shutil.copy(source, target)
        return
    listing = subprocess.run(["llvm-ar-19", "t", source], check=True, capture_output=True, text=True).stdout
    members = [source.parent / name for name in listing.splitlines()]
    subprocess.run(["llvm-ar-19", "rcsD", target, *members], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--skip", default="$^")
    options = parser.parse_args()
    taken = set()
    with open(options.output / "modules", "a") as modules:
        for shared in sorted(options.build.rglob("*.cpython-*.so")):
            path = shared.relative_to(options.build)
            parts = [part for part in (options.prefix, *path.parent.parts) if part]
            name = path.name.partition(".")[0]
            if re.search(options.skip, "/".join([*parts, name])):
                continue
            modules.write(f"{'.'.join([*parts, name])} PyInit_{'__'.join([*parts, name])}\n")
            for line in shared.read_text().splitlines():
                source = pathlib.Path(line)
                digest = hashlib.sha256(source.read_bytes()).hexdigest()
                if digest not in taken:
                    taken.add(digest)
                    take(source, options.output / "objects" / f"{digest[:12]}-{source.name}")


main()
