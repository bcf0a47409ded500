#!/usr/bin/env bash
# What comes from the archive of the suite: source packages $SOURCE_PACKAGES, as far as their upstream tarballs and Debian's
# patches go, and binary packages $TOOLS, both into $WORK/out. apt checks what it downloads against the signed lists.
set -euo pipefail
export LC_ALL=C.UTF-8

apt_get() { apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User=root "$@"; }
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
  "Codename: $SUITE" 'Component: main' | head -n 1)
archive=${archive%/}
lists=$WORK/apt
mkdir -p "$lists/lists/partial"
private=(-o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$lists/lists")
# Mirrors may have no more, or not yet, what the suite's list names; that of security fixes names what was there before.
# Where it is not beside the archive, the suite's alone has to do.
from_suite="deb-src $archive $SUITE main"
from_security="deb-src ${archive%/*}/debian-security $SUITE-security main"
printf '%s\n' "$from_suite" "$from_security" >"$lists/sources.list"
apt_get "${private[@]}" update 2>/dev/null || {
  echo "$from_suite" >"$lists/sources.list"
  apt_get "${private[@]}" update
}
cd "$WORK/out"

# fetch PATTERN PACKAGE=VERSION: its files of such names. Fails if it has none.
fetch() {
  local url name checksum fetched=
  while read -r url name _ checksum; do
    case $name in
      $1) /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$url" "$name" "$checksum" >&2 || return
        fetched=1 ;;
    esac
  done <<<"$(apt_get "${private[@]}" source --print-uris "$2" | tr -d "'")"
  [ -n "$fetched" ]
}

# Not `source --download-only`: mirrors that do not keep everything lack descriptions of packages whose tarballs they have.
for package in $SOURCE_PACKAGES; do
  for version in $(apt-cache "${private[@]}" showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -Vru); do
    fetch '*.orig.tar.*' "$package=$version" && fetch '*.debian.tar.*' "$package=$version" && continue 2
    rm -f "${package}"_*
  done
  fetch '*.orig.tar.*' "$package"
  echo "== $package: without Debian's patches"
done
rm -f ./*.asc ./*ft2demos* ./*ft2docs*
apt_get download $TOOLS
