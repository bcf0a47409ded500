#!/usr/bin/env bash
# Downloads the wheels of the file $REQUIREMENTS to $WORK/out, with the pip among the packages in $DEBS.
set -euo pipefail
export LC_ALL=C.UTF-8

dpkg-deb -x "$DEBS"/python3-pip-whl_*.deb "$WORK/pip"
pip=("$WORK"/pip/usr/share/python-wheels/pip-*.whl)
python3.13 "${pip[0]}/pip" download "$@" --requirement "$REQUIREMENTS" --dest "$WORK/out"
