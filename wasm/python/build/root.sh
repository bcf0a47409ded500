#!/usr/bin/env bash
# Brings a Debian system up to what the build needs: the packages $PACKAGES installed and, if $SOURCES is set, the source
# packages $SOURCE_PACKAGES of the suite $SUITE downloaded there, beside a list of all their versions.
# Needs root unless the packages are there already.
set -euo pipefail
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

apt_get() { apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User=root "$@"; }

download_sources() {
  # The system's own list of package sources is left as it is: source packages come by a list of their own, with the
  # archive that binary packages of this suite come from.
  local archive private
  archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
    "Codename: $SUITE" 'Component: main' | head -n 1)
  [ -n "$archive" ] || {
    echo "error: apt knows no archive of $SUITE; run apt-get update" >&2
    return 1
  }
  mkdir -p "$SOURCES/.apt/lists/partial"
  echo "deb-src $archive $SUITE main" >"$SOURCES/.apt/sources.list"
  private=(-o "Dir::Etc::SourceList=$SOURCES/.apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$SOURCES/.apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  apt_get "${private[@]}" update
  cd "$SOURCES"
  apt_get "${private[@]}" source --download-only $SOURCE_PACKAGES
  rm -rf .apt
}

missing=()
for package in $PACKAGES; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] || apt_get update
downloading=
if [ -n "${SOURCES:-}" ]; then
  download_sources &
  downloading=$!
fi
if [ ${#missing[@]} -gt 0 ]; then
  apt_get install -y --no-install-recommends "${missing[@]}"
  apt_get clean
fi
[ -n "$downloading" ] || exit 0
wait "$downloading"

cd "$SOURCES"
{
  dpkg-query -W -f '${Package} ${Version}\n' $PACKAGES
  for package in $SOURCE_PACKAGES; do
    sed -n "s/^Version: /$package:source /p" "${package}"_*.dsc | head -n 1
  done
} >versions.txt
