#!/usr/bin/env bash
# What comes from the archive of the suite: source packages $SOURCE_PACKAGES, as far as their upstream tarballs and Debian's
# patches go, and binary packages $TOOLS, both into $WORK/out. apt checks what it downloads against the signed lists.
set -euo pipefail
export LC_ALL=C.UTF-8

apt_get() { apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User=root "$@"; }
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
  "Codename: $SUITE" 'Component: main' | head -n 1)
lists=$WORK/apt
mkdir -p "$lists/lists/partial"
echo "deb-src $archive $SUITE main" >"$lists/sources.list"
private=(-o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$lists/lists")
apt_get "${private[@]}" update
cd "$WORK/out"
# Not `source --download-only`: mirrors that do not keep everything lack descriptions of packages whose tarballs they have.
for package in $SOURCE_PACKAGES; do
  apt_get "${private[@]}" source --print-uris "$package" | tr -d "'" |
    while read -r url name _ checksum; do
      case $name in
        *.orig.tar.*) /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$url" "$name" "$checksum" >&2 ;;
        *.debian.tar.*) /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$url" "$name" "$checksum" >&2 || echo "== $package: without Debian's patches" ;;
      esac
    done
done
rm -f ./*.asc ./*ft2demos* ./*ft2docs*
apt_get download $TOOLS
