#!/usr/bin/env bash
# The crates that Cargo.lock names, whose digests are in it, as sources in $WORK/out.
. "$RECIPE/build/toolchain.sh"
cd "$RECIPE/guest"
cargo vendor --quiet --locked --versioned-dirs "$OUT" >/dev/null
