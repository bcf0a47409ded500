#!/usr/bin/env bash
# Rust's compiler with the standard library of wasm32-wasip1, from Debian's packages of $RUST_SUITE, unpacked into
# $WORK/out: the build root's own suite has none that matches its compiler. What is there runs by its own loader and
# libraries, whatever system the build root is.
set -euo pipefail
export LC_ALL=C.UTF-8
OUT=$WORK/out
apt=$WORK/apt
mkdir -p "$apt"/{lists/partial,cache/archives/partial} "$OUT"
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
  'Component: main' | head -n 1)
[ -n "$archive" ] || {
  echo "error: apt knows no archive of Debian; run apt-get update" >&2
  exit 1
}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $RUST_SUITE main" >"$apt/sources.list"
: >"$apt/status"
# Nothing counts as installed: libc comes too. A mirror may lag behind the dates that a release file holds for itself.
options=(-qq -o Acquire::Retries=3 -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false
  -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
  -o "Dir::State=$apt" -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
  -o APT::Install-Recommends=false -o Debug::NoLocking=true)
apt-get "${options[@]}" update
apt-get "${options[@]}" install --download-only -y $RUST_PACKAGES
# What runs neither cargo nor rustc stays behind: a compiler of C, libraries for other targets, manuals.
left_out=(usr/include usr/libexec usr/lib/gcc 'usr/bin/*-*' 'usr/lib/*/gconv' 'usr/lib/*/lib*san.so*' usr/lib/rustlib/wasm32-wasip2
  usr/lib/rustlib/wasm32-unknown-unknown usr/share/man usr/share/locale usr/share/bash-completion dev)
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$OUT" "${left_out[@]/#/--exclude=./}"
  dpkg-deb -f "$package" Package Version | sed 's/^[A-Za-z]*: //' | paste -sd ' '
done | sort >"$WORK/versions.txt"
cp "$WORK/versions.txt" "$OUT/versions.txt"
