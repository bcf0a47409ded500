#!/usr/bin/env bash
# Downloads the binary packages $PACKAGES of the build root's suite to $WORK/out. apt checks them against the archive's
# signature. Needs no root: nothing is installed.
set -euo pipefail
export LC_ALL=C.UTF-8

apt_get() { apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" "$@"; }

cd "$WORK/out"
apt_get download $PACKAGES || {
  # The lists of the build root know versions that the archive has no more.
  mkdir -p "$WORK/lists/partial"
  apt_get -o Dir::State::Lists="$WORK/lists" update
  apt_get -o Dir::State::Lists="$WORK/lists" download $PACKAGES
}
