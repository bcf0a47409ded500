#!/usr/bin/env bash
# Downloads the binary packages $PACKAGES of this system's suite to $WORK/out. apt checks them against the archive's
# signature. Needs no root: nothing is installed, and nothing of apt's own changes.
set -euo pipefail
export LC_ALL=C.UTF-8

apt_get() {
  apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}

cd "$WORK/out"
apt_get download $PACKAGES || {
  # There are no lists, or they know versions that the archive has no more. What matters is whether new ones have the
  # packages, not whether those of every other archive can be had.
  mkdir -p "$WORK/lists/partial"
  apt_get -o Dir::State::Lists="$WORK/lists" update || true
  apt_get -o Dir::State::Lists="$WORK/lists" download $PACKAGES
}
